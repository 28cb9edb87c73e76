//! Forward error correction with XOR parity over rows and columns of packets, as FlexFEC has it (RFC 8627): which packets
//! a repair packet protects, and which lost packets follow from those that have arrived. Packets have no contents here:
//! a lost packet is repaired if it is the only one that is missing in a row or a column.

/// Bytes by which a repair packet is longer than the longest packet that it protects: the CSRC entry of its RTP header (RFC
/// 8627 section 4.2.1), the FEC header with L and D (section 4.2.2.2), and its own extension for transport-wide sequence
/// numbers. Its payload repeats all that follows the fixed RTP header, extensions included.
pub(super) const MORE: u32 = 4 + 12 + 8;

/// The packets that have a parity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parity {
    /// Rows of consecutive packets.
    Rows,
    /// Columns of packets that are a row's length apart.
    Columns,
    /// Both.
    Both,
}

/// A code: the parity, the number of columns (L) and of rows (D) of a source block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code {
    pub parity: Parity,
    pub columns: u64,
    pub rows: u64,
}

impl Code {
    /// Returns the repair packets for each packet of a frame of so many packets: RFC 8627 section 1.1.6, where rows alone
    /// end with their frame.
    pub fn repairs(&self, packets: f64) -> f64 {
        let rows = match self.parity {
            Parity::Rows => libm::ceil(packets / self.columns as f64) / packets,
            Parity::Columns => 0.0,
            Parity::Both => 1.0 / self.columns as f64,
        };
        rows + if self.parity == Parity::Rows { 0.0 } else { 1.0 / self.rows as f64 }
    }

    /// Returns the sequence number after all packets that share a source block with a packet, of which `frame_end` is the
    /// number after the last of its frame.
    pub fn block_end(&self, sequence: u64, frame_end: u64) -> u64 {
        let block = self.columns * self.rows;
        if self.parity == Parity::Rows { frame_end } else { (sequence / block + 1) * block }
    }
}

/// The packets that a repair packet protects: `count` of them from `base` on, each `step` after the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Protected {
    pub base: u64,
    pub step: u64,
    pub count: u64,
}

impl Protected {
    pub fn sequences(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |index| self.base + index * self.step)
    }
}

/// The sender's end: forms repair packets of the packets in their order. Rows alone end with their frame, so that no
/// repair packet waits for the next frame. Other blocks go on over frames.
#[derive(Debug)]
pub(super) struct Encoder {
    code: Option<Code>,
    /// First packet of the row that is not complete.
    row: u64,
}

impl Encoder {
    pub fn new(code: Option<Code>) -> Encoder {
        Encoder { code, row: 0 }
    }

    /// Takes the next packet. Returns the repair packets that follow it.
    pub fn push(&mut self, sequence: u64, ends_frame: bool) -> Vec<Protected> {
        let Some(Code { parity, columns, rows }) = self.code else { return Vec::new() };
        let mut repairs = Vec::new();
        let count = sequence + 1 - self.row;
        if count == columns || (ends_frame && parity == Parity::Rows) {
            if parity != Parity::Columns {
                repairs.push(Protected { base: self.row, step: 1, count });
            }
            self.row = sequence + 1;
        }
        let block = columns * rows;
        if parity != Parity::Rows && (sequence + 1).is_multiple_of(block) {
            let base = sequence + 1 - block;
            repairs.extend((0..columns).map(|column| Protected { base: base + column, step: columns, count: rows }));
        }
        repairs
    }
}

/// The receiver's end.
#[derive(Default, Debug)]
pub(super) struct Decoder {
    /// Sequence numbers of the packets that have arrived or were repaired.
    known: Vec<u64>,
    /// Repair packets that have arrived and that protect a packet that is missing.
    waiting: Vec<Protected>,
}

impl Decoder {
    fn is_known(&self, sequence: u64) -> bool {
        self.known.get((sequence / 64) as usize).is_some_and(|word| word >> (sequence % 64) & 1 == 1)
    }

    /// Takes note of a packet that has arrived. Returns the packets that this repairs.
    pub fn arrive(&mut self, sequence: u64) -> Vec<u64> {
        if insert(&mut self.known, sequence) { self.solve() } else { Vec::new() }
    }

    /// Takes note of a repair packet that has arrived. Returns the packets that this repairs.
    pub fn repair(&mut self, protected: Protected) -> Vec<u64> {
        self.waiting.push(protected);
        self.solve()
    }

    /// Repairs what can be repaired, row by row and column by column until nothing follows (RFC 8627 section 6.3.4).
    fn solve(&mut self) -> Vec<u64> {
        let mut repaired = Vec::new();
        loop {
            let mut found = None;
            let mut waiting = std::mem::take(&mut self.waiting);
            waiting.retain(|protected| {
                let mut missing = protected.sequences().filter(|sequence| !self.is_known(*sequence));
                match (missing.next(), missing.next()) {
                    (Some(_), Some(_)) => true,
                    (Some(only), None) => {
                        found.get_or_insert(only);
                        false
                    }
                    (None, _) => false,
                }
            });
            self.waiting = waiting;
            let Some(sequence) = found else { return repaired };
            if insert(&mut self.known, sequence) {
                repaired.push(sequence);
            }
        }
    }

