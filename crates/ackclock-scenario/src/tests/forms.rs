//! Canonical form, hash, JSON Schema and reference.

use ackclock_net::queue::{self, Otherwise, Quantity};

use ackclock_tcp::cc::{CATALOGUE, FAMILIES};

use super::*;
use ackclock_schema::record::Reader;
use ackclock_schema::union;

/// Whether another test covers a row of the reference: the rows of queues other than drop-tail, of distributions, of
/// applications, of links and of policers have tests of their own.
fn is_elsewhere(row: &Json) -> bool {
    let path = row["path"].as_str().expect("a path");
    let drawn = <Random<Time> as union::Union>::KINDS.iter().any(|kind| path.contains(&format!("<{kind}>.")));
    // A further link has the same fields as the bottleneck.
    let own = ["links[].name", "links[].ends"].contains(&path) || !path.starts_with("links[].");
    !own || drawn
        || path.contains("app<")
        || path.contains("queue<") && !path.contains("<drop-tail>")
        || super::links::is_of_a_link(path)
        || super::policers::is_of_a_policer(path)
}

#[test]
fn every_queue_of_the_catalogue_has_a_limit_and_takes_its_parameters() {
    for entry in queue::CATALOGUE {
        let table = format!("{{ kind = '{}' }}", entry.name);
        let kind = ("bottleneck.queue", table.as_str());
        let scenario = with(&[kind]);
        assert_eq!(with(&[("bottleneck.queue", entry.name)]), scenario);
        let Queue { kind: name, limit, parameters } = &scenario.bottleneck.queue;
        assert_eq!(*name, entry.name);
        match entry.limit {
            None => assert_eq!(*limit, QueueLimit::Bdp(1.0)),
            Some(own) => assert_eq!(limit.of_link(), own),
        }
        let defaults = entry.parameters.iter().filter_map(|parameter| match parameter.default {
            Otherwise::Is(value) => Some((parameter.name, value)),
            Otherwise::Follows(_) => None,
        });
        assert_eq!(*parameters, defaults.collect::<Vec<_>>());
        for parameter in entry.parameters {
            let path = format!("bottleneck.queue.{}", parameter.name);
            let (least, most) = parameter.range;
            for value in [least, most] {
                // A value alone may contradict the other parameters; in that case the problem is reported at the queue.
                let pairs = [kind, (&path, &spelled(parameter.quantity, value))];
                let pairs = pairs.map(|(path, value)| (path.to_owned(), value.to_owned()));
                let other = match Scenario::from_toml(BASE, &pairs) {
                    Ok(other) => other,
                    Err(error) => {
                        assert!(error.problems.iter().all(|problem| problem.path.starts_with("bottleneck.queue")));
                        continue;
                    }
                };
                let queue = &other.bottleneck.queue;
                assert!(queue.parameters.contains(&(parameter.name, value)), "{path}: {queue:?}");
                let same = parameter.default == Otherwise::Is(value);
                assert!((other.hash() == scenario.hash()) == same, "{path}");
                assert_eq!(Scenario::from_json(&other.to_json().to_string(), &[]).unwrap(), other);
            }
            if parameter.quantity != Quantity::Flag {
                let beyond = (path.clone(), spelled(parameter.quantity, most + 1.0));
                let error = Scenario::from_toml(BASE, &[(kind.0.to_owned(), kind.1.to_owned()), beyond]).unwrap_err();
                assert!(error.to_string().contains(&path), "{error}");
            }
        }
    }
}

/// Returns the value of a queue's parameter as people write it.
fn spelled(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Number | Quantity::In(_) | Quantity::Probability | Quantity::Count(_) => value.to_string(),
        Quantity::Time => format!("'{value}ns'"),
        Quantity::Volume => format!("'{value}B'"),
        Quantity::Rate => format!("'{value}bps'"),
        Quantity::Flag => (value != 0.0).to_string(),
        Quantity::Choice(options) => format!("'{}'", options.get(value as usize).map_or("other", |(name, _)| *name)),
    }
}

