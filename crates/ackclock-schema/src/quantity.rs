//! Quantities as people write them, `"1.5Mbps"` or `"5 min"`, read with exact decimal arithmetic into integers.

/// A unit of a dimension: its name, and its size in the dimension's smallest unit.
pub type Unit = (&'static str, u64);

/// A physical dimension and the spelling of its values. The smallest unit, in which values are held, comes first. A
/// value is written in the last unit of [`Dimension::canonical`] that divides it.
#[derive(PartialEq, Eq, Debug)]
pub struct Dimension {
    /// Noun in messages and in the reference.
    pub noun: &'static str,
    /// Accepted text, for messages.
    pub example: &'static str,
    /// Spelling of zero.
    pub zero: &'static str,
    /// Units in which values are written, in ascending order.
    pub canonical: &'static [Unit],
    /// Other accepted spellings of units.
    pub aliases: &'static [Unit],
    /// Largest value, which leaves room for sums of several values.
    pub max: u64,
}

/// Times, in nanoseconds; at most ten years.
pub const TIME: Dimension = Dimension {
    noun: "time",
    example: "200ms",
    zero: "0s",
    canonical: &[
        ("ns", 1),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", 60 * 1_000_000_000),
        ("h", 3_600 * 1_000_000_000),
    ],
    aliases: &[("\u{b5}s", 1_000), ("\u{3bc}s", 1_000)],
    max: 87_600 * 3_600 * 1_000_000_000,
};

/// Rates, in bits per second; at most a petabit per second.
pub const RATE: Dimension = Dimension {
    noun: "rate",
    example: "1.5Mbps",
    zero: "0bps",
    canonical: &[
        ("bps", 1),
        ("kbps", 1_000),
        ("Mbps", 1_000_000),
        ("Gbps", 1_000_000_000),
        ("Tbps", 1_000_000_000_000),
    ],
    aliases: &[
        ("bit/s", 1),
        ("kbit/s", 1_000),
        ("Mbit/s", 1_000_000),
        ("Gbit/s", 1_000_000_000),
        ("Tbit/s", 1_000_000_000_000),
    ],
    max: 1_000_000_000_000_000,
};

/// Volumes, in bytes; at most an exbibyte.
pub const VOLUME: Dimension = Dimension {
    noun: "volume",
    example: "64KiB",
    zero: "0B",
    canonical: &[
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ],
    aliases: &[("bytes", 1)],
    max: 1 << 60,
};

/// Packets, as a length of a queue.
pub const PACKETS: Dimension = Dimension {
    noun: "number of packets",
    example: "50 packets",
    zero: "0 packets",
    canonical: &[(" packets", 1)],
    aliases: &[("packet", 1), ("p", 1)],
    max: 1 << 40,
};

/// Probabilities, in parts per billion.
pub const PROBABILITY: Dimension = Dimension {
    noun: "probability",
    example: "1%",
    zero: "0%",
    canonical: &[("ppb", 1), ("ppm", 1_000), ("%", 10_000_000)],
    aliases: &[],
    max: 1_000_000_000,
};

impl Dimension {
    /// Parses a text into a value in the smallest unit.
    ///
    /// # Errors
    /// The mistake in the text, as a predicate: "is negative".
    pub fn parse(&self, text: &str) -> Result<u64, String> {
        let (number, unit) = split(text)?;
        if unit.is_empty() {
            return Err("has no unit".to_owned());
        }
        let Some(scale) = self.scale(unit) else {
            return Err(format!("has the unknown unit {}", crate::tree::quoted(unit)));
        };
        let value = number.times(scale).map_err(|why| match why {
            Inexact::Fraction => format!("is not a whole number of {}", self.canonical[0].0.trim()),
            Inexact::Overflow => self.too_large(),
        })?;
        if value > self.max { Err(self.too_large()) } else { Ok(value) }
    }

    /// Returns a text whose unit has the wrong capitals with the right ones; `None` if that is not what is wrong.
    pub fn respelled(&self, text: &str) -> Option<String> {
        let (_, unit) = split(text).ok()?;
        if self.scale(unit).is_some() {
            return None;
        }
        let mut units = self.canonical.iter().chain(self.aliases).map(|(name, _)| *name);
        // A capital B stands for bytes, which are no misspelt bits.
        let right = units.find(|name| name.eq_ignore_ascii_case(unit) && name.contains('B') == unit.contains('B'))?;
        Some(format!("{}{right}", text.trim().strip_suffix(unit)?))
    }

    /// Whether a text ends in a unit of this dimension.
    pub fn has_unit_of(&self, text: &str) -> bool {
        split(text).is_ok_and(|(_, unit)| self.scale(unit).is_some())
    }

    /// Returns the value in the largest unit that divides it.
    pub fn write(&self, value: u64) -> String {
        let divides = |(_, scale): &&Unit| value.is_multiple_of(*scale);
        if value == 0 {
            return self.zero.to_owned();
        }
        let unit = self.canonical.iter().rfind(divides);
        let (name, scale) = unit.unwrap_or(&self.canonical[0]);
        format!("{}{name}", value / scale)
    }

    /// Returns the units for reading: those in which values are written.
    pub fn units(&self) -> String {
        crate::problems::listed(self.canonical.iter().map(|(name, _)| name.trim()))
    }

    /// Returns a regular expression for JSON Schema that matches the accepted texts if the number is `number`, which is
    /// [`NUMBER`] or [`POSITIVE`]. The expression does not check other bounds.
    pub fn pattern(&self, number: &str) -> String {
        let names: Vec<_> = self.canonical.iter().chain(self.aliases).map(|(name, _)| name.trim()).collect();
        format!(r"{number}\s*({})", names.join("|"))
    }

    fn scale(&self, unit: &str) -> Option<u64> {
        self.canonical.iter().chain(self.aliases).find(|(name, _)| name.trim() == unit).map(|(_, scale)| *scale)
    }

    fn too_large(&self) -> String {
        format!("is more than {}", self.write(self.max))
    }
}

/// Regular expression of a number in a quantity.
pub const NUMBER: &str = r"[0-9]+(\.[0-9]+)?";

/// Regular expression of a number above zero in a quantity.
pub const POSITIVE: &str = r"(0*[1-9][0-9]*(\.[0-9]+)?|0+\.0*[1-9][0-9]*)";

/// A non-negative number, exactly as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal<'a> {
    whole: &'a str,
    fraction: &'a str,
}

