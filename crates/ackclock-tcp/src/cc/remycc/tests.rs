//! The format, look-ups and the memory.

use super::*;

const UPPER: f64 = 16_384.0;

fn range(lower: [f64; 3], upper: [f64; 3]) -> Range {
    let with_slow = |[a, b, c]: [f64; 3]| [a, b, c, 0.0];
    Range { lower: with_slow(lower), upper: with_slow(upper) }
}

fn action(increment: i32, multiple: f64, intersend: f64) -> Action {
    Action { increment, multiple, intersend }
}

/// A table by rtt_ratio: below 1.5 the window grows by two, and above it is halved. The memory is empty before the
/// second ACK.
fn table() -> Table {
    let low = Node::Leaf(range([0.0; 3], [UPPER, UPPER, 1.5]), action(2, 1.0, 0.0));
    let high = Node::Leaf(range([0.0, 0.0, 1.5], [UPPER; 3]), action(-1, 0.5, 4.0));
    Table::new(Node::Inner(range([0.0; 3], [UPPER; 3]), vec![low, high]), 3).expect("a table")
}

#[test]
fn encoded_tables_are_decoded_again() {
    let table = table();
    let bytes = table.encode();
    assert_eq!(Table::decode(&bytes).as_ref(), Ok(&table));
    // The project's encoding: a range has 30 bytes per memory, and increments of 2 and -1 are 4 and 1.
    assert_eq!(bytes[..4], [0x0a, 0x40, 0x5a, 0x1e]);
    let increments: Vec<u8> = bytes.windows(3).filter(|pair| pair[..2] == [0xf8, 0x01]).map(|pair| pair[2]).collect();
    assert_eq!(increments, [4, 1]);
    for increment in [i32::MIN, -10, 0, 10, i32::MAX] {
        let leaf = Node::Leaf(range([0.0; 3], [UPPER; 3]), action(increment, 1.0, 0.0));
        let table = Table::new(leaf, 3).expect("a table");
        assert_eq!(Table::decode(&table.encode()), Ok(table));
    }
    let four = Node::Leaf(Range { lower: [0.0; 4], upper: [UPPER; 4] }, action(1, 1.0, 1.0));
    let four = Table::new(four, 4).expect("a table");
    assert_eq!(Table::decode(&four.encode()), Ok(four));
    // Fields about the training are kept and change no rule.
    let mut trained = bytes.clone();
    trained.extend([0x22, 2, 8, 1, 0x2a, 0]);
    let noted = Table::decode(&trained).expect("a table");
    assert_eq!((noted.root(), noted.encode()), (table.root(), trained));
}

#[test]
fn errors_name_the_byte() {
    let bytes = table().encode();
    for cut in 0..bytes.len() {
        assert!(Table::decode(&bytes[..cut]).is_err(), "{cut} of {} bytes", bytes.len());
    }
    let error = |bytes: &[u8]| Table::decode(bytes).expect_err("no table").to_string();
    assert_eq!(error(&[]), "RemyCC table, byte 0: a tree without a range");
    assert_eq!(error(&[0x0b]), "RemyCC table, byte 1: wire type 3 of field 1; accepted are 0, 1, 2 and 5");
    assert_eq!(error(&[0x0a, 5, 1]), "RemyCC table, byte 2: a field of 5 bytes, but only 1 left");
    let mut deep = bytes;
    for _ in 0..100 {
        let mut out = vec![0x12];
        let mut length = deep.len();
        while length >= 0x80 {
            out.push(length as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend(&deep);
        deep = out;
    }
    assert!(error(&deep).ends_with("a tree of more than 64 levels"), "{}", error(&deep));
}

proptest::proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        let _ = Table::decode(&bytes);
    }

    #[test]
    fn a_wrong_byte_does_not_panic(at in 0..400usize, byte: u8) {
        let mut bytes = table().encode();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(table) = Table::decode(&bytes) {
            table.find([1.0; AXES]);
        }
    }
}

