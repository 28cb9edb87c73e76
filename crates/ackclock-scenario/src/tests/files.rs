//! Files that a scenario names: RemyCC's rule tables, and connection vectors.

use ackclock_tcp::cc::remycc::{Action, Node, Range, Table};

use super::*;

/// A table with one rule: each ACK raises the window by `increment` segments.
fn table(increment: i32) -> Vec<u8> {
    let range = Range { lower: [0.0; 4], upper: [16_384.0; 4] };
    let leaf = Node::Leaf(range, Action { increment, multiple: 1.0, intersend: 1.0 });
    Table::new(leaf, 3).expect("a table").encode()
}

/// Two tables, one of them under two paths, and a file that is not a table.
fn files(path: &str) -> Result<Vec<u8>, String> {
    match path {
        "one.dna" | "copies/one.dna" => Ok(table(1)),
        "two.dna" => Ok(table(2)),
        "text.dna" => Ok(b"no table".to_vec()),
        "one.cvec" | "copies/one.cvec" => Ok(b"SEQ 0 1\n> 300\n< 1000\n".to_vec()),
        "two.cvec" => Ok(b"SEQ 0 1\n> 300\n< 2000\n".to_vec()),
        "wrong.cvec" => Ok(b"SEQ 0 1\n> 300\n< many\n".to_vec()),
        _ => Err("no such file".to_owned()),
    }
}

fn read(cc: &str) -> Result<Scenario, ScenarioError> {
    Scenario::from_toml_with(
        BASE,
        &[("flows[2].cc".to_owned(), cc.to_owned())],
        Outside { files: &files, ..Outside::NOTHING },
    )
}

#[test]
fn a_table_is_read_from_the_file_that_is_named() {
    let scenario = read("{ kind = 'remycc', table = 'one.dna' }").expect("a scenario");
    let rules = scenario.flows[2].cc.as_ref().and_then(|cc| cc.rules.as_ref()).expect("rules");
    assert_eq!(*rules.content, Table::decode(&table(1)).expect("a table"));
    let config = scenario.flows[2].tcp_config(scenario.packet_size);
    assert_eq!(&**config.cc.name(), "remycc");
    let mut window = ackclock_tcp::context::Window { cwnd: 5000, ssthresh: u64::MAX, pacing_rate: None };
    let mut two = read("{ kind = 'remycc', table = 'two.dna' }").expect("a scenario").flows.remove(2);
    two.mss = Some(1000);
    let ctx = ackclock_tcp::context::Context {
        now: 0,
        mss: 1000,
        initial_window: 3000,
        snd_una: 0,
        snd_nxt: 0,
        flight_size: 0,
        pipe: 0,
        unsent: 0,
        receive_window: 100_000,
        srtt: None,
        min_rtt: None,
        rto: 1,
        release: 0,
        in_recovery: false,
    };
    two.tcp_config(1500).cc.make().on_start(&mut window, &ctx);
    assert_eq!(window.cwnd, 2000, "the rule of the other table");
}

#[test]
fn the_canonical_form_has_the_digest_and_holds_its_reader_to_it() {
    let scenario = read("{ kind = 'remycc', table = 'one.dna' }").expect("a scenario");
    let mut canonical = scenario.to_json();
    let digest = canonical.pointer("/flows/2/cc/sha256").and_then(Json::as_str).expect("a digest").to_owned();
    assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    assert_eq!(
        Scenario::from_json_with(&canonical.to_string(), &[], Outside { files: &files, ..Outside::NOTHING }).as_ref(),
        Ok(&scenario)
    );

    *canonical.pointer_mut("/flows/2/cc/table").expect("a path") = "two.dna".into();
    let error = Scenario::from_json_with(&canonical.to_string(), &[], Outside { files: &files, ..Outside::NOTHING })
        .expect_err("another table");
    let message = error.to_string();
    assert!(message.starts_with(&format!("flows[2].cc.sha256: \"{}", &digest[..40])), "{message}");
    assert!(message.contains("is not that of \"two.dna\"; accepted: \""), "{message}");
}

