//! Floating-point numbers are read exactly as they were written, to the last bit, in TOML and in JSON.

use super::*;
use ackclock_core::Stream;

/// Numbers of many kinds: random bits, between zero and one, few digits, whole numbers, and the limits of the format.
fn doubles(count: usize) -> Vec<f64> {
    let mut random = Stream::new(1, "doubles");
    let mut word = || u64::from(random.bits32()) << 32 | u64::from(random.bits32());
    let borders = [0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1.0, 0.1, 1.0 + f64::EPSILON, 9_007_199_254_740_993.0];
    let mut numbers = borders.to_vec();
    while numbers.len() < count {
        let drawn = match numbers.len() % 4 {
            0 => f64::from_bits(word()).abs(),
            1 => (word() >> 11) as f64 / (1_u64 << 53) as f64,
            2 => (word() % 1_000_000) as f64 / 1e4,
            _ => (word() >> (word() % 64)) as f64,
        };
        if drawn.is_finite() {
            numbers.push(drawn);
        }
    }
    numbers
}

fn read_back(node: &Node) -> Vec<f64> {
    let Value::List(items) = &node.value else { panic!("{node:?}") };
    let number = |item: &Node| match &item.value {
        Value::Number(text) => text.parse::<f64>().unwrap_or_else(|error| panic!("{text}: {error}")),
        other => panic!("{other:?}"),
    };
    items.iter().map(number).collect()
}

#[test]
fn a_hundred_thousand_doubles_are_read_as_they_were_written_in_toml_and_json() {
    let numbers = doubles(100_000);
    let written: Vec<_> = numbers.iter().map(|number| format!("{number:?}")).collect();
    let list = format!("[{}]", written.join(","));
    let json = Node::from_json(&list).unwrap_or_else(|problems| panic!("{problems:?}"));
    let toml = Node::from_toml(&format!("numbers = {list}")).unwrap_or_else(|problems| panic!("{problems:?}"));
    for read in [read_back(&json), read_back(toml.get("numbers").expect("a key"))] {
        let wrong = read.iter().zip(&numbers).filter(|(read, number)| read.to_bits() != number.to_bits()).count();
        assert_eq!((read.len(), wrong), (numbers.len(), 0));
    }
}

/// A number with more digits than a double holds is read as the nearest double.
#[test]
fn long_numbers_are_rounded_to_the_nearest() {
    for text in [
        "0.1000000000000000055511151231257827021181583404541015625",
        "2.2250738585072011e-308",
        "0.500000000000000166533453693773481063544750213623046875",
        "123456789012345678901234567890.5",
        "17.000000000000001776356839400250464677810668945312500000001",
    ] {
        let number: f64 = text.parse().expect("a number");
        let json = Node::from_json(&format!("[{text}]")).expect("JSON");
        let toml = Node::from_toml(&format!("numbers = [{text}]")).expect("TOML");
        assert_eq!(read_back(&json), [number], "{text}");
        assert_eq!(read_back(toml.get("numbers").expect("a key")), [number], "{text}");
    }
}

#[test]
fn toml_and_json_spellings_of_a_scenario_have_the_same_hash() {
    let numbers = doubles(8_000).into_iter().filter(|number| (1e-6..=1e6).contains(number)).take(4_000);
    for number in numbers {
        let toml = format!(
            "duration = '9s'\n[bottleneck]\nrate = '1Mbps'\ndelay = '1ms'\nqueue = '9 packets'\n[[flows]]\napp = 'bulk'\narrival = {{ kind = 'poisson', rate = {number:?} }}\n"
        );
        let json = format!(
            "{{\"duration\": \"9s\", \"bottleneck\": {{\"rate\": \"1Mbps\", \"delay\": \"1ms\", \"queue\": \"9 packets\"}}, \"flows\": [{{\"app\": \"bulk\", \
             \"arrival\": {{\"kind\": \"poisson\", \"rate\": {number:?}}}}}]}}"
        );
        let [toml, json] = [Scenario::from_toml(&toml, &[]), Scenario::from_json(&json, &[])].map(Result::unwrap);
        assert_eq!((toml.hash(), &toml), (json.hash(), &json), "{number:?}");
        assert_eq!(Scenario::from_json(&toml.to_json().to_string(), &[]), Ok(toml), "{number:?}");
    }
}