#[test]
fn a_tree_must_cover_its_range_with_finite_rules() {
    let whole = range([0.0; 3], [UPPER; 3]);
    let part = Node::Leaf(range([0.0; 3], [UPPER, UPPER, 2.0]), action(1, 1.0, 1.0));
    let error = |root, axes| Table::new(root, axes).expect_err("no table");
    assert!(error(Node::Inner(whole, vec![part.clone()]), 3).contains("must cover all of it"));
    let outside = Node::Leaf(range([0.0; 3], [2.0 * UPPER; 3]), action(1, 1.0, 1.0));
    assert!(error(Node::Inner(whole, vec![outside]), 3).contains("not within"));
    assert!(error(Node::Leaf(whole, action(1, f64::NAN, 1.0)), 3).contains("window multiple"));
    assert!(error(Node::Leaf(whole, action(1, 1.0, -1.0)), 3).contains("between segments"));
    assert!(error(Node::Leaf(range([2.0; 3], [1.0; 3]), action(1, 1.0, 1.0)), 3).contains("must not descend"));
    assert!(error(part, 2).contains("axes"));
}

#[test]
fn children_must_not_overlap() {
    let whole = range([0.0; 3], [UPPER; 3]);
    let half = |lower, upper| Node::Leaf(range([0.0, 0.0, lower], [UPPER, UPPER, upper]), action(1, 1.0, 1.0));
    let twice = vec![half(0.0, UPPER / 2.0), half(0.0, UPPER / 2.0)];
    assert!(Table::new(Node::Inner(whole, twice), 3).expect_err("no table").contains("overlap"));
    let many = vec![half(0.0, UPPER); 1000];
    assert!(Table::new(Node::Inner(whole, many), 3).expect_err("no table").contains("1000 children"));
    // With bounds near the largest number a volume is no number.
    let most = |node: fn(Range) -> Node| node(range([-1e308; 3], [1e308; 3]));
    let leaf = most(|range| Node::Leaf(range, Action { increment: 1, multiple: 1.0, intersend: 1.0 }));
    let Node::Leaf(all, _) = &leaf else { unreachable!("a leaf") };
    assert!(Table::new(Node::Inner(*all, vec![leaf.clone()]), 3).is_err());
}

#[test]
fn a_hundred_megabytes_of_nesting_are_refused() {
    const SIZE: usize = 100 << 20;
    // Each level is a tree whose only field is the next one: a key, a length of four bytes, and the rest.
    let mut bytes = Vec::with_capacity(SIZE);
    while bytes.len() + 5 < SIZE {
        let rest = SIZE - bytes.len() - 5;
        let seven = |shift: usize| (rest >> shift) as u8 & 0x7f;
        bytes.extend([0x12, seven(0) | 0x80, seven(7) | 0x80, seven(14) | 0x80, seven(21)]);
    }
    bytes.resize(SIZE, 0);
    let error = Table::decode(&bytes).expect_err("no table").to_string();
    assert!(error.ends_with("a tree of more than 64 levels"), "{error}");
}

#[test]
fn rules_are_numbered_in_the_order_of_the_leaves_and_witnessed() {
    struct Uses(std::sync::Mutex<Vec<usize>>);
    impl Witness for Uses {
        fn used(&self, rule: usize, _memory: &[f64; AXES]) {
            self.0.lock().expect("no panic").push(rule);
        }
    }
    let table = table();
    assert_eq!([table.rule([0.0; AXES]), table.rule([1.0, 1.0, 2.0, 0.0])], [0, 1]);
    assert_eq!(table.actions(), [action(2, 1.0, 0.0), action(-1, 0.5, 4.0)]);
    let uses = Arc::new(Uses(std::sync::Mutex::default()));
    let mut window = Window { cwnd: 10_000, ssthresh: u64::MAX, pacing_rate: None };
    let witness: Option<Arc<dyn Witness>> = Some(uses.clone());
    let mut remy = RemyCc { table: Arc::new(table), form: FORMS[0], witness, memory: Memory::default(), segments: 0 };
    remy.act(&mut window, 1000);
    remy.memory.axes[2] = 2.0;
    remy.act(&mut window, 1000);
    assert_eq!(*uses.0.lock().expect("no panic"), [0, 1]);
}