#[test]
fn the_hash_is_that_of_the_content_wherever_it_lies() {
    let hash = |cc: &str| read(cc).expect("a scenario").hash();
    let one = hash("{ kind = 'remycc', table = 'one.dna' }");
    assert_eq!(hash("{ kind = 'remycc', table = 'copies/one.dna' }"), one);
    assert_ne!(hash("{ kind = 'remycc', table = 'two.dna' }"), one);
}

#[test]
fn a_table_that_cannot_be_used_is_one_clear_message() {
    let accepted =
        "accepted: the path, from the scenario's folder, of a RemyCC table such as \"RemyCC-2013-delta1.dna\"";
    let content = "accepted: a table as Remy writes it, in protocol buffers";
    let example = "accepted: a table such as { kind = \"remycc\", table = \"RemyCC-2013-delta1.dna\" }";
    for (cc, message) in [
        ("'remycc'", format!("flows[2].cc: \"remycc\" has no table; {example}")),
        ("{ kind = 'remycc' }", format!("flows[2].cc.table: missing; {accepted}")),
        ("{ kind = 'remycc', table = 3 }", format!("flows[2].cc.table: 3 is not a path; {accepted}")),
        (
            "{ kind = 'remycc', table = 'none.dna' }",
            format!("flows[2].cc.table: \"none.dna\" cannot be read: no such file; {accepted}"),
        ),
        (
            "{ kind = 'remycc', table = 'text.dna' }",
            format!(
                "flows[2].cc.table: \"text.dna\" is not a RemyCC table: byte 1: wire type 6 of field 13; accepted are 0, 1, 2 and 5; {content}"
            ),
        ),
        (
            "{ kind = 'remycc', table = 'one.dna', tabel = 'x' }",
            "flows[2].cc.tabel: unknown key of remycc; accepted: kind, table, sha256; did you mean \"table\"?"
                .to_owned(),
        ),
    ] {
        let error = read(cc).expect_err(cc);
        assert_eq!(error.to_string(), message);
    }
    let error = Scenario::from_toml(BASE, &[("flows[2].cc".into(), "{ kind = 'remycc', table = 'one.dna' }".into())]);
    assert!(error.expect_err("no files").to_string().contains("\"one.dna\" cannot be read: there are no files here"));
}

fn vectors(keys: &str) -> Result<Scenario, ScenarioError> {
    let app = format!("{{ kind = 'tmix', {keys} }}");
    Scenario::from_toml_with(BASE, &[("flows[2].app".to_owned(), app)], Outside { files: &files, ..Outside::NOTHING })
}

#[test]
fn connection_vectors_are_what_is_in_the_file_wherever_it_lies() {
    let scenario = |keys: &str| vectors(keys).expect("a scenario");
    let one = scenario("vectors = { file = 'one.cvec' }");
    let App::Tmix(app) = &one.flows[2].app else { panic!("another application") };
    assert_eq!((app.initiator, app.records), (ackclock_app::Side::Sink, false));
    assert_eq!(app.vectors.content.connections().len(), 1);
    assert_eq!(one.hash(), scenario("vectors = { file = 'copies/one.cvec' }").hash());
    let again =
        Scenario::from_json_with(&one.to_json().to_string(), &[], Outside { files: &files, ..Outside::NOTHING });
    assert_eq!(again.expect("the canonical form"), one);
    for other in [
        "vectors = { file = 'two.cvec' }",
        "vectors = { file = 'one.cvec' }, initiator = 'source'",
        "vectors = { file = 'one.cvec' }, records = true",
    ] {
        assert_ne!(scenario(other).hash(), one.hash(), "{other}");
    }
}

