//! The tables `call`, `call_frames` and `call_rates`.

use std::collections::BTreeMap;

use ackclock_core::Nanos;
use ackclock_media::Reason;
use ackclock_results::{Row, Sketch, declared};

use super::Call;
use super::receiver::Receiver;
use super::rtp::Frame;
use super::sender::Sender;
use crate::{AppTables, rate_bps, seconds};

fn ms(time: f64) -> f64 {
    time / 1e6
}

fn quantile(sketch: &Sketch, quantile: f64) -> Option<f64> {
    sketch.quantile(quantile).map(|value| ms(value as f64))
}

fn largest(sketch: &Sketch) -> Option<f64> {
    sketch.max().map(|value| ms(value as f64))
}

/// Adds the row of a call at `now`.
pub(super) fn summary(call: &Call, flow: &str, now: Nanos, tables: &mut AppTables) {
    let (sender, receiver) = (&call.sender, &call.receiver);
    let end = call.fields.on.map_or(now, |on| now.min(call.start.saturating_add(on)));
    let (lost, expected) = receiver.lost();
    let playout = receiver.playout();
    let sent = &sender.counts;
    let stopped = sender.stopped();
    let time = end.saturating_sub(call.start);
    // The target is accounted for up to the last message; it has not changed since.
    let ended = stopped.map_or(end, |(at, _)| at.min(end));
    let rest = ended.saturating_sub(sent.upto) as f64 * sender.target().0;
    declared::Call {
        flow: flow.into(),
        control: call.fields.control.entry().name.into(),
        frames: sender.frames().len().into(),
        skipped: sent.skipped.into(),
        key_frames: sent.keys.into(),
        played: receiver.played().len().into(),
        freezes: playout.freezes.into(),
        freeze_s: seconds(playout.frozen).into(),
        frame_delay_mean_ms: playout.shown.mean().map(ms).into(),
        frame_delay_p50_ms: quantile(&playout.shown, 0.50).into(),
        frame_delay_p95_ms: quantile(&playout.shown, 0.95).into(),
        frame_delay_p99_ms: quantile(&playout.shown, 0.99).into(),
        frame_delay_max_ms: largest(&playout.shown).into(),
        packets: sender.sent().into(),
        received: receiver.counts.packets.into(),
        lost: lost.into(),
        loss: (expected > 0).then(|| lost as f64 / expected as f64).into(),
        marked: receiver.counts.marked.into(),
        requested: receiver.requested().into(),
        retransmitted: sent.repairs.into(),
        parity_packets: sent.parities.into(),
        parity_repaired: receiver.counts.parity_repaired.into(),
        parity_overhead: (sent.media_bytes > 0).then(|| sent.parity_bytes as f64 / sent.media_bytes as f64).into(),
        key_requests: receiver.counts.plis.into(),
        delay_mean_ms: receiver.delays.mean().map(ms).into(),
        delay_p95_ms: quantile(&receiver.delays, 0.95).into(),
        delay_max_ms: largest(&receiver.delays).into(),
        target_bps: (time > 0).then(|| (sent.target + rest) / time as f64).into(),
        sent_bps: rate_bps(sent.bytes, time).into(),
        received_bps: rate_bps(receiver.counts.bytes, time).into(),
        feedback: call.messages.count.into(),
        feedback_bps: rate_bps(call.messages.bytes, time).into(),
        audio_sent: sent.audio.into(),
        audio_lost: receiver.audio_lost().into(),
        audio_delay_p95_ms: quantile(&receiver.audio_delays, 0.95).into(),
        stopped_s: stopped.map(|(at, _)| seconds(at)).into(),
        stopped_by: stopped.map(|(_, reason)| reason_name(reason)).into(),
    }
    .add_to(tables);
}

fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::RtcpTimeout => "rtcp-timeout",
        Reason::MediaTimeout => "media-timeout",
        Reason::Congestion => "congestion",
    }
}

/// Adds a row of `call_frames` for each encoded frame.
pub(super) fn frames(frames: &[Frame], played: &BTreeMap<u32, Nanos>, flow: &str, tables: &mut AppTables) {
    for (index, frame) in (0..).zip(frames) {
        let shown = played.get(&index).copied();
        declared::CallFrames {
            flow: flow.into(),
            index: index.into(),
            bytes: frame.bytes.into(),
            packets: frame.packets.into(),
            key: frame.is_key.into(),
            captured_s: seconds(frame.captured).into(),
            played_s: shown.map(seconds).into(),
            delay_ms: shown.map(|at| ms((at - frame.captured) as f64)).into(),
        }
        .add_to(tables);
    }
}

/// The state and counts of a call since the previous sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Nanos,
    target: f64,
    encoder: f64,
    sent: Option<f64>,
    received: Option<f64>,
    delay: Option<f64>,
    lost: u64,
    freezes: u64,
}

/// The rows of `call_rates`.
#[derive(Default, Debug)]
pub(super) struct Samples {
    rows: Vec<Sample>,
    last: Option<(Nanos, u64, u64, u64, u64)>,
}

impl Samples {
    /// Takes a sample at `now`.
    pub fn take(&mut self, now: Nanos, sender: &mut Sender, receiver: &mut Receiver) {
        sender.account(now);
        let (target, encoder) = sender.target();
        let (bytes, arrived) = (sender.counts.bytes, receiver.counts.bytes);
        let (lost, freezes) = (receiver.lost().0, receiver.playout().freezes);
        let (at, sent, received, lost_before, freezes_before) = self.last.unwrap_or_default();
        let elapsed = now.saturating_sub(at);
        let count = std::mem::take(&mut receiver.counts.sample_packets);
        let delay = std::mem::take(&mut receiver.counts.sample_delay);
        self.rows.push(Sample {
            at: now,
            target: if sender.is_stopped() { 0.0 } else { target },
            encoder,
            sent: rate_bps(bytes - sent, elapsed),
            received: rate_bps(arrived - received, elapsed),
            delay: (count > 0).then(|| ms(delay as f64 / count as f64)),
            // A packet that was counted as lost may still have come.
            lost: lost.saturating_sub(lost_before),
            freezes: freezes - freezes_before,
        });
        self.last = Some((now, bytes, arrived, lost.max(lost_before), freezes));
    }

    /// Adds the rows.
    pub fn report(&self, flow: &str, tables: &mut AppTables) {
        for row in &self.rows {
            declared::CallRates {
                flow: flow.into(),
                at_s: seconds(row.at).into(),
                target_bps: row.target.into(),
                encoder_bps: row.encoder.into(),
                sent_bps: row.sent.into(),
                received_bps: row.received.into(),
                delay_ms: row.delay.into(),
                lost: row.lost.into(),
                freezes: row.freezes.into(),
            }
            .add_to(tables);
        }
    }
}
