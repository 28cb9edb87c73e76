//! The format that a text may state.

use super::*;

fn text(format: &str) -> String {
    format!("format = {format}\n{BASE}")
}

#[test]
fn a_text_of_this_format_is_the_scenario_without_it() {
    let plain = with(&[]);
    let marked = Scenario::from_toml(&text("1"), &[]).unwrap();
    assert_eq!(marked, plain);
    assert_eq!((marked.hash(), marked.to_json()), (plain.hash(), plain.to_json()));
    let mut json = plain.to_json();
    json["format"] = json!(1);
    assert_eq!(Scenario::from_json(&json.to_string(), &[]), Ok(plain));
}

#[test]
fn another_format_is_the_only_problem() {
    for (format, message) in [
        ("2", "2 is the format of a later version of ackclock; accepted: 1"),
        ("0", "0 is not a format; accepted: 1"),
        ("'one'", "\"one\" is not a format; accepted: 1"),
    ] {
        let text = text(format).replace("rate = \"1Mbps\"", "speed = \"1Mbps\"");
        let error = Scenario::from_toml(&text, &[]).unwrap_err();
        assert_eq!(error.to_string(), format!("line 1: format: {message}"));
    }
}

#[test]
fn schema_and_reference_have_it() {
    let schema = schema();
    assert_eq!(schema["$id"], "urn:ackclock:scenario:1");
    assert_eq!(schema["properties"]["format"]["const"], 1);
    let reference = reference();
    assert!(reference.as_array().unwrap().iter().any(|row| row["path"] == "format"));
}
