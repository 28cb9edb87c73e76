//! The design: a scenario with ranges in place of numbers, and the networks that are drawn from it.

use ackclock_core::Stream;
use ackclock_scenario::{Files, Flow, Outside, Problem, Scenario, ScenarioError};
use ackclock_schema::tree::{KeyPath, Node, Value};

use crate::ranges::Range;
use crate::tree;
use ackclock_tcp::cc::remycc::Action;

/// Path of the table that is being designed, in the scenarios of specimens. No file of a user has this name.
const DESIGNED: &str = "\0designed";

/// Events that a run may take for each packet that its links can carry. A table that needs more keeps queues that grow
/// without bound.
const EVENTS_PER_PACKET: f64 = 4.0;
const LEAST_EVENTS: f64 = 100_000.0;

/// A scenario whose numbers may be ranges. The flows that state no congestion control are those that the search designs
/// one for.
#[derive(Clone, Debug)]
pub struct Design {
    text: String,
    /// Path and range of each number that is drawn.
    ranges: Vec<(String, Range)>,
    /// Indices of the flows without a congestion control, which get the table that is designed.
    designed: Vec<usize>,
}

/// Values drawn for a specimen: pairs of a path and a value.
pub type Drawn = Vec<(String, String)>;

/// A network that was drawn, with the seed of its runs.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// The scenario.
    pub scenario: Scenario,
    /// Seed of the runs.
    pub seed: u64,
    /// The values that were drawn.
    pub drawn: Drawn,
    /// Paths of each copy of a flow, if its congestion control is designed.
    pub(crate) flows: Vec<Option<Paths>>,
    /// Events after which a run is given up.
    pub(crate) most_events: u64,
}

/// Propagation delays of a flow, in ns, with the mean of delays that are drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Paths {
    /// Delay of the reverse path.
    pub reverse: f64,
    /// Sum of the delays of both paths.
    pub rtt: f64,
}

/// Whether the congestion control of a flow is the one that is designed.
pub(crate) fn is_designed(flow: &Flow) -> bool {
    flow.cc.as_ref().and_then(|cc| cc.rules.as_ref()).is_some_and(|rules| rules.path == DESIGNED)
}

impl Design {
    /// Reads a design and draws nothing yet. `files` are the files that the design names.
    ///
    /// # Errors
    /// All ranges that are none; otherwise all mistakes of the scenario with the smallest, or with the largest values.
    pub fn read(text: &str, files: Files<'_>) -> Result<Design, ScenarioError> {
        let root = Node::from_toml(text).map_err(|problems| ScenarioError { problems })?;
        let (mut ranges, mut problems) = (Vec::new(), Vec::new());
        collect(&root, &KeyPath::default(), &mut ranges, &mut problems);
        if !problems.is_empty() {
            return Err(ScenarioError { problems });
        }
        let mut design = Design { text: text.to_owned(), ranges, designed: Vec::new() };
        if let Some(Value::List(flows)) = root.get("flows").map(|flows| &flows.value) {
            let without = flows.iter().enumerate().filter(|(_, flow)| flow.get("cc").is_none());
            design.designed = without.map(|(index, _)| index).collect();
        }
        for bound in 0..2 {
            let at = |(path, range): &(String, Range)| (path.clone(), range.bounds()[bound].clone());
            design.scenario(design.ranges.iter().map(at).collect(), files)?;
        }
        if design.designed.is_empty() {
            let message =
                "every flow states a congestion control; the search designs the one of the flows without cc, so \
                           remove cc from the flows that are to follow the table"
                    .to_owned();
            return Err(ScenarioError { problems: vec![Problem { path: "flows".to_owned(), line: None, message }] });
        }
        Ok(design)
    }

    /// The paths of the numbers that are drawn, and their smallest and largest values.
    pub fn ranges(&self) -> impl Iterator<Item = (&str, [String; 2])> {
        self.ranges.iter().map(|(path, range)| (path.as_str(), range.bounds()))
    }

    /// The indices of the flows whose congestion control is designed.
    pub fn designed(&self) -> impl Iterator<Item = usize> {
        self.designed.iter().copied()
    }

    fn scenario(&self, mut overrides: Drawn, files: Files<'_>) -> Result<Scenario, ScenarioError> {
        let cc = format!("{{ kind = \"remycc\", table = {} }}", serde_json::Value::from(DESIGNED));
        overrides.extend(self.designed().map(|index| (format!("flows[{index}].cc"), cc.clone())));
        overrides.push(("probes.delays".to_owned(), "true".to_owned()));
        // The table is replaced in every run; reading the scenario needs one.
        let table = tree::first(Action { increment: 1, multiple: 1.0, intersend: 0.01 }).encode();
        let all = |path: &str| if path == DESIGNED { Ok(table.clone()) } else { files(path) };
        Scenario::from_toml_with(&self.text, &overrides, Outside { files: &all, ..Outside::NOTHING })
    }

