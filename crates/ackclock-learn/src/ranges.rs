//! Ranges in place of the numbers of a scenario: `"10Mbps..20Mbps"`, `"1..16"`.

use ackclock_core::Stream;

/// A range of a quantity. Values are drawn uniformly, as whole multiples of the smallest step of their unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    /// Bounds in steps, both included.
    least: i64,
    most: i64,
    /// Decimals of a step, as a number of digits.
    decimals: u32,
    /// Unit, as it was written.
    unit: String,
}

/// Units of which there are no parts.
const WHOLE: [&str; 6] = ["", "B", "ns", "bps", "packets", "packet"];
/// Decimals of a value with any other unit: a thousandth of the unit is the next smaller one.
const DECIMALS: u32 = 3;
/// Decimals of a number without a unit whose bounds have decimals.
const DECIMALS_OF_NUMBERS: u32 = 6;

/// Accepted forms of a range, for messages.
const ACCEPTED: &str =
    "accepted: two numbers with the same unit, the smaller first, such as \"10Mbps..20Mbps\" or \"1..16\"";

impl Range {
    /// Reads a text. `None` if the text is no range: it does not begin with a digit, or has no two dots.
    ///
    /// # Errors
    /// A message on a text that looks like a range and is none.
    pub fn read(text: &str) -> Option<Result<Range, String>> {
        let (low, high) = text.split_once("..")?;
        if !low.trim_start().starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        Some(
            Range::between(low.trim(), high.trim())
                .map_err(|why| format!("{text:?} is not a range: {why}; {ACCEPTED}")),
        )
    }

    fn between(low: &str, high: &str) -> Result<Range, String> {
        let split = |text: &str| {
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
            let (number, unit) = text.split_at(end);
            (number.to_owned(), unit.trim().to_owned())
        };
        let ((low, low_unit), (high, unit)) = (split(low), split(high));
        if low_unit != unit {
            return Err(format!("its bounds have the units {low_unit:?} and {unit:?}"));
        }
        let decimals = match unit.as_str() {
            "" if low.contains('.') || high.contains('.') => DECIMALS_OF_NUMBERS,
            unit if WHOLE.contains(&unit) => 0,
            _ => DECIMALS,
        };
        let steps = |number: &str| {
            steps(number, decimals)
                .ok_or_else(|| format!("{number:?} is not a number with at most {decimals} decimals and 15 digits"))
        };
        let (least, most) = (steps(&low)?, steps(&high)?);
        if least > most {
            return Err("its first bound is the larger one".to_owned());
        }
        Ok(Range { least, most, decimals, unit })
    }

    /// A value as a scenario has it, from its place in the range, in steps.
    fn written(&self, steps: i64) -> String {
        let one = 10_i64.pow(self.decimals);
        let (whole, part) = (steps / one, steps % one);
        match self.decimals {
            0 => format!("{whole}{}", self.unit),
            decimals => format!("{whole}.{part:0width$}{}", self.unit, width = decimals as usize),
        }
    }

    /// The smallest and the largest value, as a scenario has them.
    pub fn bounds(&self) -> [String; 2] {
        [self.least, self.most].map(|steps| self.written(steps))
    }

    /// Draws a value from one of `strata` equal parts of the range.
    pub fn draw(&self, stratum: u64, strata: u64, random: &mut Stream) -> String {
        // 2^20 places in each part: finer than any step matters.
        const PLACES: u64 = 1 << 20;
        let place = stratum * PLACES + random.below(PLACES);
        let values = i128::from(self.most - self.least) + 1;
        let offset = values * i128::from(place) / i128::from(strata * PLACES);
        self.written(self.least + offset as i64)
    }
}

/// A decimal number in steps of 10^-decimals.
fn steps(number: &str, decimals: u32) -> Option<i64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || part.len() > decimals as usize || whole.len() + decimals as usize > 15 {
        return None;
    }
    let digits = format!("{whole}{part:0<width$}", width = decimals as usize);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Range {
        Range::read(text).expect("a range").expect("a valid range")
    }

    #[test]
    fn bounds_are_written_as_scenarios_have_them() {
        assert_eq!(read("1..16").bounds(), ["1", "16"]);
        assert_eq!(read("10Mbps..20Mbps").bounds(), ["10.000Mbps", "20.000Mbps"]);
        assert_eq!(read("0.5 s..2.25 s").bounds(), ["0.500s", "2.250s"]);
        assert_eq!(read("0.1..0.25").bounds(), ["0.100000", "0.250000"]);
        assert_eq!(read("10 packets..20 packets").bounds(), ["10packets", "20packets"]);
    }

    #[test]
    fn a_stratum_is_a_part_of_the_range() {
        let mut random = Stream::new(1, "test");
        let mut seen: Vec<String> = (0..16).map(|stratum| read("1..16").draw(stratum, 16, &mut random)).collect();
        seen.dedup();
        assert_eq!(seen, (1..=16).map(|value| value.to_string()).collect::<Vec<_>>());
        for _ in 0..100 {
            let drawn = read("10Mbps..20Mbps").draw(1, 2, &mut random);
            let number: f64 = drawn.trim_end_matches("Mbps").parse().expect("a number");
            assert!((15.0..=20.0).contains(&number), "{drawn}");
        }
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in ["../tables/x.dna", "cubic", "10Mbps", "a..b"] {
            assert_eq!(Range::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_wrong_range_is_explained() {
        let why = |text: &str| Range::read(text).expect("like a range").expect_err("not a range");
        assert!(why("20Mbps..10Mbps").contains("its first bound is the larger one"));
        assert!(why("10Mbps..20ms").contains("the units \"Mbps\" and \"ms\""));
        assert!(why("10..").contains("\"\" is not a number"));
        assert!(why("1.5B..3B").contains("at most 0 decimals"));
        assert!(why("10Mbps..20Mbps..30Mbps").contains("units"));
        assert!(why("1..99999999999999999999").contains("15 digits"));
    }
}