#[test]
fn every_field_moves_the_hash() {
    let base = with(&[]).hash();
    let mut hashes = vec![base.clone()];
    for index in 0..CHANGES.len() {
        let scenario = Scenario::from_toml(BASE, &change(index)).unwrap_or_else(|error| panic!("{error}"));
        hashes.push(scenario.hash());
    }
    assert!(hashes.iter().all(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())));
    // Some changes give the same scenario: a queue of its default kind, an FQ table of defaults.
    let moved = hashes[1..].iter().filter(|hash| **hash != base).count();
    assert_eq!(moved, CHANGES.len());
    assert_eq!(with(&[("name", "other"), ("seed", "9")]).hash(), base);

    // The list above covers every field of the reference.
    let strip = |path: &str| {
        let mut plain = String::new();
        let mut inside = false;
        for c in path.chars() {
            match c {
                '[' | '<' => inside = true,
                ']' | '>' => inside = false,
                c if !inside => plain.push(c),
                _ => {}
            }
        }
        plain
    };
    let changed: Vec<_> = CHANGES.iter().map(|(path, _)| strip(path)).collect();
    let reference = reference();
    for row in reference.as_array().expect("a list") {
        if is_elsewhere(row) {
            continue;
        }
        let path = strip(row["path"].as_str().expect("a path"));
        let apart =
            ["name", "seed", "format", "bottleneck", "flows"].contains(&path.as_str()) || path.ends_with(".kind");
        assert!(apart || changed.contains(&path), "{path} is in no change");
    }
}

#[test]
fn spelling_does_not_move_the_hash() {
    let toml = r#"
# The same as BASE in other words.
[[flows]]
app.ladder = ["0.2Mbps", "400 kbit/s", "700000bps"]
app.segment = "2000ms"
app.kind = "dash"
name = "video"
stack = "rfc"
[[flows]]
app = { size = "1000kB", kind = "transfer", gap = "0ms" }
name = "file"
stack = 'rfc'
[[flows]]
stack = "rfc"
app.kind = "bulk"
[bottleneck]
delay = "0.2s"
rate = "1000kbps"
"#;
    let other =
        Scenario::from_toml(&format!("duration = '1min'\n{toml}"), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(other, with(&[]));
    assert_eq!(other.hash(), with(&[]).hash());
}

/// Checks that the schema uses only known keys of JSON Schema 2020-12, each with a valid value.
fn check_schema(schema: &Json, at: &str) {
    let object = schema.as_object().unwrap_or_else(|| panic!("{at} is a schema"));
    for (key, value) in object {
        let at = format!("{at}/{key}");
        match key.as_str() {
            "$schema" | "$id" | "title" | "description" | "pattern" => assert!(value.is_string(), "{at}"),
            "type" => {
                let types = ["object", "array", "string", "integer", "number", "boolean"];
                assert!(value.as_str().is_some_and(|name| types.contains(&name)), "{at}");
            }
            "minimum" | "maximum" | "minItems" => assert!(value.is_number(), "{at}"),
            "uniqueItems" => assert!(value.is_boolean(), "{at}"),
            "additionalProperties" => assert_eq!(value, &Json::from(false), "{at}"),
            "const" | "default" => {}
            "enum" => assert!(value.as_array().is_some_and(|values| !values.is_empty()), "{at}"),
            "required" => {
                for name in value.as_array().expect("a list") {
                    assert!(object["properties"].get(name.as_str().expect("a name")).is_some(), "{at} {name}");
                }
            }
            "oneOf" => {
                let options = value.as_array().expect("a list");
                options.iter().enumerate().for_each(|(index, option)| check_schema(option, &format!("{at}/{index}")));
            }
            "items" => check_schema(value, &at),
            "properties" => {
                for (name, property) in value.as_object().expect("an object") {
                    check_schema(property, &format!("{at}/{name}"));
                    assert!(property["description"].as_str().is_some_and(|doc| !doc.is_empty()), "{at}/{name}");
                }
            }
            _ => panic!("{at} is no key of a schema"),
        }
    }
}

#[test]
fn the_schema_is_well_formed_and_has_every_field() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    check_schema(&schema, "");
    let rate = &schema["properties"]["bottleneck"]["properties"]["rate"];
    assert_eq!(rate["oneOf"][0]["type"], "string");
    assert!(rate["description"].as_str().is_some_and(|doc| doc.contains("Mbps")));
    assert!(rate["description"].as_str().is_some_and(|doc| doc.contains("Absent: that of preset")));
    assert_eq!(schema["properties"]["bottleneck"].get("required"), None);
    assert_eq!(schema["properties"]["packet_size"]["default"], "1500B");
    let cc = &schema["properties"]["flows"]["items"]["properties"]["cc"]["oneOf"];
    let names: Vec<_> = cc.as_array().expect("a list").iter().filter_map(|option| option["const"].as_str()).collect();
    let families = FAMILIES.iter().map(|family| family.name);
    let expected: Vec<_> = families.chain(CATALOGUE.iter().map(|entry| entry.name)).collect();
    assert_eq!(names, expected);
    let table = cc.as_array().unwrap().iter().find(|option| option["properties"]["kind"]["const"] == "vegas").unwrap();
    assert_eq!(table["properties"]["alpha"]["type"], "number");
    let table = cc.as_array().unwrap().iter().find(|option| option["properties"]["kind"]["const"] == "remycc").unwrap();
    assert_eq!(table["required"], json!(["kind", "table"]));
}

