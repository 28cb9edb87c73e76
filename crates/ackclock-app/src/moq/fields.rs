//! The fields that a scenario gives a publisher and its subscriber.

use ackclock_core::Nanos;

use super::{Moq, Order, Streams};
use crate::Needs;
use crate::completion::Path;
use crate::demand::{self, Demand, repeated};
use crate::fields::{
    OneOf, Rules, TIME, default, one_of, optional, quoted, rate, real, record, required, time, volume,
};
use crate::kind::{AppKind, Made};
use crate::live::catchup::Control;
use crate::live::{CatchUp, catchup_by_name};

record! {
    /// Live video over streams (Media over QUIC): a source publishes groups of pictures, each in a stream of its own, and
    /// the sink plays them at low latency.
    pub struct Fields {
        /// Rate of the video, without headers.
        rate: u64 = required(rate().positive());
        /// Playing time of a group of pictures, which begins with a key frame.
        group: Nanos = default("1s", time().positive());
        /// Playing time of a frame, of which a whole number is in a group.
        frame: Nanos = default("40ms", time().positive());
        /// Size of a key frame over the size of another frame.
        key_frame: f64 = default(5.0, real(1.0, 1_000.0));
        /// Time from an event to its playback that the sink keeps to.
        latency: Nanos = default("500ms", time().positive());
        /// Time from the end of a frame's recording until the source has the frame.
        encode: Nanos = default("0s", time());
        /// Streams that carry the groups.
        streams: Streams = default("groups", streams());
        /// Order in which groups leave if the network does not carry all of them (the group order of a subscription).
        order: Order = default("descending", order());
        /// Time after the last frame of a group from which on the source resets the group's stream, if the sink has not
        /// acknowledged all of it.
        delivery_timeout: Option<Nanos> = optional("groups are never dropped", time().positive());
        /// Control of the playback rate.
        catchup: CatchUp = default("latency", catchup_by_name());
        /// Lowest playback rate.
        rate_min: f64 = default(0.96, real(0.1, 1.0));
        /// Highest playback rate.
        rate_max: f64 = default(1.04, real(1.0, 4.0));
        /// Latency above its target from which on the sink skips to a newer group that has begun to arrive.
        max_drift: Option<Nanos> = optional("groups are skipped only if they are dropped", time().positive());
        /// Size of the request for the video.
        request_size: u64 = default("100B", volume().within(1, 1 << 20));
        /// Coefficient of variation of the sizes of groups, which are log-normal.
        size_cv: f64 = default(0.0, real(0.0, 10.0));
        /// Interval of the rows of `moq_samples`.
        sample: Option<Nanos> = optional("no rows", time().positive());
    }
}

/// Bytes of headers of a group and of a frame, at most.
const MOST_HEADERS: f64 = 24.0;

/// Returns the kinds of streams by name.
fn streams() -> OneOf<Streams> {
    let options = [
        ("groups", Streams::Groups, "a unidirectional stream for each group; the transport needs such streams"),
        ("one", Streams::One, "one stream for all groups in their order; any transport has it"),
    ];
    one_of("kind of streams", options)
}

/// Returns the orders of groups by name.
fn order() -> OneOf<Order> {
    let options = [
        ("descending", Order::Descending, "newer groups leave first"),
        ("ascending", Order::Ascending, "older groups leave first"),
    ];
    one_of("order of groups", options)
}

impl Fields {
    /// Returns the control of the playback rate.
    pub(super) fn control(&self) -> Control {
        Control { method: self.catchup, slowest: self.rate_min, fastest: self.rate_max }
    }

    /// Returns the number of frames in a group.
    pub(super) fn frames(&self) -> usize {
        (self.group / self.frame.max(1)) as usize
    }
}

impl AppKind for Fields {
    fn needs(&self) -> Needs {
        let streams = self.streams == Streams::Groups;
        Needs { streams, priorities: streams, resets: self.delivery_timeout.is_some() }
    }

    fn check(&self, rules: &mut Rules<'_, '_>) {
        let [group, frame, encode, streams] = ["group", "frame", "encode", "streams"].map(|key| rules.at.key(key));
        let uneven = self.group.checked_rem(self.frame).is_some_and(|rest| rest != 0);
        let message = format!(
            "is not a whole part of the group; accepted: {} divided by a whole number",
            quoted(&TIME.write(self.group))
        );
        rules.refuse(uneven, "frame", std::slice::from_ref(&group), &TIME.write(self.frame), message);
        let least = self.frame.saturating_add(self.encode);
        let message = format!(
            "is less than a frame takes to be made; accepted: more than frame and encode, {}",
            quoted(&TIME.write(least))
        );
        rules.refuse(self.latency <= least, "latency", &[frame, encode], &TIME.write(self.latency), message);
        let message = "resets the stream of a group, and all groups are in one stream; accepted: no delivery_timeout, or \
                       streams = \"groups\"";
        let drops = self.delivery_timeout.is_some() && self.streams == Streams::One;
        rules.refuse(drops, "delivery_timeout", &[streams], "", message);
    }

    fn demand(&self, time: f64, _path: Path) -> Demand {
        let seconds = |time: Nanos| time as f64 / 1e9;
        let groups = repeated(time, seconds(self.group));
        let frames = groups * (self.group / self.frame.max(1)) as f64;
        let bytes = groups * (self.rate as f64 / 8.0 * seconds(self.group)) + frames * MOST_HEADERS;
        let samples = self.sample.map_or(0.0, |sample| repeated(time, seconds(sample)));
        Demand {
            bytes: if self.size_cv > 0.0 { demand::drawn(bytes) } else { bytes },
            messages: frames,
            reverse_bytes: self.request_size as f64,
            reverse_messages: 1.0,
            connections: 1.0,
            open: 1.0,
            rows: groups + samples + 1.0,
            ..Demand::default()
        }
    }

    fn make(&self, _path: Path, _flow: &str) -> Made {
        Ok(Box::new(Moq::new(self.clone())))
    }
}