/// Reason why a decimal is not an integer of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inexact {
    /// The decimal is not a whole number.
    Fraction,
    /// The decimal is larger than 64 bits can hold.
    Overflow,
}

impl Decimal<'_> {
    /// Returns `self * scale`, exactly.
    pub fn times(&self, scale: u64) -> Result<u64, Inexact> {
        let fraction = self.fraction.trim_end_matches('0');
        let mut value: u128 = 0;
        for digit in self.whole.bytes().chain(fraction.bytes()) {
            // Digits beyond the capacity make the value too large, or a fraction of the smallest unit.
            let next = value.checked_mul(10).and_then(|value| value.checked_add(u128::from(digit - b'0')));
            value = next.ok_or(if fraction.is_empty() { Inexact::Overflow } else { Inexact::Fraction })?;
        }
        let value = value.checked_mul(u128::from(scale)).ok_or(Inexact::Overflow)?;
        let exponent = u32::try_from(fraction.len()).map_err(|_| Inexact::Fraction)?;
        let divisor = 10u128.checked_pow(exponent).ok_or(Inexact::Fraction)?;
        if value % divisor != 0 {
            return Err(Inexact::Fraction);
        }
        u64::try_from(value / divisor).map_err(|_| Inexact::Overflow)
    }

    /// Returns the nearest float.
    pub fn to_f64(self) -> f64 {
        // Digits with a point between them always parse. Too many digits give infinity, which the callers' bounds
        // refuse.
        format!("{}.{}", self.whole, if self.fraction.is_empty() { "0" } else { self.fraction })
            .parse()
            .unwrap_or(f64::INFINITY)
    }
}

