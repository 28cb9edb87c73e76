//! Quantities with more than one dimension: the limit of a queue, an amount of data, the rate of an access link.

use ackclock_core::Rate;
use ackclock_schema::kinds::Spelling;
use ackclock_schema::quantity::{PACKETS, POSITIVE, RATE, VOLUME, split};

/// Maximum length of a queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum QueueLimit {
    /// No limit: the queue never drops a packet.
    Unlimited,
    /// A number of packets, whatever their size.
    Packets(u64),
    /// A number of bytes.
    Bytes(u64),
    /// A number of bandwidth-delay products, above zero.
    Bdp(f64),
}

/// Maximum number of bandwidth-delay products in a scenario.
const MOST_BDP: f64 = 1e6;

impl QueueLimit {
    /// Converts a limit in bandwidth-delay products to bytes, rounded down, for a link of this `rate` and a round-trip
    /// time of `rtt` nanoseconds. Other limits are returned unchanged.
    pub fn resolved(self, rate: Rate, rtt: u64) -> QueueLimit {
        let QueueLimit::Bdp(factor) = self else { return self };
        let bdp = u128::from(rate.bits()) * u128::from(rtt) / (8 * 1_000_000_000);
        QueueLimit::Bytes(libm::floor(bdp as f64 * factor) as u64)
    }
}

impl Spelling for QueueLimit {
    const NOUN: &str = "queue limit";
    const ACCEPTS: &str = "a queue limit such as \"1bdp\", \"50 packets\", \"64KiB\" or \"unlimited\"";

    fn parse(text: &str) -> Result<QueueLimit, String> {
        if text.trim() == "unlimited" {
            return Ok(QueueLimit::Unlimited);
        }
        let limit = match split(text)? {
            (number, "bdp") => QueueLimit::Bdp(number.to_f64()),
            _ if PACKETS.has_unit_of(text) => QueueLimit::Packets(PACKETS.parse(text)?),
            _ => QueueLimit::Bytes(VOLUME.parse(text)?),
        };
        match limit {
            QueueLimit::Packets(0) | QueueLimit::Bytes(0) => Err("is zero".to_owned()),
            QueueLimit::Bdp(factor) if factor <= 0.0 => Err("is zero".to_owned()),
            QueueLimit::Bdp(factor) if factor > MOST_BDP => Err(format!("is more than {MOST_BDP}bdp")),
            limit => Ok(limit),
        }
    }

    fn write(&self) -> String {
        match *self {
            QueueLimit::Unlimited => "unlimited".to_owned(),
            QueueLimit::Packets(packets) => PACKETS.write(packets),
            QueueLimit::Bytes(bytes) => VOLUME.write(bytes),
            QueueLimit::Bdp(factor) => format!("{factor}bdp"),
        }
    }

    fn placeholder() -> QueueLimit {
        QueueLimit::Unlimited
    }

    fn patterns() -> Vec<String> {
        let [packets, volume] = [PACKETS, VOLUME].map(|dimension| dimension.pattern(POSITIVE));
        vec!["unlimited".to_owned(), format!(r"{POSITIVE}\s*bdp"), packets, volume]
    }
}

/// An amount of data, above zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// A number of bytes.
    Bytes(u64),
    /// A number of packets of the scenario's `packet_size`.
    Packets(u64),
}

impl Amount {
    /// Returns the amount in bytes, for packets of `packet_size` bytes.
    pub fn bytes(self, packet_size: u32) -> u64 {
        match self {
            Amount::Bytes(bytes) => bytes,
            Amount::Packets(packets) => packets.saturating_mul(u64::from(packet_size)),
        }
    }
}

impl Spelling for Amount {
    const NOUN: &str = "amount of data";
    const ACCEPTS: &str = "an amount of data above zero such as \"2 packets\" or \"3000B\"";

    fn parse(text: &str) -> Result<Amount, String> {
        split(text)?;
        let amount = if PACKETS.has_unit_of(text) {
            Amount::Packets(PACKETS.parse(text)?)
        } else {
            Amount::Bytes(VOLUME.parse(text)?)
        };
        match amount {
            Amount::Packets(0) | Amount::Bytes(0) => Err("is zero".to_owned()),
            amount => Ok(amount),
        }
    }

    fn write(&self) -> String {
        match *self {
            Amount::Bytes(bytes) => VOLUME.write(bytes),
            Amount::Packets(packets) => PACKETS.write(packets),
        }
    }

    fn placeholder() -> Amount {
        Amount::Bytes(0)
    }

    fn patterns() -> Vec<String> {
        vec![PACKETS.pattern(POSITIVE), VOLUME.pattern(POSITIVE)]
    }
}

/// The rate of an access link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AccessRate {
    /// A multiple of the bottleneck's rate.
    Times(f64),
    /// A number of bits per second.
    Rate(Rate),
}