#[test]
fn what_are_no_connection_vectors_is_said_with_the_line() {
    let message = |keys: &str| vectors(keys).expect_err("it is wrong").to_string();
    let accepted =
        "accepted: the path, from the scenario's folder, of a file of tmix connection vectors such as \"web.cvec\"";
    assert!(message("vectors = {}").contains(&format!("app.vectors.file: missing; {accepted}")));
    let wrong = message("vectors = { file = 'wrong.cvec' }");
    assert!(wrong.contains("line 3: \"many\" is not a size in bytes"), "{wrong}");
    assert!(wrong.contains("accepted: connections in either of tmix's formats"), "{wrong}");
    let absent = message("vectors = { file = 'none.cvec' }");
    assert!(absent.contains("\"none.cvec\" cannot be read: no such file"), "{absent}");
    assert!(message("vectors = { file = 'one.cvec', path = 'x' }").contains("vectors.path: unknown key"));
}

/// Measured rates: a trace as Pensieve has them, a set with a header, and a file of neither form.
fn measured(path: &str) -> Result<Vec<u8>, String> {
    match path {
        "bus.log" => Ok(b"0 9\n2 1.5\n4 0.5\n".to_vec()),
        "set.csv" => Ok(b"time,DL_bitrate,UL_bitrate,NetworkMode\n5,1500,100,5G\n7,500,100,5G\n".to_vec()),
        "speeds.csv" => Ok(b"when,speed\n0,1500\n2,500\n".to_vec()),
        "wrong.log" => Ok(b"0 9\n2 fast\n".to_vec()),
        _ => Err("no such file".to_owned()),
    }
}

fn with_rate(rate: &str) -> Result<Scenario, ScenarioError> {
    let overrides = [("bottleneck.rate".to_owned(), rate.to_owned())];
    Scenario::from_toml_with(BASE, &overrides, Outside { files: &measured, ..Outside::NOTHING })
}

#[test]
fn a_measured_rate_has_its_form_found_out_or_named() {
    for rate in [
        "{ kind = 'series', file = 'bus.log' }",
        "{ kind = 'series', file = 'bus.log', form = 'pensieve' }",
        "{ kind = 'series', file = 'set.csv' }",
        "{ kind = 'series', file = 'speeds.csv', time = 'when', rate = '2', unit = 'kbit/s' }",
    ] {
        let scenario = with_rate(rate).unwrap_or_else(|error| panic!("{rate}: {error}"));
        // Two seconds of 1.5 Mbit/s and two of 0.5 Mbit/s.
        assert_eq!(scenario.rate().bits(), 1_000_000, "{rate}");
        let canonical = scenario.to_json().to_string();
        let outside = Outside { files: &measured, ..Outside::NOTHING };
        assert_eq!(Scenario::from_json_with(&canonical, &[], outside).as_ref(), Ok(&scenario));
    }
    let up = with_rate("{ kind = 'series', file = 'set.csv', rate = 'UL bitrate' }").expect("the other direction");
    assert_eq!(up.rate().bits(), 100_000);
}

#[test]
fn mistakes_in_a_measured_rate_are_told_with_line_and_column() {
    for (rate, path, told) in [
        (
            "file = 'wrong.log'",
            "file",
            "\"wrong.log\" is not a file of times and rates: line 2, column 3: \"fast\" is not a rate",
        ),
        (
            "file = 'speeds.csv'",
            "file",
            "line 1: the column of the times is not found out; accepted: in the field time one of when, speed",
        ),
        ("file = 'none.log'", "file", "\"none.log\" cannot be read: no such file"),
        ("file = 'bus.log', form = 'mahimahi'", "form", "\"mahimahi\" is not a known form; accepted: auto, pensieve"),
        ("file = 'bus.log', unit = 'Mbps'", "unit", "is not a known unit; accepted: bit/s, kbit/s, Mbit/s"),
        ("file = 'bus.log', units = 'Mbit/s'", "units", "unknown key; accepted: file, sha256, form, time, rate, unit"),
        ("form = 'auto'", "file", "missing; accepted: the path"),
    ] {
        let error = with_rate(&format!("{{ kind = 'series', {rate} }}")).expect_err(rate);
        let problem = &error.problems[0];
        assert_eq!(problem.path, format!("bottleneck.rate.{path}"), "{rate}: {error}");
        assert!(problem.message.contains(told), "{rate}: {}", problem.message);
    }
}
