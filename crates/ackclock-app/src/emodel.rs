//! The E-model (ITU-T G.107), which rates the quality of a conversation from its delay and its packet loss.
//!
//! All functions are pure formulas. Every parameter other than delay and loss has the default value of G.107 Table 2;
//! with the defaults R is 93.2.

use libm::{exp, log2, log10, pow, sqrt};

/// Send and receive loudness ratings, dB.
const SLR: f64 = 8.0;
const RLR: f64 = 2.0;
/// Sidetone masking rating, and listener sidetone rating, dB.
const STMR: f64 = 15.0;
const LSTR: f64 = 18.0;
/// D-value of the telephone at the send side.
const DS: f64 = 3.0;
/// Talker echo loudness rating and weighted echo path loss, dB.
const TELR: f64 = 65.0;
const WEPL: f64 = 110.0;
/// Quantisation distortion units.
const QDU: f64 = 1.0;
/// Circuit noise, dBm0p, and noise floor at the receive side, dBmp.
const NC: f64 = -70.0;
const NFOR: f64 = -64.0;
/// Room noise at the send and the receive side, dB(A).
const PS: f64 = 35.0;
const PR: f64 = 35.0;

/// The effect of a codec on speech (ITU-T G.113 Appendix I).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Equipment {
    /// Equipment impairment factor, Ie.
    pub impairment: f64,
    /// Packet-loss robustness factor, Bpl.
    pub robustness: f64,
}

/// The network conditions of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Conditions {
    /// Delay from mouth to ear, one way, in ms; the echo takes twice as long.
    pub delay_ms: f64,
    /// Fraction of the packets that is lost, 0 to 1.
    pub loss: f64,
    /// BurstR: mean length of a run of lost packets, divided by the mean length with random loss; at least 1.
    pub burst_ratio: f64,
    /// Advantage factor A, 0 to 20: the impairment that users accept for the advantage of having the call.
    pub advantage: f64,
}

/// Returns the transmission rating factor R = Ro - Is - Id - Ie,eff + A (G.107 equation 7-1).
pub fn rating(equipment: Equipment, conditions: Conditions) -> f64 {
    let noise = noise();
    let signal = signal_to_noise(noise);
    let sidetone = sidetone(conditions.delay_ms);
    signal
        - simultaneous(noise, signal, sidetone)
        - delay(noise, signal, conditions.delay_ms)
        - effective_equipment(equipment, conditions)
        + conditions.advantage
}

/// Returns the mean opinion score of a conversation, from 1 to 4.5, estimated from R (G.107 equation B-4). The
/// polynomial of the equation falls to 0.989 where R is about 3.2 and returns to 1 where R is 6.52. The scale begins at
/// 1, so the score is no lower.
pub fn mean_opinion_score(rating: f64) -> f64 {
    if rating <= 0.0 {
        1.0
    } else if rating >= 100.0 {
        4.5
    } else {
        (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).max(1.0)
    }
}

fn from_db(level: f64) -> f64 {
    pow(10.0, level / 10.0)
}

/// Returns No, in dBm0p: the sum of the powers of circuit noise, the room noises at both sides and the noise floor (7-3
/// to 7-7).
fn noise() -> f64 {
    let overall = SLR + RLR;
    let from_sender = PS - SLR - DS - 100.0 + 0.004 * square(PS - overall - DS - 14.0);
    let room = PR + 10.0 * log10(1.0 + from_db(10.0 - LSTR));
    let from_receiver = RLR - 121.0 + room + 0.008 * square(room - 35.0);
    10.0 * log10([NC, from_sender, from_receiver, NFOR + RLR].map(from_db).iter().sum())
}

/// Returns Ro, the basic signal-to-noise ratio (7-2).
fn signal_to_noise(noise: f64) -> f64 {
    15.0 - 1.5 * (SLR + noise)
}

/// Returns Ist, the impairment by sidetone that is not optimum, which includes an early echo (7-11, 7-12).
fn sidetone(delay_ms: f64) -> f64 {
    let masking = -10.0 * log10(from_db(-STMR) + exp(-delay_ms / 4.0) * from_db(-TELR));
    let term = |shift: f64, scale: f64, order: f64| root_of_one_more((masking + shift) / scale, order);
    12.0 * term(-13.0, 6.0, 8.0) - 28.0 * term(1.0, 19.4, 35.0) - 13.0 * term(-3.0, 33.0, 13.0) + 29.0
}

/// Returns Is: the impairments by a connection that is too loud, by sidetone and by quantisation distortion (7-8 to
/// 7-17).
fn simultaneous(noise: f64, signal: f64, sidetone: f64) -> f64 {
    let loudness = SLR + RLR + 0.2 * (64.0 + noise - RLR);
    let too_loud = 20.0 * (root_of_one_more(loudness / 8.0, 8.0) - loudness / 8.0);
    let quality = 37.0 - 15.0 * log10(QDU);
    let distortion = 1.07 + 0.258 * quality + 0.0602 * square(quality);
    let (y, z) = ((signal - 100.0) / 15.0 + 46.0 / 8.4 - distortion / 9.0, 46.0 / 30.0 - distortion / 40.0);
    too_loud + sidetone + 15.0 * log10(1.0 + pow(10.0, y) + pow(10.0, z))
}