    /// Draws `count` specimens. Each range is divided into as many equal parts, and each part serves one specimen, so that
    /// few specimens represent the whole range (Latin hypercube sampling). `purpose` names the random streams.
    ///
    /// # Errors
    /// Mistakes of the scenario with the values that were drawn.
    pub fn draw(&self, count: u32, seed: u64, purpose: &str, files: Files<'_>) -> Result<Vec<Specimen>, ScenarioError> {
        let strata: Vec<Vec<u64>> = self
            .ranges
            .iter()
            .map(|(path, _)| shuffled(count, &mut Stream::new(seed, &format!("{purpose}/strata/{path}"))))
            .collect();
        let draw = |index: u32| {
            let mut drawn = Drawn::new();
            for ((path, range), strata) in self.ranges.iter().zip(&strata) {
                let mut random = Stream::new(seed, &format!("{purpose}/{index}/{path}"));
                drawn.push((path.clone(), range.draw(strata[index as usize], count.into(), &mut random)));
            }
            let scenario = self.scenario(drawn.clone(), files)?;
            let seed = Stream::new(seed, &format!("{purpose}/{index}/seed")).below(1 << 53);
            Ok(Specimen::new(scenario, seed, drawn))
        };
        (0..count).map(draw).collect()
    }
}

impl Specimen {
    fn new(scenario: Scenario, seed: u64, drawn: Drawn) -> Specimen {
        let mut flows = Vec::new();
        for flow in &scenario.flows {
            let own = scenario.access_of(flow);
            let access: f64 = [own.source_delay, own.sink_delay].iter().map(|delay| delay.distribution().mean()).sum();
            let [forward, reverse] = scenario.routes(flow).map(|hops| scenario.delay_of(&hops) as f64 + access);
            let paths = is_designed(flow).then_some(Paths { reverse, rtt: forward + reverse });
            flows.extend(std::iter::repeat_n(paths, flow.count as usize));
        }
        let most_events = (EVENTS_PER_PACKET * scenario.estimate().packets).max(LEAST_EVENTS) as u64;
        Specimen { scenario, seed, drawn, flows, most_events }
    }
}

/// The numbers below `count` in random order (Fisher and Yates).
fn shuffled(count: u32, random: &mut Stream) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..u64::from(count)).collect();
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, random.below(last as u64 + 1) as usize);
    }
    numbers
}

/// Collects the ranges in a tree, and the texts that look like ranges and are none. Names are no ranges.
fn collect(node: &Node, at: &KeyPath, ranges: &mut Vec<(String, Range)>, problems: &mut Vec<Problem>) {
    match &node.value {
        Value::Text(text) => match Range::read(text) {
            Some(Ok(range)) => ranges.push((at.to_string(), range)),
            Some(Err(message)) => problems.push(Problem { path: at.to_string(), line: node.line, message }),
            None => {}
        },
        Value::List(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect(item, &at.index(index), ranges, problems));
        }
        Value::Table(entries) => {
            let entries = entries.iter().filter(|(key, _)| key != "name");
            entries.for_each(|(key, item)| collect(item, &at.key(key), ranges, problems));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        duration = "5s"
        [bottleneck]
        rate = "10Mbps..20Mbps"
        delay = "50ms..100ms"
        queue = "unlimited"
        [[flows]]
        count = "1..4"
        app = { kind = "onoff", on = { kind = "exponential", mean = "5s" }, off = { kind = "exponential", mean = "5s" } }
        [[flows]]
        cc = "cubic"
        app = "bulk"
    "#;

    fn none(_: &str) -> Result<Vec<u8>, String> {
        Err("there are no files".to_owned())
    }

    #[test]
    fn specimens_cover_every_part_of_each_range_and_depend_on_the_seed_alone() {
        let design = Design::read(TEXT, &none).expect("a design");
        assert_eq!(
            design.ranges().map(|(path, _)| path).collect::<Vec<_>>(),
            ["bottleneck.rate", "bottleneck.delay", "flows[0].count"]
        );
        let draw = |seed, purpose| design.draw(4, seed, purpose, &none).expect("specimens");
        let specimens = draw(1, "a");
        let mut counts: Vec<_> = specimens.iter().map(|specimen| specimen.scenario.flows[0].count).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 2, 3, 4]);
        let values =
            |specimens: &[Specimen]| specimens.iter().map(|one| (one.drawn.clone(), one.seed)).collect::<Vec<_>>();
        assert_eq!(values(&specimens), values(&draw(1, "a")));
        assert_ne!(values(&specimens), values(&draw(2, "a")));
        assert_ne!(values(&specimens), values(&draw(1, "b")));
        for specimen in &specimens {
            let count = specimen.scenario.flows[0].count as usize;
            assert_eq!(specimen.flows.len(), count + 1);
            assert_eq!(specimen.flows[count], None, "CUBIC is not designed");
            let paths = specimen.flows[0].expect("designed");
            assert_eq!(paths.rtt, 2.0 * paths.reverse, "the delay is the same both ways");
        }
    }

    #[test]
    fn a_wrong_design_is_explained() {
        let why = |from: &str, to: &str| {
            let text = TEXT.replace(from, to);
            Design::read(&text, &none).expect_err("wrong").to_string()
        };
        let message = why("10Mbps..20Mbps", "20Mbps..10Mbps");
        assert!(message.starts_with("line 4: bottleneck.rate: \"20Mbps..10Mbps\" is not a range"), "{message}");
        assert!(why("50ms..100ms", "50m..100m").contains("bottleneck.delay"));
        assert!(why("1..4", "0..4").contains("flows[0].count"));
        assert!(why("count = \"1..4\"", "cc = \"reno\"").contains("remove cc"));
        assert!(why("queue = \"unlimited\"", "buffer = 3").contains("bottleneck.buffer"));
        assert!(why("duration", "duration =").contains("not TOML"));
    }
}
