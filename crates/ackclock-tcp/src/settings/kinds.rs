//! Kinds of settings: which values a setting accepts, and how tables and scripts spell them.

use super::Named;
use crate::config::InitialWindow;
use crate::{MILLISECOND, Nanos, SECOND};

/// Largest receive window that window scaling can advertise, in bytes (RFC 7323 section 2.3).
const LARGEST_WINDOW: u64 = 1 << 30;

/// The kind of a setting whose values have type `T`.
pub trait Kind<T> {
    /// The value as tables spell it. The first word is the text that [`Kind::parse`] accepts.
    fn show(&self, value: &T) -> String;

    /// The value that a text means.
    fn parse(&self, _text: &str) -> Option<T> {
        None
    }

    /// The texts that have a value, as a phrase; `None` if there are none.
    fn accepts(&self) -> Option<String> {
        None
    }

    /// The value as a switch.
    fn switch<'v>(&self, _value: &'v mut T) -> Option<&'v mut bool> {
        None
    }
}

/// A setting that is `on` or `off`.
pub struct Switch;

impl Kind<bool> for Switch {
    fn show(&self, on: &bool) -> String {
        if *on { "on" } else { "off" }.to_owned()
    }

    fn parse(&self, text: &str) -> Option<bool> {
        [("on", true), ("off", false)].into_iter().find(|(name, _)| *name == text).map(|(_, on)| on)
    }

    fn accepts(&self) -> Option<String> {
        Some("on, off".to_owned())
    }

    fn switch<'v>(&self, on: &'v mut bool) -> Option<&'v mut bool> {
        Some(on)
    }
}

/// A whole number.
pub struct Count {
    /// The things that are counted; empty for a plain number.
    pub noun: &'static str,
    /// Smallest and largest number.
    pub range: (u32, u32),
}

impl Count {
    /// A number of `noun`, from `least` to `most`.
    pub const fn of(noun: &'static str, least: u32, most: u32) -> Count {
        Count { noun, range: (least, most) }
    }

    /// The number with its noun.
    fn with_noun(&self, number: impl std::fmt::Display) -> String {
        format!("{number} {}", self.noun).trim_end().to_owned()
    }
}

impl Kind<u32> for Count {
    fn show(&self, number: &u32) -> String {
        self.with_noun(number)
    }

    fn parse(&self, text: &str) -> Option<u32> {
        let (least, most) = self.range;
        text.parse().ok().filter(|number| (least..=most).contains(number))
    }

    fn accepts(&self) -> Option<String> {
        let (least, most) = self.range;
        Some(self.with_noun(format_args!("{least} to {most}")))
    }
}

/// A time in whole seconds or milliseconds, such as `3s` or `200ms`; zero is `off`.
pub struct Time {
    /// Whether the time may be zero.
    pub may_be_off: bool,
}

impl Time {
    /// A time above zero.
    pub const POSITIVE: Time = Time { may_be_off: false };
    /// A time, or `off`.
    pub const OR_OFF: Time = Time { may_be_off: true };
}

impl Kind<Nanos> for Time {
    fn show(&self, time: &Nanos) -> String {
        match *time {
            0 => "off".to_owned(),
            time if time.is_multiple_of(SECOND) => format!("{}s", time / SECOND),
            time => format!("{}ms", time / MILLISECOND),
        }
    }

    fn parse(&self, text: &str) -> Option<Nanos> {
        let (digits, unit) = match text.strip_suffix("ms") {
            Some(digits) => (digits, MILLISECOND),
            None => (text.strip_suffix('s').unwrap_or_default(), SECOND),
        };
        let time = digits.parse::<u32>().ok().map(|number| u64::from(number) * unit).filter(|&time| time > 0);
        time.or((self.may_be_off && text == "off").then_some(0))
    }

    fn accepts(&self) -> Option<String> {
        let off = if self.may_be_off { ", or off" } else { "" };
        Some(format!("a time such as 200ms or 3s{off}"))
    }
}

/// A volume in bytes, such as `64KiB`; zero means any volume.
pub struct Volume {
    /// Smallest and largest volume, bytes; a largest volume of `None` means that there is no bound.
    pub range: (u64, Option<u64>),
}

impl Volume {
    /// A volume above zero.
    pub const POSITIVE: Volume = Volume { range: (1, None) };
    /// A receive buffer: at least the smallest segment, at most the largest window.
    pub const RECEIVE_BUFFER: Volume = Volume { range: (64, Some(LARGEST_WINDOW)) };
}

/// Units of volumes and their bytes, the largest first.
const UNITS: [(&str, u64); 3] = [("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl Kind<u64> for Volume {
    fn show(&self, bytes: &u64) -> String {
        let unit = UNITS.iter().find(|(_, unit)| *bytes > 0 && bytes.is_multiple_of(*unit));
        unit.map_or_else(|| "any".to_owned(), |(name, unit)| format!("{}{name}", bytes / unit))
    }

    fn parse(&self, text: &str) -> Option<u64> {
        let (least, most) = self.range;
        if text == "any" && most.is_none() {
            return Some(0);
        }
        let (digits, unit) = UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
        let bytes = digits.parse::<u32>().ok().map(|number| u64::from(number) * unit)?;
        (least..=most.unwrap_or(u64::MAX)).contains(&bytes).then_some(bytes)
    }

    fn accepts(&self) -> Option<String> {
        let any = if self.range.1.is_none() { ", or any" } else { "" };
        Some(format!("a volume such as 1460B or 64KiB{any}"))
    }
}

/// A value with a name ([`Named`]).
pub struct Choice;

impl<T: Named> Kind<T> for Choice {
    fn show(&self, value: &T) -> String {
        value.name().to_owned()
    }

    fn parse(&self, text: &str) -> Option<T> {
        T::all().into_iter().find(|(name, ..)| *name == text).map(|(_, value, _)| value)
    }

    fn accepts(&self) -> Option<String> {
        let names: Vec<&str> = T::all().into_iter().map(|(name, ..)| name).collect();
        Some(names.join(", "))
    }
}

/// The initial window: a number of segments, or `rfc6928`.
pub struct SegmentsOrRfc6928;

impl SegmentsOrRfc6928 {
    const SEGMENTS: Count = Count::of("segments", 1, 65_535);
}

impl Kind<InitialWindow> for SegmentsOrRfc6928 {
    fn show(&self, window: &InitialWindow) -> String {
        match window {
            InitialWindow::Segments(count) => SegmentsOrRfc6928::SEGMENTS.show(count),
            InitialWindow::Rfc6928 => "rfc6928".to_owned(),
        }
    }

    fn parse(&self, text: &str) -> Option<InitialWindow> {
        match text {
            "rfc6928" => Some(InitialWindow::Rfc6928),
            _ => SegmentsOrRfc6928::SEGMENTS.parse(text).map(InitialWindow::Segments),
        }
    }

    fn accepts(&self) -> Option<String> {
        SegmentsOrRfc6928::SEGMENTS.accepts().map(|segments| format!("{segments}, or rfc6928"))
    }
}

/// A setting whose value is not a single word: tables show it, and scripts cannot set it.
pub struct Shown<T>(pub fn(&T) -> String);

impl<T> Kind<T> for Shown<T> {
    fn show(&self, value: &T) -> String {
        (self.0)(value)
    }
}
