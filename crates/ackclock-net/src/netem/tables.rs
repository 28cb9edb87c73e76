//! The delay distributions of iproute2 as tables, in units of 1/8192 of the jitter, and its format of table files.

use std::sync::{Arc, OnceLock};

/// A table of delays: each entry is drawn with the same probability.
pub type Table = Arc<[i16]>;

/// A unit of a table: a value of this size is one jitter.
pub(super) const SCALE: i64 = 8192;
/// Largest number of values in a table (NETEM_DIST_MAX).
const MOST: usize = 16_384;
/// Number of values in the tables of iproute2.
const SIZE: usize = 4096;

/// A distribution with a table of its own in iproute2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Normal; the jitter is the standard deviation.
    Normal,
    /// Pareto with shape 3, shifted and scaled to the mean zero.
    Pareto,
    /// A quarter of the normal and three quarters of the Pareto distribution's value.
    ParetoNormal,
}

/// Table of a distribution, value by value that of iproute2's programs.
pub fn table(shape: Shape) -> Table {
    static TABLES: OnceLock<[Table; 3]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        let (normal, pareto) = (normal(), pareto());
        let both = |(n, p): (&f64, &f64)| libm::trunc(0.25 * n + 0.75 * p) as i16;
        let mixed = normal.iter().zip(&pareto).map(both).collect();
        // The conversion to i16 cuts the first value of the normal distribution, which is not cut in the mixture.
        let whole = |values: Vec<f64>| values.into_iter().map(|value| value as i16).collect();
        [whole(normal), whole(pareto), mixed]
    });
    tables[shape as usize].clone()
}

/// Quantiles of the normal distribution at multiples of 1/4096, from a grid of arguments.
fn normal() -> Vec<f64> {
    let steps = 4.0 * SIZE as f64;
    let mut quantiles = vec![0.0; 4 * SIZE + 1];
    let mut x = -10.0;
    while x < 10.05 {
        let place = libm::rint(steps * (0.5 + 0.5 * libm::erf(x / core::f64::consts::SQRT_2)));
        quantiles[place as usize] = x;
        x += 0.00005;
    }
    let scaled = |x: &f64| libm::rint(x * SCALE as f64);
    quantiles.iter().step_by(4).take(SIZE).map(scaled).collect()
}

/// Quantiles of the Pareto distribution with shape 3 at multiples of 1/4096.
fn pareto() -> Vec<f64> {
    let value = |left: usize| {
        let quantile = 1.0 / libm::pow(left as f64 / 65_536.0, 1.0 / 3.0);
        libm::rint(((quantile - 1.5) * (4.0 / 3.0) * SCALE as f64).min(f64::from(i16::MAX)))
    };
    (1..=SIZE).rev().map(|step| value(16 * step)).collect()
}

/// Reads a table in the format of iproute2's `.dist` files: whole numbers separated by white space; `#` begins a comment.
///
/// # Errors
/// The line and the mistake in it.
pub fn parse(text: &[u8]) -> Result<Table, String> {
    let text = str::from_utf8(text).map_err(|_| "it is not text".to_owned())?;
    let mut values = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split_ascii_whitespace() {
            let value = word.parse::<i16>();
            values.push(
                value.map_err(|_| format!("line {number}: {word:?} is not a whole number from -32768 to 32767"))?,
            );
        }
    }
    match values.len() {
        0 => Err("it has no values".to_owned()),
        count if count > MOST => Err(format!("it has {count} values, and the kernel takes at most {MOST}")),
        _ => Ok(values.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORMAL: (usize, i64, i64) = (4096, -26163, 38718192955);
    const PARETO: (usize, i64, i64) = (4096, -1123786, 22904699865);
    const PARETO_NORMAL: (usize, i64, i64) = (4096, -848968, 26857509890);

    /// Number, sum, and sum of the products with the place, which are those of the files of iproute2 6.1.
    #[test]
    fn tables_are_those_of_iproute2() {
        let sums = |shape| {
            let table = table(shape);
            let sum: i64 = table.iter().map(|value| i64::from(*value)).sum();
            let weighted: i64 = (1..).zip(table.iter()).map(|(place, value)| place * i64::from(*value)).sum();
            (table.len(), sum, weighted)
        };
        assert_eq!(sums(Shape::Normal), NORMAL);
        assert_eq!(sums(Shape::Pareto), PARETO);
        assert_eq!(sums(Shape::ParetoNormal), PARETO_NORMAL);
    }

    #[test]
    fn files_are_read_or_refused_with_the_line() {
        assert_eq!(parse(b"# a comment\n -32768 5 # more\n\n7\n").map(|table| table.to_vec()), Ok(vec![-32_768, 5, 7]));
        assert_eq!(parse(b"1\n2 x\n"), Err("line 2: \"x\" is not a whole number from -32768 to 32767".to_owned()));
        assert_eq!(parse(b"40000"), Err("line 1: \"40000\" is not a whole number from -32768 to 32767".to_owned()));
        assert_eq!(parse(b"# nothing\n"), Err("it has no values".to_owned()));
        assert!(parse("1 ".repeat(16_385).as_bytes()).is_err());
        assert!(parse(&[0xff]).is_err());
    }
}
