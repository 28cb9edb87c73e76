//! The files that random scenarios name. Each is made of its path, so that a scenario needs nothing besides its text:
//! `N/NAME` is variant N of the format that the ending of the name tells.

use std::fmt::Write as _;

use super::dice::Dice;

/// RemyCC's table that an example scenario has.
const REMYCC: &[u8] = include_bytes!("../../../../scenarios/remycc.dna");

/// How many variants there are, the last of them damaged.
pub const VARIANTS: usize = 8;

/// The bytes at a path.
///
/// # Errors
/// Where there is no such file: what a format is like whose ending is unknown has to be said here.
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

/// Connection vectors of tmix in both formats.
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

/// A delivery trace of Mahimahi.
fn deliveries(dice: &mut Dice) -> String {
    let (mut text, mut now) = (String::new(), 1);
    for _ in 0..=dice.below(60) {
        let _ = writeln!(text, "{now}");
        now += if dice.chance(0.3) { 0 } else { dice.below(40) };
    }
    text
}
