//! The files that random scenarios name. Each file is derived from its path, so a scenario needs only its text:
//! `N/NAME` is variant N of the format that the suffix of the name selects.

use std::fmt::Write as _;

use super::dice::Dice;

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
