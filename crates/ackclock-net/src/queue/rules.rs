//! Descriptions of a discipline: that of its RFC, and that of Linux, which differs in arithmetic and in some rules.

use ackclock_core::{choices, parameters};

choices! {
    /// Source of the rules of CoDel and of PIE.
    pub(super) enum Rules {
        Rfc = "rfc", "The RFCs: the pseudocode of RFC 8289 and RFC 8290, and RFC 8033.";
        Linux = "linux", "Linux: for CoDel times in units of 1024 ns and roots by one Newton step for each drop, for PIE its rules for large delays and short queues.";
    }
}

parameters! {
    /// Choice of the description.
    pub(super) struct Description {
        rules: Option<Rules> = follows("rfc"), Rules::RANGE, Choice(Rules::OPTIONS), "Whose rules are followed.";
    }
}
