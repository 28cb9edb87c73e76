//! Canonical form, hash, JSON Schema and reference.

use ackclock_net::queue::{self, Otherwise, Quantity};

use super::*;
use crate::scenario::fields::Reader;

/// Acceptable changes of every field of [`BASE`] but `name` and `seed`, one at a time.
pub(super) const CHANGES: &[(&str, &str)] = &[
    ("duration", "61s"),
    ("packet_size", "1400B"),
    ("bottleneck.rate", "2Mbps"),
    ("bottleneck.delay", "100ms"),
    ("bottleneck.queue", "50 packets"),
    ("bottleneck.queue.limit", "64KiB"),
    ("bottleneck.reverse_rate", "500kbps"),
    ("bottleneck.reverse_queue", "2bdp"),
    ("bottleneck.reverse_queue.limit", "unlimited"),
    ("bottleneck.bdp_rtt", "1s"),
    ("bottleneck.loss", "1%"),
    ("bottleneck.loss.probability", "2%"),
    ("bottleneck.loss.every", "100"),
    ("bottleneck.loss.first", "50"),
    ("bottleneck.reverse_loss", "0.5%"),
    ("bottleneck.reverse_loss.probability", "3%"),
    ("bottleneck.reverse_loss.every", "200"),
    ("bottleneck.reverse_loss.first", "60"),
    ("access", "{ rate = '7x' }"),
    ("access.rate", "100Mbps"),
    ("access.source_delay", "1ms"),
    ("access.sink_delay", "2ms"),
    ("flows[2].name", "third"),
    ("flows[2].count", "2"),
    ("flows[2].app", "{ kind = 'transfer', size = '2MB' }"),
    ("flows[2].start", "1s"),
    ("flows[2].start_jitter", "2s"),
    ("flows[2].class", "3"),
    ("flows[2].route", "['right', 'left']"),
    ("flows[2].return_route", "['right', 'far', 'left']"),
    ("links", "[{ ends = ['right', 'beyond'], rate = '5Mbps', delay = '30ms' }]"),
    ("links[0].name", "other"),
    ("links[0].ends", "['left', 'other']"),
    ("flows[2].group_jitter", "2s"),
    ("flows[2].access", "{}"),
    ("flows[2].access.rate", "3x"),
    ("flows[2].access.source_delay", "3ms"),
    ("flows[2].access.sink_delay", "4ms"),
    ("flows[2].stack", "linux"),
    ("flows[2].cc", "cubic"),
    ("flows[2].validation", "newcwv"),
    ("flows[2].slow_start", "standard"),
    ("flows[2].careful_resume", "{ cwnd = '1MB', rtt = '500ms' }"),
    ("flows[2].careful_resume.cwnd", "2MB"),
    ("flows[2].careful_resume.rtt", "600ms"),
    ("flows[2].careful_resume.max_jump", "100kB"),
    ("flows[2].pacing", "fq"),
    ("flows[2].pacing.slow_start_percent", "150"),
    ("flows[2].pacing.avoidance_percent", "150"),
    ("flows[2].pacing.quantum", "5 packets"),
    ("flows[2].initial_window", "4"),
    ("flows[2].initial_rto", "3s"),
    ("flows[2].min_rto", "200ms"),
    ("flows[2].max_rto", "2min"),
    ("flows[2].sack", "false"),
    ("flows[2].receive_buffer", "64KiB"),
    ("flows[2].delayed_ack", "40ms"),
    ("flows[2].ack_every", "1"),
    ("flows[2].quick_acks", "16"),
    ("flows[2].rto_rule", "linux"),
    ("flows[2].timestamps", "true"),
    ("flows[2].dsack", "true"),
    ("flows[2].recovery", "prr"),
    ("flows[2].dup_thresh", "4"),
    ("flows[2].adapt_dup_thresh", "true"),
    ("flows[2].limited_transmit", "false"),
    ("flows[2].early_retransmit", "true"),
    ("flows[2].rack", "true"),
    ("flows[2].tlp", "true"),
    ("flows[2].frto", "true"),
    ("flows[2].dsack_undo", "true"),
    ("flows[2].eifel", "true"),
    ("flows[2].ecn", "classic"),
    ("flows[2].abe", "true"),
    ("flows[2].nagle", "true"),
    ("flows[2].receive_buffer_max", "1MB"),
    ("flows[2].restart_after_idle", "off"),
    ("flows[2].mss", "1000B"),
    ("flows[1].app.size", "3MB"),
    ("flows[1].app.count", "3"),
    ("flows[1].app.gap", "1s"),
    ("flows[2].app.interval", "2s"),
    ("flows[2].app.count", "5"),
    ("flows[2].app.on", "3s"),
    ("flows[2].app.on.value", "4s"),
    ("flows[2].app.on.mean", "5s"),
    ("flows[2].app.off", "3s"),
    ("flows[2].app.off.value", "4s"),
    ("flows[2].app.off.mean", "5s"),
    ("flows[2].app.size", "3kB"),
    ("flows[2].app.size.value", "4kB"),
    ("flows[2].app.size.mean", "5kB"),
    ("flows[0].app.ladder", "['300kbps']"),
    ("flows[0].app.segment", "3s"),
    ("flows[0].app.segments", "20"),
    ("flows[0].app.abr", "bola"),
    ("flows[0].app.buffer", "30s"),
    ("flows[0].app.startup", "4s"),
    ("flows[0].app.resume", "5s"),
    ("flows[0].app.think", "10ms"),
    ("flows[0].app.think_jitter", "20ms"),
    ("flows[0].app.request_size", "400B"),
    ("flows[0].app.header_size", "0B"),
    ("flows[0].app.size_cv", "0.25"),
    ("flows[0].app.safety", "0.9"),
    ("flows[0].app.estimator", "ewma"),
    ("flows[0].app.live", "{ latency = '6s' }"),
    ("flows[0].app.live.latency", "7s"),
    ("flows[2].arrival", "together"),
    ("flows[2].arrival.rate", "0.5"),
    ("flows[2].arrival.interval", "2s"),
    ("flows[2].app.items", "[{ at = '2s', size = '1kB' }]"),
    ("flows[2].app.items[0].at", "3s"),
    ("flows[2].app.items[0].size", "3kB"),
    ("flows[2].app.persistent", "true"),
    ("flows[2].app.sessions_per_second", "20"),
    ("flows[2].app.users", "20"),
    ("flows[2].app.pages", "3"),
    ("flows[2].app.think", "3s"),
    ("flows[2].app.objects", "4"),
    ("flows[2].app.object_size", "3kB"),
    ("flows[2].app.main_size", "3kB"),
    ("flows[2].app.request_size", "400B"),
    ("flows[2].app.server_think", "3s"),
    ("flows[2].app.parallel", "2"),
    ("flows[2].app.connections", "per-object"),
    ("flows[2].app.records", "true"),
    ("flows[2].app.rate", "2Mbps"),
    ("flows[2].app.packet_size", "200B"),
    ("flows[2].app.codec", "g729"),
    ("flows[2].app.playout", "80ms"),
    ("flows[2].app.advantage", "20"),
    ("flows[2].app.servers", "5"),
    ("flows[2].app.rounds", "5"),
    ("flows[2].app.response_size", "3kB"),
    ("probes", "{ packets = true }"),
    ("probes.window", "true"),
    ("probes.packets", "true"),
    ("probes.timeouts", "true"),
    ("probes.delays", "true"),
    ("probes.queues", "true"),
    ("probes.rates", "true"),
    ("probes.interval", "0s"),
    ("probes.from", "1s"),
    ("probes.to", "50s"),
];

