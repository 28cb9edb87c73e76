//! Values that cross the border of a library: each type of the contract has a form with C's layout.

/// A type of the contract, and its form with C's layout.
pub trait Value: Sized {
    /// The form that crosses the border.
    type C: Copy + Default;

    /// Returns the form that crosses the border.
    fn to_c(self) -> Self::C;

    /// Returns the value of a form that has crossed the border.
    fn of_c(form: Self::C) -> Self;
}

macro_rules! unchanged {
    ($($Type:ty),*) => {
        $(impl Value for $Type {
            type C = $Type;

            #[inline]
            fn to_c(self) -> $Type {
                self
            }

            #[inline]
            fn of_c(form: $Type) -> $Type {
                form
            }
        })*
    };
}

unchanged!(u32, u64, i64, f64);

impl Value for bool {
    type C = u8;

    #[inline]
    fn to_c(self) -> u8 {
        u8::from(self)
    }

    #[inline]
    fn of_c(form: u8) -> bool {
        form != 0
    }
}

/// The form of an `Option`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Maybe<C> {
    /// 1 if there is a value, 0 if there is none.
    pub present: u8,
    /// The value; of no meaning if there is none.
    pub value: C,
}

impl<T: Value> Value for Option<T> {
    type C = Maybe<T::C>;

    #[inline]
    fn to_c(self) -> Maybe<T::C> {
        match self {
            Some(value) => Maybe { present: 1, value: value.to_c() },
            None => Maybe::default(),
        }
    }

    #[inline]
    fn of_c(form: Maybe<T::C>) -> Option<T> {
        (form.present != 0).then(|| T::of_c(form.value))
    }
}

/// Declares a struct of the contract, and the struct of the same fields with C's layout.
macro_rules! values {
    ($(
        $(#[$doc:meta])*
        $Name:ident as $C:ident {
            $($(#[$field_doc:meta])* $field:ident: $Type:ty,)*
        }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Debug)]
            pub struct $Name {
                $($(#[$field_doc])* pub $field: $Type,)*
            }

            #[doc = concat!("[`", stringify!($Name), "`] with C's layout.")]
            #[repr(C)]
            #[derive(Clone, Copy, Default, Debug)]
            pub struct $C {
                $($field: <$Type as $crate::value::Value>::C,)*
            }

            impl $crate::value::Value for $Name {
                type C = $C;

                #[inline]
                fn to_c(self) -> $C {
                    $C { $($field: $crate::value::Value::to_c(self.$field),)* }
                }

                #[inline]
                fn of_c(form: $C) -> $Name {
                    $Name { $($field: $crate::value::Value::of_c(form.$field),)* }
                }
            }
        )*
    };
}

pub(crate) use values;
