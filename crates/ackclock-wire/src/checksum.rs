//! The Internet checksum (RFC 1071).

/// A sum of 16-bit words that is not yet folded.
///
/// The default value is the sum of an empty sequence, and of any sequence of zero bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum(u64);

impl Sum {
    /// The sum of `bytes`; an odd last byte is padded with a zero.
    pub fn of(bytes: &[u8]) -> Sum {
        let mut words = bytes.chunks_exact(4);
        let mut sum = 0;
        // Four bytes are added at a time: 2^16 is 1 modulo 2^16 - 1, so a 32-bit word equals the sum of its two halves.
        for word in &mut words {
            sum += u64::from(u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
        }
        let mut last = [0; 4];
        let rest = words.remainder();
        last[..rest.len()].copy_from_slice(rest);
        Sum(sum + u64::from(u32::from_be_bytes(last)))
    }

    /// The sum of this and of bytes at another even position.
    #[must_use]
    pub fn and(self, other: Sum) -> Sum {
        Sum(self.0 + other.0)
    }

    /// The checksum field with which the sum over all bytes is all ones.
    pub fn checksum(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum >> 16) + (sum & 0xffff);
        }
        !(sum as u16)
    }

    /// Whether a sum that includes the checksum field shows no alteration.
    pub fn is_intact(self) -> bool {
        self.checksum() == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_rfc_1071() {
        let sum = Sum::of(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
        assert_eq!(sum.checksum(), !0xddf2);
        assert_eq!(Sum::default().checksum(), 0xffff);
        assert_eq!(Sum::of(&[0; 99]).checksum(), 0xffff);
    }

    proptest! {
        #[test]
        fn sums_do_not_depend_on_the_word_width(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..100) {
            let mut plain = 0_u32;
            for pair in bytes.chunks(2) {
                plain += u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
                plain = (plain >> 16) + (plain & 0xffff);
            }
            prop_assert_eq!(Sum::of(&bytes).checksum(), !(plain as u16));
            let (first, second) = bytes.split_at((2 * cut).min(bytes.len()));
            prop_assert_eq!(Sum::of(first).and(Sum::of(second)).checksum(), !(plain as u16));
        }
    }
}
