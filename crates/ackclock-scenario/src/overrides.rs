//! Overrides: `PATH=VALUE` pairs that change a scenario before it is read.

use ackclock_schema::Problem;
use ackclock_schema::problems::{listed, suggestion};
use ackclock_schema::tree::{KeyPath, Node, Step, Value, quoted, shortened};

/// Sets the value at each path; a later override wins over an earlier one. A path is written as in messages,
/// `flows[0].cc`. `[*]` stands for every item of a list, and the name of a table selects it in a list of tables:
/// `flows.video.cc`. Keys that do not exist are created. A value is read as TOML if it is valid TOML, otherwise as
/// text.
///
/// # Errors
/// Paths that cannot be parsed, and paths through a value that does not exist.
pub(super) fn apply(root: &mut Node, overrides: &[(String, String)]) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    for (path, value) in overrides {
        let node = Node::from_toml_value(value).unwrap_or_else(|| Node::unplaced(Value::Text(value.clone())));
        let set = parse(path).and_then(|steps| set(root, &steps, &KeyPath::default(), &node));
        if let Err(why) = set {
            let message = format!("override {}: {why}", quoted(&shortened(&format!("{path}={value}"))));
            problems.push(Problem { path: shortened(path), line: None, message });
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// A step in the path of an override.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Target {
    /// A key, or the name of a table in a list.
    Key(String),
    Index(usize),
    Every,
}

fn parse(path: &str) -> Result<Vec<Target>, String> {
    const ACCEPTED: &str = "accepted: a path such as bottleneck.rate, flows[0].cc, flows[*].cc or flows.NAME.cc";
    /// Deeper than any field. The limit exists because a path is followed recursively.
    const MOST_STEPS: usize = 32;
    let malformed = |what: &str| format!("{what}; {ACCEPTED}");
    let mut steps = Vec::new();
    for part in path.trim().split('.') {
        let (key, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() {
            return Err(malformed("a key is missing in the path"));
        }
        steps.push(Target::Key(key.to_owned()));
        let mut rest = indices;
        while !rest.is_empty() {
            let inner = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let (index, after) = inner.ok_or_else(|| malformed("the brackets in the path do not match"))?;
            steps.push(match index {
                "*" => Target::Every,
                index => Target::Index(
                    index.parse().map_err(|_| malformed(&format!("{} is no index", quoted(&shortened(index)))))?,
                ),
            });
            rest = after;
        }
    }
    if steps.len() > MOST_STEPS { Err(malformed("the path is too long")) } else { Ok(steps) }
}

fn set(node: &mut Node, steps: &[Target], at: &KeyPath, to: &Node) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else {
        *node = to.clone();
        return Ok(());
    };
    let shown = node.shown();
    let is = || format!("{} is {shown}", if at.0.is_empty() { "the scenario".to_owned() } else { at.to_string() });
    match (step, &mut node.value) {
        (Target::Key(key), Value::Table(entries)) => {
            let path = at.key(key);
            if let Some((_, node)) =
                entries.iter_mut().find(|(name, node)| name == key && !matches!(node.value, Value::Null))
            {
                return set(node, rest, &path, to);
            }
            if matches!(rest.first(), Some(Target::Index(_) | Target::Every)) {
                return Err(format!("there is no {path}"));
            }
            let mut made = Node::unplaced(Value::Table(Vec::new()));
            set(&mut made, rest, &path, to)?;
            entries.retain(|(name, _)| name != key);
            entries.push((key.clone(), made));
            Ok(())
        }
        (Target::Key(name), Value::List(items)) => {
            let position = items.iter().enumerate().position(|(index, item)| name_of(item, at, index) == *name);
            let Some(index) = position else {
                let names: Vec<_> = items.iter().enumerate().map(|(index, item)| name_of(item, at, index)).collect();
                let names = names.iter().map(String::as_str);
                let hint = suggestion(name, names.clone());
                return Err(format!("{at} has nothing named {}; accepted: {}{hint}", quoted(name), listed(names)));
            };
            set(&mut items[index], rest, &at.index(index), to)
        }
        (Target::Index(index), Value::List(items)) => {
            let length = items.len();
            let Some(item) = items.get_mut(*index) else {
                let accepted =
                    if length > 0 { format!("0 to {}", length - 1) } else { "none, the list is empty".to_owned() };
                return Err(format!("{} does not exist; accepted: index {accepted}", at.index(*index)));
            };
            set(item, rest, &at.index(*index), to)
        }
        (Target::Every, Value::List(items)) => {
            let set = |(index, item)| set(item, rest, &at.index(index), to);
            items.iter_mut().enumerate().try_for_each(set)
        }
        (Target::Key(key), _) => Err(format!("{}, not a table with a key {}", is(), quoted(key))),
        (Target::Index(_) | Target::Every, _) => Err(format!("{}, not a list", is())),
    }
}

/// Returns the name of a table in a list; a flow without a name is numbered.
fn name_of(item: &Node, list: &KeyPath, index: usize) -> String {
    match item.get("name").map(|name| &name.value) {
        Some(Value::Text(name)) => name.clone(),
        _ if list.0 == [Step::Key("flows".to_owned())] => format!("flow{index}"),
        _ => String::new(),
    }
}
