//! Values with names: enumerations of the configuration and entries of catalogues.

use crate::recovery::{self, Recovery};
use crate::{cc, slow_start, validation};

/// A value that has a name in scenarios, scripts and tables.
pub trait Named: Sized {
    /// Noun for messages, such as "ECN mode".
    const NOUN: &'static str;
    /// All values, each with its name and a description, which may be empty.
    fn all() -> Vec<(&'static str, Self, &'static str)>;
    /// Name of the value.
    fn name(&self) -> &str;
}

/// Declares an enumeration whose values have names: each variant is `/// Sentence.`, then `Variant = "name";` or
/// `Variant = "name", "description";`.
macro_rules! named {
    (
        $(#[doc = $doc:literal])+
        pub enum $Name:ident: $noun:literal {
            $($(#[doc = $variant_doc:literal])+ $Variant:ident = $name:literal $(, $description:literal)?;)+
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $Name {
            $($(#[doc = $variant_doc])+ $Variant,)+
        }

        impl $crate::settings::Named for $Name {
            const NOUN: &'static str = $noun;

            fn all() -> Vec<(&'static str, Self, &'static str)> {
                vec![$(($name, $Name::$Variant, concat!($($description)?))),+]
            }

            fn name(&self) -> &str {
                match self {
                    $($Name::$Variant => $name,)+
                }
            }
        }
    };
}
pub(crate) use named;

impl Named for Recovery {
    const NOUN: &'static str = "recovery";

    fn all() -> Vec<(&'static str, Self, &'static str)> {
        recovery::CATALOGUE.iter().map(|entry| (entry.name, entry.recovery, entry.summary)).collect()
    }

    fn name(&self) -> &str {
        Recovery::name(*self)
    }
}

impl Named for cc::Algorithm {
    const NOUN: &'static str = "congestion control";

    /// The families, which mean their standard forms, and all forms.
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        let standard = |name| cc::by_name(name).expect("a family has a standard form");
        let families = cc::FAMILIES.iter().map(|family| (family.name, standard(family.name)));
        let entries = families.chain(cc::CATALOGUE.iter().map(|entry| (entry.name, entry)));
        entries.map(|(name, entry)| (name, entry.into(), entry.summary)).collect()
    }

    fn name(&self) -> &str {
        cc::Algorithm::name(self)
    }
}

impl Named for &'static slow_start::Entry {
    const NOUN: &'static str = "slow start";

    fn all() -> Vec<(&'static str, Self, &'static str)> {
        slow_start::CATALOGUE.iter().map(|entry| (entry.name, entry, entry.summary)).collect()
    }

    fn name(&self) -> &str {
        self.name
    }
}

impl Named for &'static validation::Entry {
    const NOUN: &'static str = "window validation";

    fn all() -> Vec<(&'static str, Self, &'static str)> {
        validation::CATALOGUE.iter().map(|entry| (entry.name, entry, entry.summary)).collect()
    }

    fn name(&self) -> &str {
        self.name
    }
}
