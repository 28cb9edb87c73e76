//! The rules of [`WindowRules`] in JavaScript. Rules that a class does not override are not called.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

use ackclock_tcp::cc::accepted::{self, INCREASE, SHARE, START};
use ackclock_tcp::cc::{Situation, WindowRules};
use js_sys::{Function, Reflect, TypeError};
use wasm_bindgen::prelude::*;

use super::views;
use crate::callbacks::Caller;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_name = String)]
    fn shown(value: &JsValue) -> Result<String, JsValue>;
}

/// The object of a connection, with its methods that are called.
struct Object {
    this: JsValue,
    methods: BTreeMap<&'static str, Function>,
    /// The argument of all rules, created at the first call, and its content.
    situation: RefCell<Option<(Rc<Cell<Situation>>, JsValue)>>,
}

thread_local! {
    static OBJECTS: RefCell<BTreeMap<u64, Rc<Object>>> = const { RefCell::new(BTreeMap::new()) };
    static CREATED: Cell<u64> = const { Cell::new(0) };
}

const RULES: [&str; 7] = ["seed", "start", "increase", "reduction", "timeout", "idle", "state_name"];

/// The rules of a connection.
pub struct Rules {
    caller: Caller,
    /// The number of the object in the thread's table.
    number: u64,
    has: u8,
}

/// The default rules, used where no rule is overridden.
struct Defaults;

impl WindowRules for Defaults {}

impl Rules {
    pub fn new(caller: Caller, object: &JsValue, overridden: &BTreeSet<String>) -> Result<Rules, JsValue> {
        let (mut methods, mut has) = (BTreeMap::new(), 0);
        for (at, name) in RULES.into_iter().enumerate().filter(|(_, name)| overridden.contains(*name)) {
            let method = Reflect::get(object, &name.into())?;
            methods.insert(name, method.dyn_into::<Function>()?);
            has |= 1 << at;
        }
        let number = CREATED.replace(CREATED.get() + 1);
        let object = Object { this: object.clone(), methods, situation: RefCell::default() };
        OBJECTS.with_borrow_mut(|objects| objects.insert(number, object.into()));
        Ok(Rules { caller, number, has })
    }

    /// Returns the result of a method, if it is overridden and there was no failure.
    fn call<T>(
        &self,
        rule: usize,
        now: Option<u64>,
        body: impl FnOnce(&Object, &Function) -> Result<T, JsValue>,
    ) -> Option<T> {
        if self.has & (1 << rule) == 0 {
            return None;
        }
        // The table is not borrowed during the call, which may create further objects.
        let object = OBJECTS.with_borrow(|objects| objects.get(&self.number).cloned())?;
        let name = RULES[rule];
        self.caller.call(name, now, || body(&object, &object.methods[name]))
    }

    /// Returns the result of a rule, if the rule is overridden and there was no failure.
    fn ask(&self, rule: usize, told: &Situation, range: &RangeInclusive<f64>) -> Option<f64> {
        self.call(rule, Some(told.ctx.now), |object, method| {
            let mut situation = object.situation.borrow_mut();
            let (content, argument) = situation.get_or_insert_with(|| views::situation(*told));
            content.set(*told);
            let argument = argument.clone();
            drop(situation);
            let said = method.call1(&object.this, &argument)?;
            let number = said.as_f64().filter(|number| range.contains(number));
            let refusal = || TypeError::new(&accepted::result(&shown(&said).unwrap_or_default(), range)).into();
            number.ok_or_else(refusal)
        })
    }
}

impl Drop for Rules {
    fn drop(&mut self) {
        OBJECTS.with_borrow_mut(|objects| objects.remove(&self.number));
    }
}

impl WindowRules for Rules {
    fn seed(&mut self, seed: u32) {
        self.call(0, None, |object, method| method.call1(&object.this, &seed.into()).map(drop));
    }

    fn start(&mut self, told: &Situation) -> f64 {
        self.ask(1, told, &START).unwrap_or_else(|| Defaults.start(told))
    }

    fn increase(&mut self, told: &Situation) -> f64 {
        self.ask(2, told, &INCREASE).unwrap_or_else(|| Defaults.increase(told))
    }

    fn reduction(&mut self, told: &Situation) -> f64 {
        self.ask(3, told, &SHARE).unwrap_or_else(|| Defaults.reduction(told))
    }

    fn timeout(&mut self, told: &Situation) -> f64 {
        self.ask(4, told, &SHARE).unwrap_or_else(|| self.reduction(told))
    }

    fn idle(&mut self, told: &Situation) -> f64 {
        self.ask(5, told, &SHARE).unwrap_or_else(|| Defaults.idle(told))
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        let name = self.call(6, None, |object, method| {
            let said = method.call0(&object.this)?;
            let refusal = || {
                TypeError::new(&format!("it returns {}: accepted: a string or null", shown(&said).unwrap_or_default()))
            };
            match said.as_string() {
                Some(name) => Ok(Some(name)),
                None if said.is_null() || said.is_undefined() => Ok(None),
                None => Err(refusal().into()),
            }
        });
        name.flatten().map(Cow::Owned)
    }
}
