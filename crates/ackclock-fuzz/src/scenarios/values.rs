//! Values of leaves: usually of a size that gives a lively and short run, and sometimes of an arbitrary size.

use serde_json::{Value as Json, json};

use super::dice::Dice;
use super::pattern::Pattern;

/// Names for flows, links and nodes; there are few, so that they coincide.
pub const NAMES: [&str; 7] = ["left", "right", "a", "b", "c", "far side", "x-1"];

/// Units of a dimension in ascending order, with their size in the dimension's smallest unit, and the usual values.
struct Dimension {
    units: &'static [(&'static str, u64)],
    usual: (f64, f64),
    /// Other usual values for keys on the path to the value.
    at: &'static [(&'static str, (f64, f64))],
}

const NS: u64 = 1;
const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

const TIME: Dimension = Dimension {
    units: &[
        ("ns", NS),
        ("us", US),
        ("\u{b5}s", US),
        ("\u{3bc}s", US),
        ("ms", MS),
        ("s", S),
        ("min", 60 * S),
        ("h", 3600 * S),
    ],
    usual: (1e4, 5e8),
    at: &[
        ("duration", (1e8, 1e10)),
        ("probes", (1e6, 1e9)),
        ("max_rto", (1e9, 1e11)),
        ("initial_rto", (1e8, 3e9)),
        ("min_rto", (1e6, 1e9)),
        ("delay", (1e3, 1e8)),
        ("segment", (2e8, 4e9)),
        ("buffer", (2e9, 2e10)),
        ("repeat_every", (1e7, 3e9)),
    ],
};
const RATE: Dimension = Dimension {
    units: &[
        ("bps", 1),
        ("bit/s", 1),
        ("kbps", 1_000),
        ("kbit/s", 1_000),
        ("Mbps", 1_000_000),
        ("Mbit/s", 1_000_000),
        ("Gbps", 1_000_000_000),
        ("Gbit/s", 1_000_000_000),
        ("Tbps", 1_000_000_000_000),
        ("Tbit/s", 1_000_000_000_000),
    ],
    usual: (1e5, 5e7),
    at: &[("ladder", (1e4, 5e6)), ("app", (1e4, 1e7))],
};
const VOLUME: Dimension = Dimension {
    units: &[
        ("B", 1),
        ("bytes", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ],
    usual: (1e2, 3e5),
    at: &[("mss", (64.0, 9e3)), ("packet_size", (2e2, 9e3)), ("queue", (1500.0, 1e5)), ("receive_buffer", (3e3, 1e6))],
};
const PACKETS: Dimension =
    Dimension { units: &[("p", 1), ("packet", 1), ("packets", 1)], usual: (1.0, 100.0), at: &[] };
const PROBABILITY: Dimension =
    Dimension { units: &[("ppb", 1), ("ppm", 1_000), ("%", 10_000_000)], usual: (1e5, 1e8), at: &[("r", (1e7, 1e9))] };
const BDP: Dimension = Dimension { units: &[("bdp", 1_000)], usual: (100.0, 5_000.0), at: &[] };
const TIMES: Dimension = Dimension { units: &[("x", 1_000)], usual: (100.0, 20_000.0), at: &[] };

const DIMENSIONS: [&Dimension; 7] = [&TIME, &RATE, &VOLUME, &PACKETS, &PROBABILITY, &BDP, &TIMES];

/// Returns the size of a unit, and its dimension.
fn unit(word: &str) -> Option<(u64, &'static Dimension)> {
    let scale = |dimension: &'static Dimension| {
        let unit = dimension.units.iter().find(|(name, _)| *name == word)?;
        Some((unit.1, dimension))
    };
    DIMENSIONS.into_iter().find_map(scale)
}

/// Returns a quantity's size in the smallest unit of its dimension; a number is its own size. The result is only for
/// comparisons.
pub fn size(value: &Json) -> Option<f64> {
    if let Some(number) = value.as_f64() {
        return Some(number);
    }
    let text = value.as_str()?.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, word) = (text[..digits].parse::<f64>().ok()?, text[digits..].trim());
    Some(number * unit(word).map_or(1.0, |(scale, _)| scale as f64))
}

/// Returns the usual bounds for a value at these keys.
fn bounds(dimension: &Dimension, keys: &[String]) -> (f64, f64) {
    let own = dimension.at.iter().find(|(key, _)| keys.iter().rev().take(3).any(|one| one == key));
    own.map_or(dimension.usual, |(_, bounds)| *bounds)
}

