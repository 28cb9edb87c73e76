//! The objective: a number for each flow, from its throughput and its delay. Larger is better.

use std::str::FromStr;

/// An objective of the paper, section 3.3.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Objective {
    /// log(throughput) - delta * log(delay), with the throughput in Mbit/s and the delay in smallest round-trip times.
    Log {
        /// Weight of the delay.
        delta: f64,
    },
    /// -1/throughput, with the throughput in Mbit/s: the time for a given volume.
    Inverse,
}

impl Objective {
    /// The value for a flow, from its throughput in Mbit/s and its delay in smallest round-trip times.
    pub fn of(&self, mbps: f64, delay: f64) -> f64 {
        match self {
            Objective::Log { delta } => libm::log(mbps) - delta * libm::log(delay),
            Objective::Inverse => -1.0 / mbps,
        }
    }

    /// Name in settings: `log` or `inverse`.
    pub fn name(&self) -> &'static str {
        match self {
            Objective::Log { .. } => "log",
            Objective::Inverse => "inverse",
        }
    }
}

impl FromStr for Objective {
    type Err = String;

    /// Reads `inverse`, or the number delta.
    fn from_str(text: &str) -> Result<Objective, String> {
        if text == "inverse" {
            return Ok(Objective::Inverse);
        }
        match text.parse() {
            Ok(delta) if (0.0..=1e6).contains(&delta) => Ok(Objective::Log { delta }),
            _ => {
                Err(format!("{text:?} is not an objective; accepted: inverse, or delta as a number from 0 to 1000000"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_by_arithmetic() {
        let log = Objective::Log { delta: 0.5 };
        assert!((log.of(libm::exp(2.0), libm::exp(3.0)) - 0.5).abs() < 1e-12);
        assert_eq!(Objective::Inverse.of(4.0, 100.0), -0.25);
        assert_eq!("0.5".parse(), Ok(log));
        assert_eq!("inverse".parse(), Ok(Objective::Inverse));
        for wrong in ["", "-1", "nan", "logarithm"] {
            assert!(wrong.parse::<Objective>().expect_err(wrong).contains("accepted"));
        }
    }
}
