//! The form of a congestion control that a family's name means: it depends on the flow's stack, so the names are
//! resolved before the fields are read, and a scenario and its canonical form have full names only.

use ackclock_schema::tree::{KeyPath, Node, Value};
use ackclock_schema::union::KIND;
use ackclock_tcp::cc::Family;
use ackclock_tcp::stack;

use super::model::STACK;

/// Replaces the name of a family by the full name of the form of the flow's stack, in every flow.
pub(super) fn resolve(root: &mut Node) {
    let Some(flows) = root.at_mut(&KeyPath::default().key("flows")) else { return };
    let Value::List(flows) = &mut flows.value else { return };
    for flow in flows {
        let name = flow.get("stack").map_or(Some(STACK), text).unwrap_or_default();
        // A flow whose stack is unknown is refused later.
        let Some(stack) = stack::by_name(name) else { continue };
        let cc = KeyPath::default().key("cc");
        for at in [cc.clone(), cc.key(KIND)] {
            let Some(node) = flow.at_mut(&at) else { continue };
            let entry = text(node).and_then(Family::by_name).and_then(|family| stack.form(family.name));
            if let Some(entry) = entry {
                node.value = Value::Text(entry.name.to_owned());
            }
        }
    }
}

fn text(node: &Node) -> Option<&str> {
    if let Value::Text(text) = &node.value { Some(text) } else { None }
}