/// Splits a text into its number and the rest, both without surrounding space.
///
/// # Errors
/// The mistake in the text, as a predicate.
pub fn split(text: &str) -> Result<(Decimal<'_>, &str), String> {
    let text = text.trim();
    if ["nan", "inf", "infinity"].contains(&text.trim_start_matches(['+', '-']).to_ascii_lowercase().as_str()) {
        return Err("is not a finite number".to_owned());
    }
    if text.starts_with('-') {
        return Err("is negative".to_owned());
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = text.split_at(digits(text));
    if whole.is_empty() {
        return Err("does not start with a number".to_owned());
    }
    let Some(after) = rest.strip_prefix('.') else { return Ok((Decimal { whole, fraction: "" }, rest.trim_start())) };
    let (fraction, rest) = after.split_at(digits(after));
    if fraction.is_empty() {
        return Err("has no digit after the point".to_owned());
    }
    Ok((Decimal { whole, fraction }, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_exact() {
        for (dimension, text, value) in [
            (&RATE, "1Mbps", 1_000_000),
            (&RATE, "1.5 Gbps", 1_500_000_000),
            (&RATE, "1000kbps", 1_000_000),
            (&RATE, " 0.001 Mbit/s ", 1_000),
            (&RATE, "1000Tbps", 1_000_000_000_000_000),
            (&TIME, "200ms", 200_000_000),
            (&TIME, "0.1s", 100_000_000),
            (&TIME, "0.3s", 300_000_000),
            (&TIME, "1.000000001s", 1_000_000_001),
            (&TIME, "0.10000000000000000000000000000000000000000000000s", 100_000_000),
            (&TIME, "5 min", 300_000_000_000),
            (&TIME, "0.5us", 500),
            (&TIME, "7\u{b5}s", 7_000),
            (&TIME, "0s", 0),
            (&VOLUME, "64KiB", 65_536),
            (&VOLUME, "1500B", 1_500),
            (&VOLUME, "1.5kB", 1_500),
            (&VOLUME, "0.5KiB", 512),
            (&PACKETS, "50 packets", 50),
            (&PACKETS, "50p", 50),
            (&PACKETS, "1 packet", 1),
            (&PROBABILITY, "1%", 10_000_000),
            (&PROBABILITY, "0.05 %", 500_000),
            (&PROBABILITY, "100%", 1_000_000_000),
        ] {
            assert_eq!(dimension.parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn units_with_the_wrong_capitals_are_respelled() {
        for (dimension, text, right) in [
            (&RATE, "5mbps", Some("5Mbps")),
            (&RATE, " 1.5 mbit/s ", Some("1.5 Mbit/s")),
            (&RATE, "5Mbps", None),
            (&RATE, "5MBps", None),
            (&RATE, "5parsecs", None),
            (&RATE, "fast", None),
            (&TIME, "5MS", Some("5ms")),
        ] {
            assert_eq!(dimension.respelled(text).as_deref(), right, "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_reason() {
        for (dimension, text, reason) in [
            (&RATE, "-1Mbps", "is negative"),
            (&RATE, "-0Mbps", "is negative"),
            (&RATE, "nan", "is not a finite number"),
            (&RATE, "-inf", "is not a finite number"),
            (&RATE, "fast", "does not start with a number"),
            (&RATE, "", "does not start with a number"),
            (&RATE, "+1Mbps", "does not start with a number"),
            (&RATE, ".5Mbps", "does not start with a number"),
            (&RATE, "1.Mbps", "has no digit after the point"),
            (&RATE, "1000000", "has no unit"),
            (&RATE, "1MBps", "has the unknown unit \"MBps\""),
            (&RATE, "1e6bps", "has the unknown unit \"e6bps\""),
            (&RATE, "0.5bps", "is not a whole number of bps"),
            (&RATE, "1001Tbps", "is more than 1000Tbps"),
            (&TIME, "0.3ns", "is not a whole number of ns"),
            (&TIME, "0.00000000000000000000000000000000000000000000000000000000001s", "is not a whole number of ns"),
            (&TIME, "99999999999999999999999999999999999999999999h", "is more than 87600h"),
            (&TIME, "18446744073709551616ns", "is more than 87600h"),
            (&TIME, "340282366920938463463374607431768211455h", "is more than 87600h"),
            (&VOLUME, "1.5B", "is not a whole number of B"),
            (&PACKETS, "1.5p", "is not a whole number of packets"),
            (&PROBABILITY, "0.01", "has no unit"),
            (&PROBABILITY, "101%", "is more than 100%"),
            (&PROBABILITY, "0.1ppb", "is not a whole number of ppb"),
        ] {
            assert_eq!(dimension.parse(text), Err(reason.to_owned()), "{text}");
        }
    }

    #[test]
    fn values_are_written_in_the_largest_unit_that_divides_them() {
        for (dimension, value, text) in [
            (&TIME, 0, "0s"),
            (&PACKETS, 0, "0 packets"),
            (&TIME, 1_500_000_000, "1500ms"),
            (&TIME, 90_000_000_000, "90s"),
            (&TIME, 300_000_000_000, "5min"),
            (&RATE, 1_500_000, "1500kbps"),
            (&VOLUME, 65_536, "64KiB"),
            (&VOLUME, 1_500, "1500B"),
            (&PACKETS, 50, "50 packets"),
        ] {
            assert_eq!(dimension.write(value), text);
            assert_eq!(dimension.parse(text), Ok(value));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in 0u64..=1_000_000_000_000_000, scale in 0u32..4) {
            let value = value / 1_000u64.pow(scale) * 1_000u64.pow(scale);
            for dimension in [&TIME, &RATE, &VOLUME] {
                prop_assert_eq!(dimension.parse(&dimension.write(value)), Ok(value));
            }
        }

        #[test]
        fn no_text_panics(text in "\\PC*", number in "-?[0-9]{0,60}\\.?[0-9]{0,60}", unit in "[a-zA-Z/ ]{0,6}") {
            for dimension in [&TIME, &RATE, &VOLUME, &PACKETS] {
                let _ = dimension.parse(&text);
                let _ = dimension.parse(&format!("{number}{unit}"));
            }
        }
    }
}
