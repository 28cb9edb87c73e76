//! Names that mean several forms of an algorithm. The stack decides which form a name means.

use super::{CATALOGUE, Entry};

/// An algorithm that exists in several forms: as its paper or RFC specifies it, and as systems implement it.
///
/// A form has a full name, which means the same on every stack. The family's name means the form of the stack
/// ([`crate::stack::Stack::form`]), or the standard form where the stack has none.
#[derive(Debug)]
pub struct Family {
    /// Name in scenarios.
    pub name: &'static str,
    /// Full name of the form that the RFC, the draft or the paper specifies.
    pub standard: &'static str,
    /// Full names of the other forms.
    pub others: &'static [&'static str],
}

/// All families, in the order of their names.
pub const FAMILIES: &[Family] = &[
    family("bbr", "bbr3", &["bbr1"]),
    family("bic", "bic-paper", &["bic-linux"]),
    family("cubic", "cubic-rfc9438", &["cubic-linux", "cubic-rfc8312", "cubic-2.0", "cubic-2.1"]),
    family("dctcp", "dctcp-rfc8257", &["dctcp-linux"]),
    family("highspeed", "highspeed-rfc3649", &["highspeed-linux"]),
    family("htcp", "htcp-paper", &["htcp-linux"]),
    family("hybla", "hybla-paper", &["hybla-linux"]),
    family("illinois", "illinois-paper", &["illinois-linux"]),
    family("lp", "lp-paper", &["lp-linux"]),
    family("reno", "reno-rfc5681", &["reno-linux", "reno-ns2"]),
    family("scalable", "scalable-paper", &["scalable-linux"]),
    family("vegas", "vegas-paper", &["vegas-linux", "vegas-2.6"]),
    family("veno", "veno-paper", &["veno-linux"]),
    family("westwood", "westwood-paper", &["westwood-linux"]),
    family("yeah", "yeah-paper", &["yeah-linux"]),
];

const fn family(name: &'static str, standard: &'static str, others: &'static [&'static str]) -> Family {
    Family { name, standard, others }
}

impl Family {
    /// The family with a name.
    pub fn by_name(name: &str) -> Option<&'static Family> {
        FAMILIES.iter().find(|family| family.name == name)
    }

    /// The entries of all forms, the standard form first.
    pub fn forms(&self) -> impl Iterator<Item = &'static Entry> + use<> {
        let names = std::iter::once(self.standard).chain(self.others.iter().copied());
        names.map(|name| CATALOGUE.iter().find(|entry| entry.name == name).expect("families name entries"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_sorted_and_no_name_means_two_things() {
        for pair in FAMILIES.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
        for family in FAMILIES {
            assert!(CATALOGUE.iter().all(|entry| entry.name != family.name), "{}", family.name);
            assert_eq!(family.forms().count(), 1 + family.others.len());
        }
    }

    #[test]
    fn a_form_whose_name_begins_with_a_family_belongs_to_it() {
        for entry in CATALOGUE {
            let Some((start, _)) = entry.name.split_once('-') else { continue };
            if let Some(family) = Family::by_name(start) {
                assert!(family.forms().any(|form| form.name == entry.name), "{}", entry.name);
            }
        }
    }
}