/// Minimum and maximum ratio of an access link's rate to the bottleneck's rate.
const TIMES: std::ops::RangeInclusive<f64> = 1e-3..=1e6;

impl AccessRate {
    /// Returns the rate, at least one bit per second, where the bottleneck has the rate `bottleneck`.
    pub fn resolved(self, bottleneck: Rate) -> Rate {
        match self {
            AccessRate::Rate(rate) => rate,
            AccessRate::Times(factor) => {
                Rate::new(libm::floor(bottleneck.bits() as f64 * factor) as u64).unwrap_or(Rate::MIN)
            }
        }
    }
}

impl Spelling for AccessRate {
    const NOUN: &str = "access rate";
    const ACCEPTS: &str = "a rate above zero such as \"100Mbps\", or a multiple of the bottleneck's such as \"10x\"";

    fn parse(text: &str) -> Result<AccessRate, String> {
        match split(text)? {
            (number, "x") => match number.to_f64() {
                factor if TIMES.contains(&factor) => Ok(AccessRate::Times(factor)),
                _ => Err(format!("is not from {}x to {}x", TIMES.start(), TIMES.end())),
            },
            _ => Rate::new(RATE.parse(text)?).map(AccessRate::Rate).ok_or_else(|| "is zero".to_owned()),
        }
    }

    fn write(&self) -> String {
        match *self {
            AccessRate::Times(factor) => format!("{factor}x"),
            AccessRate::Rate(rate) => RATE.write(rate.bits()),
        }
    }

    fn placeholder() -> AccessRate {
        AccessRate::Times(1.0)
    }

    fn patterns() -> Vec<String> {
        vec![format!(r"{POSITIVE}\s*x"), RATE.pattern(POSITIVE)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_written_back() {
        for (text, limit, written) in [
            ("unlimited", QueueLimit::Unlimited, "unlimited"),
            ("50p", QueueLimit::Packets(50), "50 packets"),
            ("65536B", QueueLimit::Bytes(65_536), "64KiB"),
            ("0.50 bdp", QueueLimit::Bdp(0.5), "0.5bdp"),
            ("1bdp", QueueLimit::Bdp(1.0), "1bdp"),
        ] {
            assert_eq!(QueueLimit::parse(text), Ok(limit));
            assert_eq!(limit.write(), written);
            assert_eq!(QueueLimit::parse(written), Ok(limit));
        }
        for (text, reason) in [
            ("0bdp", "is zero"),
            ("0 packets", "is zero"),
            ("0B", "is zero"),
            ("-1bdp", "is negative"),
            ("inf", "is not a finite number"),
            ("2000000bdp", "is more than 1000000bdp"),
            ("5", "has no unit"),
            ("5 parsecs", "has the unknown unit \"parsecs\""),
        ] {
            assert_eq!(QueueLimit::parse(text), Err(reason.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_bandwidth_delay_product_is_rate_times_round_trip_time() {
        // 1 Mbit/s * 0.4 s / 8 = 50,000 bytes.
        assert_eq!(
            QueueLimit::Bdp(1.0).resolved(Rate::new(1_000_000).unwrap(), 400_000_000),
            QueueLimit::Bytes(50_000)
        );
        assert_eq!(
            QueueLimit::Bdp(0.5).resolved(Rate::new(1_000_000).unwrap(), 400_000_000),
            QueueLimit::Bytes(25_000)
        );
        assert_eq!(QueueLimit::Packets(7).resolved(Rate::new(1_000_000).unwrap(), 400_000_000), QueueLimit::Packets(7));
        // The largest rate and the largest time neither overflow nor wrap.
        assert_eq!(
            QueueLimit::Bdp(MOST_BDP).resolved(Rate::new(RATE.max).unwrap(), u64::MAX),
            QueueLimit::Bytes(u64::MAX)
        );
    }

    #[test]
    fn amounts_and_access_rates() {
        assert_eq!(Amount::parse("2 packets").map(|amount| amount.bytes(1_500)), Ok(3_000));
        assert_eq!(Amount::parse("9kB").map(|amount| amount.bytes(1_500)), Ok(9_000));
        assert_eq!(Amount::parse("0 packets"), Err("is zero".to_owned()));
        assert_eq!(
            AccessRate::parse("10x").map(|rate| rate.resolved(Rate::new(1_000_000).unwrap()).bits()),
            Ok(10_000_000)
        );
        assert_eq!(
            AccessRate::parse("2Mbps").map(|rate| rate.resolved(Rate::new(1_000_000).unwrap()).bits()),
            Ok(2_000_000)
        );
        assert_eq!(AccessRate::parse("0x"), Err("is not from 0.001x to 1000000x".to_owned()));
        assert_eq!(AccessRate::parse("0bps"), Err("is zero".to_owned()));
        assert_eq!(AccessRate::Times(2.5).write(), "2.5x");
    }
}