#[test]
fn a_look_up_finds_the_rule_whose_range_contains_the_memory() {
    let table = table();
    let at = |ratio: f64| table.find([1.0, 2.0, ratio, 0.0]).increment;
    assert_eq!([at(0.0), at(1.4999), at(1.5), at(3.0), at(UPPER), at(1e300)], [2, 2, -1, -1, -1, -1]);
}

#[test]
fn the_memory_is_empty_until_the_second_ack_and_then_averages() {
    let mut memory = Memory::default();
    memory.update(100 * MILLISECOND, 0, FORMS[0]);
    assert_eq!(memory.axes, [0.0; 4]);
    memory.update(110 * MILLISECOND, 4 * MILLISECOND, FORMS[0]);
    assert_eq!(memory.axes, [0.5, 1.25, 1.06, 10.0 / 256.0]);
    memory.update(114 * MILLISECOND, 34 * MILLISECOND, FORMS[0]);
    assert_eq!(memory.axes[..3], [0.5 * 7.0 / 8.0 + 30.0 / 8.0, 1.25 * 7.0 / 8.0 + 0.5, 1.0]);
}

#[test]
fn the_window_and_the_rate_follow_the_rules() {
    let mut window = Window { cwnd: 10_000, ssthresh: u64::MAX, pacing_rate: None };
    let mut remy =
        RemyCc { table: Arc::new(table()), form: FORMS[0], witness: None, memory: Memory::default(), segments: 0 };
    remy.act(&mut window, 1000);
    assert_eq!((window.cwnd, window.pacing_rate), (2000, None), "the first rule, from a window of 0");
    remy.memory.axes[2] = 1.2;
    remy.act(&mut window, 1000);
    assert_eq!(window.cwnd, 4000);
    remy.memory.axes[2] = 2.0;
    remy.act(&mut window, 1000);
    // The window is 4 / 2 - 1 segments, and a segment of 1,040 bytes is sent every 4 ms.
    assert_eq!((window.cwnd, window.pacing_rate), (1000, Some(Rate::of_bytes(260_000))));
    remy.act(&mut window, 1000);
    assert_eq!((window.cwnd, remy.segments), (1000, 0), "a window of 0 counts as one segment");
}

#[test]
fn the_agent_of_ns_2_truncates_times_and_begins_anew_after_a_loss_or_a_lapse() {
    let mut memory = Memory::default();
    memory.update(100 * MILLISECOND, 999_999, FORMS[1]);
    memory.update(110_900_000, 4 * MILLISECOND + 999_999, FORMS[1]);
    assert_eq!(memory.axes, [0.5, 1.25, 1.06, 10.0 / 256.0]);
    assert_eq!(memory.min_rtt, 100 * MILLISECOND);
    let mut window = Window { cwnd: 10_000, ssthresh: u64::MAX, pacing_rate: None };
    let mut remy = RemyCc { table: Arc::new(table()), form: FORMS[1], witness: None, memory, segments: 40 };
    let ctx = crate::testing::context(0, 0..1000);
    remy.on_congestion(&mut window, &Congestion::loss(ctx));
    assert_eq!((window.cwnd, remy.segments), (ctx.mss, 1));
    remy.on_idle_end(&mut window, &ctx, LAPSE);
    assert_eq!(remy.memory.min_rtt, 100 * MILLISECOND);
    remy.on_idle_end(&mut window, &ctx, LAPSE + 1);
    assert_eq!((remy.segments, remy.memory.min_rtt), (2, 0), "the rule of the empty memory");
}
