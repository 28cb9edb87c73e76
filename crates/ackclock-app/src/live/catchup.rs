//! Control of the playback rate, which keeps the latency of a live client at its target.

use super::player::NORMAL;

/// Method of choosing the playback rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CatchUp {
    /// The default mode of dash.js: a sigmoid of the difference between latency and target.
    Latency,
    /// The mode LoL+ of dash.js: the same, but slower playback while the buffer is low.
    Buffer,
    /// The rate is always 1.
    Off,
}

/// dash.js: seconds by which the latency differs from its target, times this number, are the sigmoid's argument.
const STEEPNESS: f64 = 5.0;
/// dash.js, `playbackBufferMin`: buffer in seconds below which the mode LoL+ plays slower.
const LOW_BUFFER_S: f64 = 0.5;
/// dash.js: part of the target by which the latency may differ in the mode LoL+.
const TOLERANCE: f64 = 0.02;
/// dash.js: least change of the rate, where playback may be faster by [`WIDEST`].
const LEAST_CHANGE: f64 = 0.02;
const WIDEST: f64 = 0.5;

/// The state from which a rate is chosen, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs {
    /// Time from the event to its playback.
    pub latency: f64,
    /// Latency to reach.
    pub target: f64,
    /// Media in the buffer.
    pub buffer: f64,
    /// Whether playback has stalled, and the buffer has not been at half of the target since.
    pub recovering: bool,
}

/// The method and its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    pub method: CatchUp,
    /// Lowest and highest rate.
    pub slowest: f64,
    pub fastest: f64,
}

impl Control {
    /// Returns the rate in millionths that follows the rate `now`. A change that is too small does not happen, unless
    /// it leads to the normal speed.
    pub fn next(&self, now: u64, inputs: Inputs) -> u64 {
        let rate = match self.method {
            CatchUp::Off => return NORMAL,
            CatchUp::Latency if inputs.recovering => return NORMAL,
            CatchUp::Buffer if inputs.buffer < LOW_BUFFER_S => self.sigmoid(inputs.buffer - LOW_BUFFER_S),
            CatchUp::Buffer if (inputs.latency - inputs.target).abs() <= TOLERANCE * inputs.target => return NORMAL,
            CatchUp::Latency | CatchUp::Buffer => self.sigmoid(inputs.latency - inputs.target),
        };
        let rate = libm::round(rate * NORMAL as f64) as u64;
        let least = LEAST_CHANGE * (self.fastest - 1.0) / WIDEST * NORMAL as f64;
        if rate == NORMAL || rate.abs_diff(now) as f64 >= least { rate } else { now }
    }

    /// Returns 1 - c + 2 c / (1 + e^(-5 d)) for a difference of d seconds, where c is the width of the rates on that
    /// side of 1.
    fn sigmoid(&self, difference: f64) -> f64 {
        let width = if difference < 0.0 { 1.0 - self.slowest } else { self.fastest - 1.0 };
        1.0 - width + 2.0 * width / (1.0 + libm::exp(-STEEPNESS * difference))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_TARGET: Inputs = Inputs { latency: 3.0, target: 3.0, buffer: 2.0, recovering: false };

    fn rate(method: CatchUp, inputs: Inputs) -> u64 {
        Control { method, slowest: 0.9, fastest: 1.2 }.next(NORMAL, inputs)
    }

    /// With d = 0.2 s the sigmoid is 2 / (1 + 1/e) - 1 = 0.46212 of the width, and with -0.2 s the negative of it.
    #[test]
    fn the_rate_follows_a_sigmoid_of_the_latency() {
        assert_eq!(rate(CatchUp::Latency, AT_TARGET), NORMAL);
        let at = |latency| rate(CatchUp::Latency, Inputs { latency, ..AT_TARGET });
        assert_eq!((at(3.2), at(2.8)), (1_092_423, 953_788));
        assert_eq!((at(20.0), at(0.0)), (1_200_000, 900_000));
    }

    #[test]
    fn a_client_that_recovers_from_a_stall_plays_at_normal_speed() {
        let inputs = Inputs { latency: 5.0, recovering: true, ..AT_TARGET };
        assert_eq!(rate(CatchUp::Latency, inputs), NORMAL);
    }

    #[test]
    fn the_mode_of_the_buffer_slows_down_before_it_is_empty() {
        let low = Inputs { latency: 5.0, buffer: 0.3, ..AT_TARGET };
        assert_eq!(rate(CatchUp::Buffer, low), 953_788);
        assert_eq!(rate(CatchUp::Buffer, Inputs { buffer: 0.5, ..low }), 1_199_982);
        assert_eq!(rate(CatchUp::Buffer, Inputs { latency: 3.05, ..AT_TARGET }), NORMAL, "2 % are tolerated");
        assert!(rate(CatchUp::Buffer, Inputs { latency: 3.07, ..AT_TARGET }) > NORMAL);
    }

    /// Rates of up to 1.2 change by 0.008 at least.
    #[test]
    fn small_changes_are_left_out() {
        let control = Control { method: CatchUp::Latency, slowest: 0.9, fastest: 1.2 };
        let to = |latency| control.next(1_092_423, Inputs { latency, ..AT_TARGET });
        assert_eq!(to(3.19), 1_092_423, "1.0885");
        assert_eq!(to(3.18), 1_084_380);
        assert_eq!(control.next(1_001_000, AT_TARGET), NORMAL, "the normal speed is always taken");
    }

    #[test]
    fn off_is_the_normal_speed() {
        assert_eq!(rate(CatchUp::Off, Inputs { latency: 9.0, ..AT_TARGET }), NORMAL);
    }
}
