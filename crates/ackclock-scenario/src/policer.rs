//! A policer at the entry of a link: a token bucket that drops, marks or reclassifies packets and does not queue.

use ackclock_core::Rate;
use ackclock_net::{self as net, Action, Meter};
use ackclock_schema::kinds::{Spelling, rate, spelled, volume};
use ackclock_schema::quantity::{RATE, VOLUME};
use ackclock_schema::record;
use ackclock_schema::record::{default, like, optional, required};
use ackclock_schema::tree::KeyPath;
use ackclock_schema::{Rules, union};

/// Largest traffic class.
const MOST_CLASS: u8 = 7;

/// Treatment of the packets of a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Treatment(pub Action);

impl Spelling for Treatment {
    const NOUN: &str = "action";
    const ACCEPTS: &str = "\"drop\", \"mark\" (CE on ECN-capable packets; others are dropped), \"pass\", or a traffic class from \"class 0\" to \"class 7\"";

    fn parse(text: &str) -> Result<Treatment, String> {
        let action = match text.trim() {
            "drop" => Action::Drop,
            "mark" => Action::Mark,
            "pass" => Action::Pass,
            text => {
                let class = text.strip_prefix("class").map(|rest| rest.trim().parse());
                let Some(Ok(class)) = class else { return Err("is not a known action".to_owned()) };
                if class > MOST_CLASS {
                    return Err(format!("is more than class {MOST_CLASS}"));
                }
                Action::Class(class)
            }
        };
        Ok(Treatment(action))
    }

    fn write(&self) -> String {
        match self.0 {
            Action::Drop => "drop".to_owned(),
            Action::Mark => "mark".to_owned(),
            Action::Pass => "pass".to_owned(),
            Action::Class(class) => format!("class {class}"),
        }
    }

    fn placeholder() -> Treatment {
        Treatment(Action::Drop)
    }

    fn patterns() -> Vec<String> {
        ["drop", "mark", "pass", "class ?[0-7]"].map(str::to_owned).to_vec()
    }
}

union! {
    /// A policer: a meter of token buckets that drops, marks or reclassifies the packets that exceed its rates, and queues
    /// none. Sizes are those of IP packets.
    pub enum Policer, otherwise Some(("token-bucket", "rate")), {
        /// Two colours: a packet conforms if the bucket, and that of the peak rate where there is one, have tokens for all
        /// of its bytes (Linux, net/sched/act_police.c).
        "token-bucket" => TokenBucket(TokenBucket),
        /// Three colours of one rate with a committed and an excess burst, in the colour-blind mode (RFC 2697).
        "single-rate" => SingleRate(SingleRate),
        /// Three colours of a committed and a peak rate, in the colour-blind mode (RFC 2698).
        "two-rate" => TwoRate(TwoRate),
    }
}

record! {
    /// A policer of two colours.
    pub struct TokenBucket {
        /// Rate of the tokens.
        rate: u64 = required(rate().positive());
        /// Depth of the bucket: the bytes that pass at once after an idle period.
        burst: u64 = required(volume().positive());
        /// Peak rate, which a second bucket of mtu bytes meters.
        peak_rate: Option<u64> = optional("the link's rate", rate().positive());
        /// Depth of the bucket of the peak rate.
        mtu: Option<u64> = optional("packet_size", volume().positive());
        /// Action for packets that exceed the rates.
        exceed: Treatment = default("drop", spelled());
    }
}

record! {
    /// A single-rate policer of three colours.
    pub struct SingleRate {
        /// Committed information rate (CIR), which fills the committed bucket and then the excess bucket.
        rate: u64 = required(rate().positive());
        /// Committed burst size (CBS): depth of the committed bucket.
        burst: u64 = required(volume().positive());
        /// Excess burst size (EBS): depth of the excess bucket.
        excess_burst: u64 = like("burst", volume());
        /// Action for yellow packets, which take tokens from the excess bucket.
        yellow: Treatment = default("pass", spelled());
        /// Action for red packets, for which neither bucket has tokens.
        red: Treatment = default("drop", spelled());
    }
}

