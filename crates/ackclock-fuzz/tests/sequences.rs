//! Sequences of operations that are written by hand.

use ackclock_fuzz::cc;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_window_stays_a_window(data in prop::collection::vec(any::<u8>(), 0..4000)) {
        cc::run(&data);
    }
}