/// Returns Id: the impairments by talker echo, by listener echo and by delay itself (7-18 to 7-28).
fn delay(noise: f64, signal: f64, delay_ms: f64) -> f64 {
    // STMR is in the range (9 dB to 20 dB) in which sidetone neither masks talker echo nor adds to it.
    let perceived =
        TELR - 40.0 * log10((1.0 + delay_ms / 10.0) / (1.0 + delay_ms / 150.0)) + 6.0 * exp(-0.3 * square(delay_ms));
    let echo = half_way_up(-1.5 * (noise - RLR) - (80.0 + 2.5 * (perceived - 14.0)), 100.0) - 1.0;
    let talker = echo * (1.0 - exp(-delay_ms));
    let round_trip = 2.0 * delay_ms;
    let listener = half_way_up(signal - 10.5 * (WEPL + 7.0) * pow(round_trip + 1.0, -0.25), 169.0);
    talker + listener + pure_delay(delay_ms)
}

/// Returns Idd (7-27, 7-28), which is zero up to 100 ms.
fn pure_delay(delay_ms: f64) -> f64 {
    if delay_ms <= 100.0 {
        return 0.0;
    }
    let doublings = log2(delay_ms / 100.0);
    25.0 * (root_of_one_more(doublings, 6.0) - 3.0 * root_of_one_more(doublings / 3.0, 6.0) + 2.0)
}

/// Returns Ie,eff (7-29).
fn effective_equipment(equipment: Equipment, conditions: Conditions) -> f64 {
    let percent = conditions.loss * 100.0;
    let suffered = percent / (percent / conditions.burst_ratio + equipment.robustness);
    equipment.impairment + (95.0 - equipment.impairment) * suffered
}

fn square(value: f64) -> f64 {
    value * value
}

/// Returns (1 + value^order)^(1/order).
fn root_of_one_more(value: f64, order: f64) -> f64 {
    pow(1.0 + pow(value, order), 1.0 / order)
}

/// Returns a smooth maximum of zero and `value`: value / 2 + sqrt(value^2 / 4 + smoothness).
fn half_way_up(value: f64, smoothness: f64) -> f64 {
    value / 2.0 + sqrt(square(value) / 4.0 + smoothness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voip::Codec;

    const CLEAN: Conditions = Conditions { delay_ms: 0.0, loss: 0.0, burst_ratio: 1.0, advantage: 0.0 };

    fn g711(conditions: Conditions) -> f64 {
        rating(Codec::G711.equipment(), conditions)
    }

    #[test]
    fn with_all_defaults_r_is_93_2_and_the_score_4_41() {
        assert_eq!(format!("{:.1} {:.2}", g711(CLEAN), mean_opinion_score(g711(CLEAN))), "93.2 4.41");
        assert_eq!(format!("{:.3}", mean_opinion_score(93.2)), "4.409");
    }

    /// The scores of G.107 Table B.1; the table's second decimal is not always rounded to nearest.
    #[test]
    fn scores_are_those_of_the_recommendation() {
        for (rating, score) in [(90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
            let estimate = mean_opinion_score(rating);
            assert!((estimate - score).abs() < 0.007, "{rating}: {estimate}, {score}");
        }
        assert_eq!([-5.0, 0.0, 100.0, 120.0].map(mean_opinion_score), [1.0, 1.0, 4.5, 4.5]);
    }

    #[test]
    fn no_score_is_below_the_scale() {
        let scores: Vec<_> = (0..=1000).map(|tenth| mean_opinion_score(f64::from(tenth) / 10.0)).collect();
        assert!(scores.is_sorted() && scores[0] == 1.0 && scores[65] == 1.0 && scores[66] > 1.0, "{scores:?}");
    }

    /// Cole and Rosenbluth (CCR 31(2), 2001) fitted G.107 for these delays by Id = 0.024 d + 0.11 (d - 177.3) H(d -
    /// 177.3). Below 350 ms their line differs by up to two units.
    #[test]
    fn ratings_fall_with_delay_as_others_found() {
        for delay_ms in [25.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 350.0] {
            let fit = 93.2 - 0.024 * delay_ms - 0.11 * (delay_ms - 177.3_f64).max(0.0);
            let rating = g711(Conditions { delay_ms, ..CLEAN });
            assert!((rating - fit).abs() < 2.5, "{delay_ms} ms: {rating}, {fit}");
        }
    }

    /// Ie with random loss, as measured for G.113 Appendix I before Bpl was introduced; Bpl was fitted to these values.
    #[test]
    fn impairment_by_loss_is_what_was_measured() {
        let table = [
            (Codec::G729, [(0.0, 11.0), (1.0, 15.0), (2.0, 19.0), (3.0, 23.0), (4.0, 26.0)]),
            (Codec::G711, [(0.0, 0.0), (1.0, 5.0), (2.0, 7.0), (3.0, 10.0), (5.0, 15.0)]),
        ];
        for (codec, measured) in table {
            for (percent, impairment) in measured {
                let conditions = Conditions { loss: percent / 100.0, ..CLEAN };
                let effective = effective_equipment(codec.equipment(), conditions);
                assert!((effective - impairment).abs() < 1.5, "{codec:?}, {percent} %: {effective}");
            }
        }
    }

    #[test]
    fn losses_in_bursts_are_worse_and_advantages_are_forgiven() {
        let random = Conditions { loss: 0.02, ..CLEAN };
        assert!(g711(Conditions { burst_ratio: 2.0, ..random }) < g711(random));
        assert!((g711(Conditions { advantage: 20.0, ..random }) - g711(random) - 20.0).abs() < 1e-9);
        let without = rating(Codec::G711WithoutConcealment.equipment(), random);
        // 95 * 2 / (2 + 25.1) and 95 * 2 / (2 + 4.3).
        assert!((g711(CLEAN) - g711(random) - 7.011).abs() < 1e-3, "{}", g711(random));
        assert!((g711(CLEAN) - without - 30.159).abs() < 1e-3, "{without}");
    }
}