record! {
    /// A two-rate policer of three colours.
    pub struct TwoRate {
        /// Committed information rate (CIR).
        rate: u64 = required(rate().positive());
        /// Committed burst size (CBS): depth of the committed bucket.
        burst: u64 = required(volume().positive());
        /// Peak information rate (PIR), not below the committed rate.
        peak_rate: u64 = required(rate().positive());
        /// Peak burst size (PBS): depth of the peak bucket.
        peak_burst: u64 = like("burst", volume().positive());
        /// Action for yellow packets, which exceed the committed rate.
        yellow: Treatment = default("pass", spelled());
        /// Action for red packets, which exceed the peak rate.
        red: Treatment = default("drop", spelled());
    }
}

/// Returns a rate that the scenario has checked to be above zero.
fn above_zero(rate: u64) -> Rate {
    Rate::new(rate).unwrap_or(Rate::MIN)
}

impl Policer {
    /// Returns the policer with full buckets, for packets of `packet_size` bytes.
    pub fn make(&self, packet_size: u32) -> net::Policer {
        match self {
            Policer::TokenBucket(TokenBucket { rate, burst, peak_rate, mtu, exceed }) => {
                let mtu = mtu.unwrap_or_else(|| u64::from(packet_size));
                let peak = peak_rate.map(|rate| (above_zero(rate), mtu));
                let meter = Meter::TokenBucket { committed: (above_zero(*rate), *burst), peak };
                net::Policer::new(meter, exceed.0, exceed.0)
            }
            Policer::SingleRate(SingleRate { rate, burst, excess_burst, yellow, red }) => {
                let meter = Meter::SingleRate { committed: (above_zero(*rate), *burst), excess: *excess_burst };
                net::Policer::new(meter, yellow.0, red.0)
            }
            Policer::TwoRate(TwoRate { rate, burst, peak_rate, peak_burst, yellow, red }) => {
                let (committed, peak) = ((above_zero(*rate), *burst), (above_zero(*peak_rate), *peak_burst));
                net::Policer::new(Meter::TwoRate { committed, peak }, yellow.0, red.0)
            }
        }
    }

    /// Refuses buckets that no full packet ever passes, and peak rates below the rate. `packet_size` is the scenario's, and
    /// `of_packet` is its field.
    pub(super) fn check(&self, packet_size: u32, of_packet: &KeyPath, rules: &mut Rules<'_, '_>) {
        let packet = u64::from(packet_size);
        let needs = [of_packet.clone()];
        let mut depth = |name: &str, bytes: u64| {
            let size = VOLUME.write(packet);
            let message = format!(
                "is less than one packet, so that no full packet ever conforms; accepted: at least the packet_size, \"{size}\""
            );
            rules.refuse(bytes < packet, name, &needs, &VOLUME.write(bytes), message);
        };
        let (rate, peak) = match self {
            Policer::TokenBucket(TokenBucket { rate, burst, peak_rate, mtu, .. }) => {
                depth("burst", *burst);
                depth("mtu", mtu.unwrap_or(packet));
                let message = "has no effect without a peak rate; accepted: no mtu, or a peak_rate above the rate";
                rules.refuse(mtu.is_some() && peak_rate.is_none(), "mtu", &[], "", message);
                (*rate, peak_rate.map(|peak| (peak, peak > *rate, "more than")))
            }
            Policer::SingleRate(SingleRate { burst, .. }) => {
                depth("burst", *burst);
                return;
            }
            Policer::TwoRate(TwoRate { rate, burst, peak_rate, peak_burst, .. }) => {
                depth("burst", *burst);
                depth("peak_burst", *peak_burst);
                (*rate, Some((*peak_rate, peak_rate >= rate, "at least")))
            }
        };
        if let Some((peak, goes, relation)) = peak {
            let needs = [rules.at.key("rate")];
            let message = format!("does not go with the rate; accepted: {relation} the rate, \"{}\"", RATE.write(rate));
            rules.refuse(!goes, "peak_rate", &needs, &RATE.write(peak), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_read_and_written_back() {
        for (text, action, written) in [
            ("drop", Action::Drop, "drop"),
            (" mark ", Action::Mark, "mark"),
            ("pass", Action::Pass, "pass"),
            ("class3", Action::Class(3), "class 3"),
            ("class 0", Action::Class(0), "class 0"),
        ] {
            assert_eq!(Treatment::parse(text), Ok(Treatment(action)));
            assert_eq!(Treatment(action).write(), written);
        }
        assert_eq!(Treatment::parse("class 8"), Err("is more than class 7".to_owned()));
        for text in ["shoot", "class", "class -1", "class 3x", ""] {
            assert_eq!(Treatment::parse(text), Err("is not a known action".to_owned()), "{text}");
        }
    }
}