/// A change with what it needs to be acceptable: a table to put the key into.
pub(super) fn change(index: usize) -> Vec<(String, String)> {
    let (path, value) = CHANGES[index];
    let mut pairs = Vec::new();
    for table in ["flows[2].pacing", "bottleneck.queue", "bottleneck.reverse_queue"] {
        if path.starts_with(&format!("{table}.")) {
            let kind = if table.ends_with("pacing") { "fq" } else { "drop-tail" };
            pairs.push((table, format!("{{ kind = '{kind}' }}")));
        }
    }
    for table in ["bottleneck.loss", "bottleneck.reverse_loss"] {
        if path.starts_with(&format!("{table}.")) && !path.ends_with("probability") {
            pairs.push((table, "{ kind = 'periodic', every = 10 }".to_owned()));
        }
    }
    if let Some(field) = path.strip_prefix("flows[2].app.") {
        let drawn = |text: &str| match field.ends_with(".mean") {
            true => format!("{{ kind = 'exponential', mean = '{text}' }}"),
            false => format!("{{ kind = 'constant', value = '{text}' }}"),
        };
        let app = match field.split_once('.').map_or(field, |(field, _)| field) {
            "on" | "off" => format!("{{ kind = 'onoff', on = {}, off = {} }}", drawn("2s"), drawn("1s")),
            "size" => format!("{{ kind = 'onoff', size = {}, off = '1s' }}", drawn("2kB")),
            "items[0]" | "items" | "persistent" => {
                "{ kind = 'list', items = [{ at = '1s', size = '1kB' }] }".to_owned()
            }
            "servers" | "rounds" | "response_size" => "{ kind = 'rpc', response_size = '1kB' }".to_owned(),
            "rate" | "packet_size" => "{ kind = 'cbr', rate = '1Mbps' }".to_owned(),
            "codec" | "playout" | "advantage" => "{ kind = 'voip' }".to_owned(),
            "users" => "{ kind = 'web', object_size = '1kB' }".to_owned(),
            field if !["interval", "count"].contains(&field) => {
                "{ kind = 'web', sessions_per_second = 10, object_size = '1kB' }".to_owned()
            }
            _ => "{ kind = 'bursts', size = '64kB', interval = '1s' }".to_owned(),
        };
        pairs.push(("flows[2].app", app));
    }
    if path.starts_with("links[0].") {
        pairs.push(("links", "[{ ends = ['right', 'beyond'], rate = '5Mbps', delay = '30ms' }]".to_owned()));
    }
    if path.ends_with(".return_route") {
        let links = "[{ ends = ['right', 'far'], preset = 'lte' }, { ends = ['far', 'left'], preset = 'lte' }]";
        pairs.push(("links", links.to_owned()));
    }
    if path == "flows[0].app.live.latency" {
        pairs.push(("flows[0].app.live", "{ latency = '6s' }".to_owned()));
    }
    match path {
        "flows[2].arrival.rate" => pairs.push(("flows[2].arrival", "{ kind = 'poisson', rate = 1 }".to_owned())),
        "flows[2].arrival.interval" => {
            pairs.push(("flows[2].arrival", "{ kind = 'staggered', interval = '1s' }".to_owned()));
        }
        _ => {}
    }
    if path.starts_with("flows[2].careful_resume.") {
        pairs.push(("flows[2].careful_resume", "{ cwnd = '1MB', rtt = '500ms' }".to_owned()));
    }
    pairs.push((path, value.to_owned()));
    pairs.into_iter().map(|(path, value)| (path.to_owned(), value)).collect()
}