    /// Forgets the repair packets whose packets are all before a sequence number, which nobody waits for.
    pub fn forget(&mut self, before: u64) {
        self.waiting.retain(|one| one.base + (one.count - 1) * one.step >= before);
    }
}

/// Adds a number to a set of bits. Returns whether it is new.
pub(super) fn insert(bits: &mut Vec<u64>, number: u64) -> bool {
    let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    let is_new = bits[word] & bit == 0;
    bits[word] |= bit;
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [u64; 0] = [];

    /// Sends twelve packets in a block of four columns and three rows, of which some are lost, as are some of the repair
    /// packets in their order. Returns the packets that are missing after all repairs; packets count from 1 as in the
    /// figures of RFC 8627.
    fn missing(parity: Parity, lost: &[u64], lost_repairs: &[usize]) -> Vec<u64> {
        let mut encoder = Encoder::new(Some(Code { parity, columns: 4, rows: 3 }));
        let mut decoder = Decoder::default();
        let mut repairs = Vec::new();
        for sequence in 0..12 {
            if !lost.contains(&(sequence + 1)) {
                decoder.arrive(sequence);
            }
            repairs.extend(encoder.push(sequence, sequence == 11));
        }
        let count = match parity {
            Parity::Rows => 3,
            Parity::Columns => 4,
            Parity::Both => 7,
        };
        assert_eq!(repairs.len(), count);
        for (_, repair) in repairs.iter().enumerate().filter(|(index, _)| !lost_repairs.contains(index)) {
            decoder.repair(*repair);
        }
        (0..12).filter(|sequence| !decoder.is_known(*sequence)).map(|sequence| sequence + 1).collect()
    }

    /// RFC 8627 section 1.1.3, figure 5: packets 2 and 3 are lost.
    #[test]
    fn a_row_repairs_one_loss_and_not_two() {
        assert_eq!(missing(Parity::Rows, &[3], &[]), NONE);
        assert_eq!(missing(Parity::Rows, &[1, 6, 12], &[]), NONE, "one in each row");
        assert_eq!(missing(Parity::Rows, &[2, 3], &[]), [2, 3]);
        assert_eq!(missing(Parity::Rows, &[3], &[0]), [3], "its repair packet is lost as well");
    }

    /// RFC 8627 section 1.1.3, figure 6: packets 2 and 6 are lost.
    #[test]
    fn columns_repair_a_burst_of_a_row_and_no_periodic_loss() {
        assert_eq!(missing(Parity::Columns, &[4, 5, 6, 7], &[]), NONE);
        assert_eq!(missing(Parity::Columns, &[2, 6], &[]), [2, 6]);
        assert_eq!(missing(Parity::Columns, &[4, 5, 6, 7, 8], &[]), [4, 8]);
    }

    /// RFC 8627 section 1.1.4, figures 7 and 8, and section 6.3.4: a row helps a column, which helps a row.
    #[test]
    fn both_repair_what_neither_does() {
        assert_eq!(missing(Parity::Both, &[2, 3], &[]), NONE);
        assert_eq!(missing(Parity::Both, &[2, 3, 6, 9], &[]), NONE);
        assert_eq!(missing(Parity::Rows, &[2, 3, 6, 9], &[]), [2, 3]);
        assert_eq!(missing(Parity::Columns, &[2, 3, 6, 9], &[]), [2, 6]);
        assert_eq!(missing(Parity::Both, &[2, 3, 10, 11], &[]), [2, 3, 10, 11], "figure 7");
        // The repair packets of rows 1 and 3 are lost; they are the first and the third.
        assert_eq!(missing(Parity::Both, &[3, 11], &[0, 2]), [3, 11], "figure 8");
    }

    #[test]
    fn rows_alone_end_with_their_frame() {
        let mut encoder = Encoder::new(Some(Code { parity: Parity::Rows, columns: 4, rows: 1 }));
        let repairs: Vec<_> = (0..7).flat_map(|sequence| encoder.push(sequence, sequence == 5)).collect();
        let row = |base, count| Protected { base, step: 1, count };
        assert_eq!(repairs, [row(0, 4), row(4, 2)]);
        let code = Code { parity: Parity::Rows, columns: 4, rows: 1 };
        assert_eq!((code.repairs(6.0), code.repairs(4.0), code.block_end(2, 6)), (2.0 / 6.0, 0.25, 6));
        let both = Code { parity: Parity::Both, columns: 4, rows: 5 };
        assert_eq!((both.repairs(6.0), both.block_end(19, 22), both.block_end(20, 22)), (0.45, 20, 40));
    }

    #[test]
    fn a_retransmission_lets_a_parity_repair_another_packet() {
        let mut decoder = Decoder::default();
        let row = Protected { base: 0, step: 1, count: 4 };
        assert_eq!((decoder.arrive(0), decoder.arrive(3), decoder.repair(row)), (NONE.to_vec(), vec![], vec![]));
        assert_eq!((decoder.arrive(1), decoder.arrive(2)), (vec![2], vec![]));
        decoder.repair(Protected { base: 4, ..row });
        decoder.forget(8);
        assert!(decoder.waiting.is_empty());
    }
}
