//! Changes of a table: another action for a rule, and the split of a rule.

use ackclock_tcp::cc::remycc::{AXES, Action, Node, Range, Table};

/// Axes of the memory that tables of 2013 have.
pub(crate) const MEMORY: usize = 3;
/// Upper bound of the memory of the first rule.
const UPPER: f64 = 16_384.0;

/// The table with one rule for all memories.
pub(crate) fn first(action: Action) -> Table {
    let upper = [UPPER, UPPER, UPPER, 0.0];
    made(Node::Leaf(Range { lower: [0.0; AXES], upper }, action))
}

fn made(root: Node) -> Table {
    Table::new(root, MEMORY).expect("changes keep a table valid")
}

/// Applies a function to the rule with a number.
fn change(node: &mut Node, rule: &mut usize, with: &dyn Fn(&Range, &Action) -> Node) -> bool {
    match node {
        Node::Inner(_, children) => children.iter_mut().any(|child| change(child, rule, with)),
        Node::Leaf(range, action) if *rule == 0 => {
            *node = with(range, action);
            true
        }
        Node::Leaf(..) => {
            *rule -= 1;
            false
        }
    }
}

fn changed(table: &Table, mut rule: usize, with: &dyn Fn(&Range, &Action) -> Node) -> Table {
    let mut root = table.root().clone();
    assert!(change(&mut root, &mut rule, with), "a table has the rule");
    made(root)
}

/// The table with another action for a rule.
pub(crate) fn with_action(table: &Table, rule: usize, action: Action) -> Table {
    changed(table, rule, &|range, _| Node::Leaf(*range, action))
}

/// The ranges of the rules, in their order.
pub fn ranges(table: &Table) -> Vec<Range> {
    fn add(node: &Node, to: &mut Vec<Range>) {
        match node {
            Node::Inner(_, children) => children.iter().for_each(|child| add(child, to)),
            Node::Leaf(range, _) => to.push(*range),
        }
    }
    let mut all = Vec::new();
    add(table.root(), &mut all);
    all
}

/// The table with a rule split at a value of each axis; an axis with `None` is not split. The parts have the rule's
/// action and take its place in the order.
pub(crate) fn split(table: &Table, rule: usize, at: [Option<f64>; MEMORY]) -> Table {
    changed(table, rule, &|whole, action| {
        let mut parts = vec![*whole];
        for (axis, value) in at.into_iter().enumerate() {
            let Some(value) = value else { continue };
            parts = parts
                .into_iter()
                .flat_map(|part| {
                    let (mut low, mut high) = (part, part);
                    low.upper[axis] = value;
                    high.lower[axis] = value;
                    [low, high]
                })
                .collect();
        }
        Node::Inner(*whole, parts.into_iter().map(|part| Node::Leaf(part, *action)).collect())
    })
}

/// The value at which a rule is split on an axis: the median of the values with which it is used. If that is the lower
/// bound of the range, as the rtt_ratio of paths without a queue, it is the median of the other values. None if the value
/// does not divide the range.
pub(crate) fn dividing(range: &Range, axis: usize, values: &[f64]) -> Option<f64> {
    let inside = |value: &f64| range.lower[axis] < *value && *value < range.upper[axis];
    let others = || values.iter().copied().filter(|value| *value > range.lower[axis]).collect();
    median(values.to_vec()).filter(inside).or_else(|| median(others()).filter(inside))
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_split_at_the_median_of_its_memories_or_of_those_above_its_lower_bound() {
        let range = Range { lower: [1.0; AXES], upper: [16.0; AXES] };
        assert_eq!(dividing(&range, 0, &[3.0, 9.0, 2.0, 5.0, 4.0]), Some(4.0));
        assert_eq!(dividing(&range, 2, &[1.0, 1.0, 1.0, 1.0, 1.5, 2.0, 1.2]), Some(1.5));
        assert_eq!(dividing(&range, 1, &[1.0, 1.0]), None, "all memories are alike");
        assert_eq!(dividing(&range, 1, &[20.0, 20.0]), None, "beyond the range");
        assert_eq!(dividing(&range, 1, &[]), None);
    }

    #[test]
    fn a_split_has_a_part_for_every_side_and_changes_no_action() {
        let action = Action { increment: 1, multiple: 1.0, intersend: 0.01 };
        let table = split(&first(action), 0, [Some(2.0), None, Some(1.5)]);
        assert_eq!(table.actions(), [action; 4]);
        let other = Action { increment: 7, ..action };
        let table = with_action(&table, 1, other);
        let found = |memory: [f64; 3]| table.find([memory[0], memory[1], memory[2], 0.0]).increment;
        assert_eq!([found([1.0, 9.0, 1.0]), found([1.0, 9.0, 1.5]), found([2.0, 0.0, 1.5])], [1, 7, 1]);
        let table = split(&table, 1, [None, Some(4.0), None]);
        assert_eq!(table.actions(), [action, other, other, action, action]);
        assert_eq!(ranges(&table)[2].lower, [0.0, 4.0, 1.5, 0.0]);
        assert_eq!(Table::decode(&table.encode()), Ok(table));
    }
}