#[test]
fn every_default_of_the_reference_is_what_an_absent_key_means() {
    let canonical = with(&[
        ("flows[2].pacing", "fq"),
        ("flows[2].access", "{}"),
        ("flows[2].stack", "linux"),
        ("flows[2].reading", "{ rate = '500kbps' }"),
        ("flows[2].source_reading", "{ rate = '500kbps' }"),
        ("flows[2].tunnel", "{ from = 'left', to = 'right' }"),
    ])
    .to_json();
    let mut defaults = 0;
    for row in reference().as_array().expect("a list") {
        let path = row["path"].as_str().expect("a path");
        assert!(row["doc"].as_str().is_some_and(|doc| doc.ends_with('.')), "{path}");
        let Some(default) = row.get("default").filter(|_| !is_elsewhere(row)) else { continue };
        if !default.is_string() && !default.is_number() && !default.is_boolean() {
            continue;
        }
        let pointer = path.replace("[]", "/2").replace(['.', '<'], "/").replace('>', "");
        let pointer = ["fq", "drop-tail", "random"]
            .iter()
            .fold(format!("/{pointer}"), |path, kind| path.replace(&format!("/{kind}"), ""));
        // A constant is written as its value, without the key `kind`.
        if let Some(of) = pointer.strip_suffix("/kind")
            && !canonical.pointer(of).is_some_and(Json::is_object)
        {
            continue;
        }
        let Some(value) = canonical.pointer(&pointer) else {
            assert!(path.contains("reverse_queue") || path.contains(".size"), "{path} is not at {pointer}");
            continue;
        };
        // A plain text stands for a table in which one field has that text as its value.
        let plain = ["limit", "probability"].iter().any(|field| value[*field] == *default);
        assert!(plain || value == default, "{path}: {value} {default}");
        defaults += 1;
    }
    assert!(defaults > 25, "{defaults}");
}

#[test]
fn applications_have_their_defaults_and_every_field_in_the_canonical_form() {
    for variant in App::variants() {
        let canonical = |given: Vec<(String, Node)>| {
            let (node, at) = (Node::unplaced(Value::Table(given)), KeyPath::default());
            let mut problems = Problems::alone(&node);
            let mut reader = Reader { node: &node, at: &at, problems: &mut problems, foreign: None, besides: &[] };
            App::read(variant.kind, &mut reader).expect("one of the kinds").write().1
        };
        let absent = canonical(Vec::new());
        for field in variant.fields.iter().filter(|field| field.default.is_some()) {
            assert_eq!(absent.get(field.key), field.default.as_ref(), "{}.{}", variant.kind, field.key);
        }
        // No field accepts an empty list; each field that is given still has a value.
        let wrong = |field: &FieldInfo| (field.key.to_owned(), Node::unplaced(Value::List(Vec::new())));
        let given = canonical(variant.fields.iter().map(wrong).collect());
        let keys: Vec<_> = variant.fields.iter().map(|field| field.key).collect();
        assert_eq!(given.keys().collect::<Vec<_>>(), keys, "{}", variant.kind);
    }
}

#[test]
fn the_catalogue_has_what_scenarios_alone_define() {
    let names: Vec<_> = catalogue().into_iter().map(|(family, entries)| (family, entries.len())).collect();
    assert_eq!(
        names,
        [
            ("app", <App as Union>::KINDS.len()),
            ("arrival", 3),
            ("distribution", 7),
            ("queue", queue::CATALOGUE.len()),
            ("rate", 5),
            ("jitter", 4),
            ("policer", 3),
            ("delay_table", 4),
            ("netem_loss", 3),
            ("slot", 2),
            ("loss", 8),
            ("pacing", 3)
        ]
    );
    assert!(catalogue().iter().flat_map(|(_, entries)| entries).all(|(_, doc)| !doc.is_empty()));
}
