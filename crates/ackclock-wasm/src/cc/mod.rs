//! Congestion controls of the user: classes in JavaScript with the rules of [`ackclock_tcp::cc::WindowRules`].
//!
//! The engine keeps only values that are `Send`, and objects of JavaScript are not. These objects stay in tables of the
//! thread, and the engine keeps their numbers.

mod rules;
mod views;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use ackclock_scenario::{Range, Registered};
use ackclock_tcp::cc::{Algorithm, Ruled, WindowRules};
use js_sys::{Array, Function};
use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::*;

use crate::callbacks::Caller;
use rules::Rules;

/// A class in JavaScript that is a congestion control.
struct Class {
    /// Creates an object of the class from pairs of parameters and values.
    make: Function,
    overridden: BTreeSet<String>,
}

thread_local! {
    static CLASSES: RefCell<Vec<Class>> = const { RefCell::new(Vec::new()) };
    static REGISTERED: RefCell<Vec<Arc<Registered>>> = const { RefCell::new(Vec::new()) };
}

/// Stands for an algorithm that could not be created; the run ends.
struct Nothing;

impl WindowRules for Nothing {}

/// Registers a class, which scenarios can name from now on. `parameters` are arrays of a name, the least and the most
/// value; `overridden` are the names of the rules that the class has of its own; `make` creates an object of the class
/// from an array of pairs of parameters and values. The digest of `text` tells the class from others of the same name.
///
/// # Errors
/// A parameter in another form.
#[wasm_bindgen]
pub fn register(
    name: &str,
    text: &str,
    parameters: Vec<Array>,
    overridden: Vec<String>,
    make: Function,
) -> Result<(), JsValue> {
    let parameters = parameters.iter().map(range).collect::<Option<Vec<Range>>>();
    let parameters =
        parameters.ok_or_else(|| JsValue::from_str("a parameter is an array of a name and two numbers"))?;
    let number = CLASSES.with_borrow_mut(|classes| {
        classes.push(Class { make, overridden: overridden.into_iter().collect() });
        classes.len() - 1
    });
    let name = lasting(name);
    let digest = Sha256::digest(text.as_bytes());
    let registered = Registered {
        name,
        source: digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
        parameters,
        make: Box::new(move |given, flow| {
            let caller = Caller { algorithm: name, flow: flow.into() };
            let given = given.to_vec();
            Algorithm::custom(name, move || match connection(number, &given, &caller) {
                Some(rules) => Box::new(Ruled::new(rules)),
                None => Box::new(Ruled::new(Nothing)),
            })
        }),
    };
    REGISTERED.with_borrow_mut(|all| all.push(registered.into()));
    Ok(())
}

/// Returns the registered classes for the reader of a scenario.
pub fn registered() -> Vec<Arc<Registered>> {
    REGISTERED.with_borrow(Vec::clone)
}

fn connection(number: usize, given: &[(&'static str, f64)], caller: &Caller) -> Option<Rules> {
    let pair = |&(name, value): &(&str, f64)| Array::of2(&name.into(), &value.into());
    caller.call("constructor", None, || {
        let make = CLASSES.with_borrow(|classes| classes[number].make.clone());
        let object = make.call1(&JsValue::NULL, &given.iter().map(pair).collect::<Array>())?;
        CLASSES.with_borrow(|classes| Rules::new(caller.clone(), &object, &classes[number].overridden))
    })
}

fn range(parameter: &Array) -> Option<Range> {
    let name = lasting(&parameter.get(0).as_string()?);
    Some(Range { name, least: parameter.get(1).as_f64()?, most: parameter.get(2).as_f64()? })
}

/// Returns a name that lives as long as the thread, like those of the catalogue.
fn lasting(name: &str) -> &'static str {
    Box::leak(name.into())
}
