//! The files that random scenarios name. Each file is derived from its path, so a scenario needs only its text:
//! `N/NAME` is variant N of the format that the suffix of the name selects.

use std::fmt::Write as _;

use super::dice::Dice;
use super::values::NAMES;

/// RemyCC's rule table of an example scenario.
const REMYCC: &[u8] = include_bytes!("../../../../scenarios/remycc.dna");

/// Number of variants; the last one is damaged.
pub const VARIANTS: usize = 8;

/// Returns the bytes at a path.
///
/// # Errors
/// If there is no such file. A format with an unknown suffix has to be added here.
pub fn read(path: &str) -> Result<Vec<u8>, String> {
    let (variant, name) = path.split_once('/').ok_or("there is no such file")?;
    let variant: usize = variant.parse().map_err(|_| "there is no such folder")?;
    let mut dice = Dice::new(variant as u64, name);
    let mut bytes = match name.rsplit('.').next() {
        Some("cvec") => vectors(&mut dice).into_bytes(),
        Some("down") => deliveries(&mut dice).into_bytes(),
        Some("dna") => REMYCC.to_vec(),
        Some("log") => series(variant, &mut dice).into_bytes(),
        Some("dist") => delays(&mut dice).into_bytes(),
        _ => return Err("it has an unknown format".to_owned()),
    };
    if variant + 1 == VARIANTS {
        bytes.truncate(bytes.len() / 2);
        let place = dice.below(bytes.len().max(1));
        if let Some(byte) = bytes.get_mut(place) {
            *byte ^= 0x15;
        }
    }
    Ok(bytes)
}

/// Returns connection vectors of tmix in both formats.
fn vectors(dice: &mut Dice) -> String {
    let mut text = String::from("# made up\n");
    for number in 0..=dice.below(6) {
        let (start, epochs) = (dice.below(2_000_000), 1 + dice.below(3));
        let kind = *dice.of(&["SEQ", "S", "CONC"]);
        if kind == "CONC" {
            let _ = writeln!(text, "CONC {start} {epochs} {epochs} {number}");
            for _ in 0..epochs {
                let (there, back, wait) = (1 + dice.below(3_000), 1 + dice.below(30_000), dice.below(300_000));
                let _ = writeln!(text, "c> {there}\nc< {back}\nt> {wait}\nt< {wait}");
            }
            continue;
        }
        let _ = writeln!(text, "{kind} {start} {epochs} {number} 1");
        for _ in 0..epochs {
            let (there, back, wait) = (1 + dice.below(3_000), 1 + dice.below(30_000), dice.below(300_000));
            let _ = match kind {
                "S" => writeln!(text, "I 0 {wait} {there}\nA 0 {wait} {back}"),
                _ => writeln!(text, "> {there}\nt {wait}\n< {back}\nt {wait}"),
            };
        }
    }
    text
}

/// Returns a delivery trace of Mahimahi.
fn deliveries(dice: &mut Dice) -> String {
    let (mut text, mut now) = (String::new(), 1);
    for _ in 0..=dice.below(60) {
        let _ = writeln!(text, "{now}");
        now += if dice.chance(0.3) { 0 } else { dice.below(40) };
    }
    text
}

/// Returns times and rates in one of the forms that are read: two columns, the six of the HSDPA logs, or columns with
/// names, which are those that random scenarios give.
fn series(variant: usize, dice: &mut Dice) -> String {
    let mut text = match variant % 3 {
        2 => format!("time,down_mbps,{}\n", NAMES.join(",")),
        _ => String::new(),
    };
    for line in 1..=2 + dice.below(40) {
        let rate = 1 + dice.below(20);
        let _ = match variant % 3 {
            0 => writeln!(text, "{line} {rate}"),
            1 => writeln!(text, "{} {} 59.9 10.7 {} 1000", 1_289_406_399 + line, line * 1000, rate * 100_000),
            _ => writeln!(text, "{line},{rate}{}", format!(",{line}").repeat(NAMES.len())),
        };
    }
    text
}

/// Returns a delay table of iproute2.
fn delays(dice: &mut Dice) -> String {
    let mut values: Vec<i64> = (0..=dice.below(60)).map(|_| dice.below(65_536) as i64 - 32_768).collect();
    values.sort_unstable();
    let rows: Vec<_> = values.iter().map(i64::to_string).collect();
    format!("# made up\n{}\n", rows.join(" "))
}