/// Whether a row of the reference is of a kind of queue other than drop-tail, of a distribution, of an application, or of what the
/// tests of links see to: these have tests of their own.
fn is_elsewhere(row: &Json) -> bool {
    let path = row["path"].as_str().expect("a path");
    let drawn = <Random<Time> as union::Union>::KINDS.iter().any(|kind| path.contains(&format!("<{kind}>.")));
    // A link has what the bottleneck has.
    let own = ["links[].name", "links[].ends"].contains(&path) || !path.starts_with("links[].");
    !own || drawn
        || path.contains("app<")
        || path.contains("queue<") && !path.contains("<drop-tail>")
        || super::links::is_of_a_link(path)
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
                // Alone it may contradict the other parameters; then that is said of the queue.
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

/// A value of a parameter of a queue as people write it.
fn spelled(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Number | Quantity::Probability | Quantity::Count(_) => value.to_string(),
        Quantity::Time => format!("'{value}ns'"),
        Quantity::Volume => format!("'{value}B'"),
        Quantity::Rate => format!("'{value}bps'"),
        Quantity::Flag => (value != 0.0).to_string(),
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
    // Some changes come to the same: a queue of its default kind, an FQ table of defaults.
    let moved = hashes[1..].iter().filter(|hash| **hash != base).count();
    assert_eq!(moved, CHANGES.len());
    assert_eq!(with(&[("name", "other"), ("seed", "9")]).hash(), base);

    // The list above knows every field of the reference.
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
        let apart = ["name", "seed", "bottleneck", "flows"].contains(&path.as_str()) || path.ends_with(".kind");
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
[[flows]]
app = { size = "1000kB", kind = "transfer", gap = "0ms" }
name = "file"
[[flows]]
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

/// The keys of JSON Schema 2020-12 that the schema may use, each with what its value has to be.
fn check_schema(schema: &Json, at: &str) {
    let object = schema.as_object().unwrap_or_else(|| panic!("{at} is a schema"));
    for (key, value) in object {
        let at = format!("{at}/{key}");
        match key.as_str() {
            "$schema" | "title" | "description" | "pattern" => assert!(value.is_string(), "{at}"),
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
    let catalogue: Vec<_> = ackclock_tcp::cc::CATALOGUE.iter().map(|entry| entry.name).collect();
    assert_eq!(names, catalogue);
    let table = cc.as_array().unwrap().iter().find(|option| option["properties"]["kind"]["const"] == "vegas").unwrap();
    assert_eq!(table["properties"]["alpha"]["type"], "number");
    let table = cc.as_array().unwrap().iter().find(|option| option["properties"]["kind"]["const"] == "remycc").unwrap();
    assert_eq!(table["required"], json!(["kind", "table"]));
}

#[test]
fn every_default_of_the_reference_is_what_an_absent_key_means() {
    let canonical = with(&[("flows[2].pacing", "fq"), ("flows[2].access", "{}")]).to_json();
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
        // A constant is written as its value, without a kind.
        if let Some(of) = pointer.strip_suffix("/kind")
            && !canonical.pointer(of).is_some_and(Json::is_object)
        {
            continue;
        }
        let Some(value) = canonical.pointer(&pointer) else {
            assert!(path.contains("reverse_queue") || path.contains(".size"), "{path} is not at {pointer}");
            continue;
        };
        // A plain text stands for a table that has it as the value of one field.
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
            let (node, at) = (Node::unplaced(Value::Table(given)), Path::default());
            let mut problems = Problems::alone(&node);
            let mut reader = Reader { node: &node, at: &at, problems: &mut problems, foreign: None, besides: &[] };
            App::read(variant.kind, &mut reader).expect("one of the kinds").write().1
        };
        let absent = canonical(Vec::new());
        for field in variant.fields.iter().filter(|field| field.default.is_some()) {
            assert_eq!(absent.get(field.key), field.default.as_ref(), "{}.{}", variant.kind, field.key);
        }
        // No field accepts this, and each that is given has a value all the same.
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
            ("rate", 3),
            ("jitter", 4),
            ("loss", 4),
            ("pacing", 2)
        ]
    );
    assert!(catalogue().iter().flat_map(|(_, entries)| entries).all(|(_, doc)| !doc.is_empty()));
}
