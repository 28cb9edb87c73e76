//! Any bytes as a table of RemyCC. The table is refused with a message, or it has a rule for every memory and is written as
//! it was read.

use ackclock_tcp::cc::remycc::{AXES, Table};

/// Memories of the look-ups: nothing remembered, usual values, and values beyond all ranges.
const MEMORIES: [[f64; AXES]; 4] = [[0.0; AXES], [1.0, 2.0, 1.1, 2.0], [1e300; AXES], [-1e300, 0.5, 1e9, 0.0]];

/// Runs one input.
///
/// # Panics
/// If the reader panics, a message is empty, or an accepted table is written so that another is read.
pub fn run(data: &[u8]) {
    let table = match Table::decode(data) {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.message.is_empty() && error.at <= data.len(), "{error}");
            return;
        }
    };
    for memory in MEMORIES {
        let (rule, action) = (table.rule(memory), table.find(memory));
        assert_eq!(table.actions()[rule], action);
        assert!(action.multiple >= 0.0 && action.intersend >= 0.0, "{action:?}");
    }
    assert_eq!(Table::decode(&table.encode()), Ok(table));
}