/// Returns a text of a form with these words; if `word` is given, the text has to use it.
pub fn text(
    pattern: &Pattern,
    words: &[String],
    word: Option<usize>,
    keys: &[String],
    wild: bool,
    dice: &mut Dice,
) -> Json {
    let known = |word: &String| unit(word).map(|(scale, dimension)| (word.clone(), scale, dimension));
    let place = word.unwrap_or_else(|| dice.below(words.len()));
    if words.get(place).is_some_and(|word| pattern.matches(word)) {
        return json!(words[place]);
    }
    let asked = words.get(place).and_then(known);
    let Some((name, scale, dimension)) = asked.filter(|_| word.is_some() || !wild || dice.chance(0.5)) else {
        return json!(pattern.draw(dice));
    };
    let (least, most) = if wild { (1.0, 1e18) } else { bounds(dimension, keys) };
    let value = dice.log_uniform(least, most).max(1.0) as u64;
    // The unit is no larger than the value, so that the number is whole; or it is the requested unit.
    let fits = |(_, scale, of): &(String, u64, &Dimension)| std::ptr::eq(*of, dimension) && *scale <= value;
    let fitting: Vec<_> = words.iter().filter_map(known).filter(fits).collect();
    let (name, scale) = match word {
        None if !fitting.is_empty() => {
            let (name, scale, _) = dice.of(&fitting).clone();
            (name, scale)
        }
        _ => (name, scale),
    };
    let zero = wild && dice.chance(0.1);
    let space = if dice.chance(0.2) { " " } else { "" };
    let number = match scale {
        _ if zero => "0".to_owned(),
        1_000 if name == "bdp" || name == "x" => format!("{}", value as f64 / 1e3),
        // The result is a fraction that is a whole number of the smallest unit.
        scale if value < scale && scale.is_power_of_two() => "0.0009765625".to_owned(),
        scale if value < scale => fraction(value, scale),
        scale if scale > 1 && scale % 10 == 0 && dice.chance(0.3) => {
            format!("{}.{}", value / scale, value / (scale / 10) % 10)
        }
        scale => format!("{}", value / scale),
    };
    let text = format!("{number}{space}{name}");
    json!(text)
}

/// Returns `value / scale`, which is below one, with as many digits as `scale` has zeros. If `scale` is not a power of
/// ten, only fractions of the last digit are left out.
fn fraction(value: u64, scale: u64) -> String {
    let digits = scale.ilog10() as usize;
    format!("0.{:0digits$}", u128::from(value) * 10_u128.pow(digits as u32) / u128::from(scale))
}

/// Usual whole numbers at a key.
const USUAL_WHOLE: &[(&str, u64)] = &[("count", 3), ("servers", 5), ("users", 4), ("seed", 1 << 30), ("class", 7)];

/// Returns a whole number from `least` to `most`.
pub fn whole(least: u64, most: u64, default: Option<&Json>, keys: &[String], wild: bool, dice: &mut Dice) -> Json {
    if wild {
        return json!(*dice.of(&[least, most, least.saturating_add(1).min(most), most - (most - least) / 2]));
    }
    let usual =
        USUAL_WHOLE.iter().find(|(key, _)| keys.last().is_some_and(|last| last == key)).map(|(_, usual)| *usual);
    let default = default.and_then(Json::as_u64).map(|default| default.saturating_mul(4));
    let upto = usual.or(default).unwrap_or(40).max(least.saturating_add(8)).min(most);
    json!(dice.whole(least, upto))
}

/// Returns a number from `least` to `most`.
pub fn real(least: f64, most: f64, default: Option<&Json>, wild: bool, dice: &mut Dice) -> Json {
    let value = match default.and_then(Json::as_f64).filter(|default| *default > 0.0) {
        _ if wild => {
            *dice.of(&[least, most, least + (most - least) / 2.0, (least + 1e-9).min(most), f64::MIN_POSITIVE])
        }
        Some(default) => default * dice.log_uniform(0.3, 3.0),
        None if least > 0.0 => dice.log_uniform(least.max(0.1).min(most), most.min(20.0).max(least)),
        None => dice.unit() * most.min(1.0),
    };
    let value = value.clamp(least, most);
    // Few digits are usual and many digits occur, because both spellings have to be read alike.
    json!(if dice.chance(0.7) { ((value * 1000.0).round() / 1000.0).clamp(least, most) } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_of_their_form_and_have_the_word_that_is_asked_for() {
        let pattern = Pattern::parse(r"^\s*([0-9]+(\.[0-9]+)?\s*bdp|unlimited|[0-9]+(\.[0-9]+)?\s*(p|B|kB|KiB))\s*$");
        let (words, mut dice) = (pattern.words(), Dice::new(1, "values"));
        for round in 0..500 {
            let word = (round % 2 == 0).then_some(round / 2 % words.len());
            let text = text(&pattern, &words, word, &[], round % 5 == 0, &mut dice);
            let text = text.as_str().unwrap();
            assert!(pattern.matches(text), "{text}");
            assert!(word.is_none_or(|word| text.ends_with(&words[word])), "{text}: {word:?}");
        }
    }

    #[test]
    fn sizes_compare() {
        let sizes = ["1ns", "0.5us", "1 ms", "2ms", "1s"].map(|text| size(&json!(text)).unwrap());
        assert!(sizes.is_sorted_by(|a, b| a < b), "{sizes:?}");
    }
}
