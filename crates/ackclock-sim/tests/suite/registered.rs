//! A registered congestion control is created anew for each copy of a flow.

use std::sync::{Arc, Mutex};

use ackclock_scenario::{Outside, Range, Registered, Scenario};
use ackclock_sim::Run;
use ackclock_tcp::cc::{self, Algorithm};

const SCENARIO: &str = r#"
duration = "1s"
[bottleneck]
rate = "1Mbps"
delay = "10ms"
[[flows]]
stack = 'rfc'
name = "f"
count = 2
app = "bulk"
cc = { kind = "mine", beta = 0.25 }
"#;

#[test]
fn it_is_made_with_its_parameters_for_each_copy_by_name() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let noted = calls.clone();
    let own = Registered {
        name: "mine",
        source: "1234".to_owned(),
        parameters: vec![Range { name: "beta", least: 0.1, most: 0.9 }],
        make: Box::new(move |parameters, flow| {
            noted.lock().unwrap().push((parameters.to_vec(), flow.to_owned()));
            Algorithm::custom("mine", || Algorithm::from(cc::by_name("reno").unwrap()).make())
        }),
    };
    let outside = Outside { registered: &[Arc::new(own)], ..Outside::NOTHING };
    let scenario = Scenario::from_toml_with(SCENARIO, &[], outside).unwrap();
    calls.lock().unwrap().clear();
    let mut run = Run::new(&scenario, None).unwrap();
    let made = calls.lock().unwrap();
    let flows: Vec<_> = made.iter().map(|(_, flow)| flow.as_str()).collect();
    assert_eq!(flows, ["f", "f.0", "f.1"]);
    assert!(made.iter().all(|(parameters, _)| *parameters == [("beta", 0.25)]));
    drop(made);
    while run.step(u64::MAX) {}
    let labels = format!("{:?}", run.finish().tables["flows"]);
    assert!(labels.contains("mine"), "{labels}");
}
