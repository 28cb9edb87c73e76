//! What flows do: the applications and their parameters.

use serde_json::{Map, Value as Json};

use super::file::{DIGEST, Format, FromFile};
use super::kinds::{Flag, OneOf, count, one_of, rate, real, time, volume};
use super::lists::{Ascending, list};
use super::random::{Delay, Number, Random, Time, Volume, drawn};
use super::record::{FieldInfo, Reader, Record, default, like, optional, record, required, table};
use super::union::union;
use crate::Nanos;
use crate::app::Side;
use crate::app::dash::abr::{self, Estimator};
use crate::app::tmix::Vectors;
use crate::app::voip::Codec;
use crate::app::web::Reuse;
use crate::packet::DATAGRAM_HEADERS;

union! {
    /// What a flow does.
    pub enum App, otherwise None, {
        /// The source sends as fast as TCP allows, until the run ends.
        "bulk" => Bulk,
        /// The source sends so many bytes, once or several times, over a new connection each.
        "transfer" => Transfer(Transfer),
        /// A client of adaptive video over HTTP fetches one segment after the other from the source.
        "dash" => Dash(Dash),
        /// The source sends bursts of a size at an interval, all over one connection.
        "bursts" => Bursts(Bursts),
        /// The source is on and off in turn, off first: on, it sends over a new connection each time, or all over one.
        "onoff" => OnOff(OnOff),
        /// The source sends the volumes of a list at the times of it.
        "list" => List(List),
        /// Sessions of web pages, whose objects the sink asks for over parallel connections.
        "web" => Web(Box<Web>),
        /// The sink asks several servers at once, waits for all answers, and asks again.
        "rpc" => Rpc(Rpc),
        /// The source sends UDP datagrams of one size at a constant rate.
        "cbr" => Cbr(Cbr),
        /// One direction of a telephone call, from the source, which the E-model rates.
        "voip" => Voip(Voip),
        /// Connections with the data units and think times of tmix connection vectors, which lie in a file.
        "tmix" => Tmix(Tmix),
    }
}

record! {
    /// On and off periods: on for a time or for so many bytes, one of which is to be given.
    pub struct OnOff {
        /// How long the source is on; what TCP has not sent by then is not sent.
        on: Option<Random<Time>> = optional("until size is delivered", drawn());
        /// How much the source sends in an on period.
        size: Option<Random<Volume>> = optional("as much as it can in the time on", drawn());
        /// How long the source is off.
        off: Random<Time> = required(drawn());
        /// Whether all on periods go over one connection, which keeps what TCP has learnt; else each has a new one. What becomes of
        /// its window over an off period, restart_after_idle and validation say.
        persistent: bool = default(false, Flag);
    }
}

record! {
    /// Transfers of a fixed size, one after the other.
    pub struct Transfer {
        /// Size of a transfer.
        size: u64 = required(volume().positive());
        /// How many there are.
        count: u32 = default(1, count("transfers", 1, 1_000_000));
        /// How long after the end of a transfer the next one starts.
        gap: Nanos = default("0s", time());
    }
}

record! {
    /// Bursts over one connection that stays open between them.
    pub struct Bursts {
        /// Size of a burst.
        size: u64 = required(volume().positive());
        /// From the start of a burst to that of the next, whether or not it is complete by then.
        interval: Nanos = required(time().positive());
        /// How many there are.
        count: Option<u32> = optional("bursts until the run ends", count("bursts", 1, 1_000_000));
    }
}

record! {
    /// Adaptive video: a ladder of bitrates, segments of a duration, a player with a buffer.
    pub struct Dash {
        /// Bitrates that the video exists in.
        ladder: Vec<u64> = required(Ascending(list("bitrate", rate().positive())));
        /// Duration of a segment of video.
        segment: Nanos = required(time().positive());
        /// How many segments there are.
        segments: Option<u32> = optional("segments until the run ends", count("segments", 1, 1_000_000));
        /// Rule of rate adaptation.
        abr: String = default(
            "throughput",
            one_of("rate adaptation", abr::CATALOGUE.iter().map(|e| (e.name, e.name.to_owned(), e.summary)))
        );
        /// Size of the player's buffer in playing time.
        buffer: Nanos = default("12s", time().positive());
        /// Playing time in the buffer with which playback starts.
        startup: Nanos = like("segment", time().positive());
        /// Playing time in the buffer with which playback resumes after a stall.
        resume: Nanos = like("segment", time().positive());
        /// How long the server thinks before it answers a request.
        think: Nanos = default("0s", time());
        /// The server thinks longer by a time drawn uniformly from zero to this, for every request.
        think_jitter: Nanos = default("0s", time());
        /// Size of a request.
        request_size: u64 = default("300B", volume().within(1, 1 << 20));
        /// Size of the header of an answer.
        header_size: u64 = default("300B", volume().within(0, 1 << 20));
        /// Coefficient of variation of the segments' sizes, log-normal; all levels of a segment vary alike.
        size_cv: f64 = default(0.0, real(0.0, 10.0));
        /// Part of the estimated throughput that the throughput rule uses.
        safety: f64 = default(1.0, real(0.01, 10.0));
        /// How the throughput rule estimates.
        estimator: Estimator = default("mean", estimator());
        /// Live video, whose segments become available as time goes on.
        live: Option<Live> = optional("on demand: every segment is there from the start", table());
    }
}

/// The estimators by name.
fn estimator() -> OneOf<Estimator> {
    let options = [
        ("last", Estimator::Last, "the rate of the last segment"),
        ("mean", Estimator::Mean, "all bytes so far over all time spent downloading them"),
        ("ewma", Estimator::Ewma, "the lower of a fast and a slow moving average, as dash.js has them"),
    ];
    one_of("estimator", options)
}

record! {
    /// A live presentation that began long before the run. A segment is available once all of it has happened.
    pub struct Live {
        /// How far behind the present the client joins: its first segment holds the moment so long before its start.
        latency: Nanos = required(time().positive());
    }
}

record! {
    /// Volumes at given times, each over a new connection or all over one.
    pub struct List {
        /// What is sent when.
        items: Vec<Item> = required(list("item", table()));
        /// Whether all go over one connection that stays open, where they wait for one another.
        persistent: bool = default(false, Flag);
    }
}

record! {
    /// A volume at a time.
    pub struct Item {
        /// When it is there to be sent, from the start of the flow.
        at: Nanos = required(time());
        /// How much it is.
        size: u64 = required(volume().positive());
    }
}

record! {
    /// Web sessions: they arrive at a rate, or there are users that never leave; one of the two is to be given.
    pub struct Web {
        /// Sessions that arrive per second, as a Poisson process.
        sessions_per_second: Option<f64> = optional("there are users", real(1e-6, 1e6));
        /// Users, each of which thinks and asks for a page in turn until the run ends.
        users: Option<u32> = optional("sessions arrive", count("users", 1, 1_000_000));
        /// Pages of a session; users do not stop.
        pages: Random<Number> = default(1, drawn());
        /// How long a user thinks before each page, and a session's after its first.
        think: Random<Delay> = default("1s", drawn());
        /// Objects of a page, the main one included.
        objects: Random<Number> = default(1, drawn());
        /// Size of an object.
        object_size: Random<Volume> = required(drawn());
        /// Size of a page's main object, which is fetched before the others.
        main_size: Option<Random<Volume>> = optional("as object_size", drawn());
        /// Size of a request.
        request_size: Random<Volume> = default("300B", drawn());
        /// How long the server thinks before it answers a request.
        server_think: Random<Delay> = default("0s", drawn());
        /// The most connections of a page at once.
        parallel: u32 = default(6, count("connections", 1, 1_000));
        /// What a connection is used for before it is closed.
        connections: Reuse = default("per-page", reuse());
        /// Whether every object and page is a row of the tables web_objects and web_pages, which grow with the run.
        records: bool = default(false, Flag);
    }
}

/// What a connection is used for, by name.
fn reuse() -> OneOf<Reuse> {
    let options = [
        ("per-object", Reuse::Object, "one object, after which the server closes it (HTTP/1.0)"),
        ("per-page", Reuse::Page, "the objects of one page, one after the other, after which the client closes it"),
        ("per-session", Reuse::Session, "all pages of a session, or of a user who never leaves"),
    ];
    one_of("use of connections", options)
}

record! {
    /// Requests to several servers at once, in rounds: the partition and aggregation that makes incast.
    pub struct Rpc {
        /// How many servers are asked at once, over a connection each.
        servers: u32 = default(1, count("servers", 1, 100_000));
        /// How many rounds there are.
        rounds: Option<u32> = optional("rounds until the run ends", count("rounds", 1, 10_000_000));
        /// Size of a request.
        request_size: Random<Volume> = default("300B", drawn());
        /// Size of a server's answer.
        response_size: Random<Volume> = required(drawn());
        /// How long a server thinks before it answers.
        server_think: Random<Delay> = default("0s", drawn());
        /// How long the client waits between the last answer of a round and the next round.
        think: Random<Delay> = default("0s", drawn());
        /// Whether connections stay open from round to round.
        persistent: bool = default(true, Flag);
    }
}

record! {
    /// UDP datagrams at a constant rate.
    pub struct Cbr {
        /// Rate, headers included.
        rate: u64 = required(rate().positive());
        /// IP packet size, with 28 bytes of headers.
        packet_size: u32 = default("1500B", volume().within(u64::from(DATAGRAM_HEADERS), 65_535));
        /// How long the source sends.
        on: Option<Nanos> = optional("until the run ends", time().positive());
    }
}

record! {
    /// Speech over RTP, 20 ms of it in a packet, and its rating by the E-model (ITU-T G.107).
    pub struct Voip {
        /// Codec.
        codec: Codec = default("g711", codec());
        /// How long the first packet to arrive waits in the play-out buffer, which is fixed.
        playout: Nanos = default("60ms", time());
        /// How long there is speech.
        on: Option<Nanos> = optional("until the run ends", time().positive());
        /// The E-model's advantage factor, what people forgive: 20 for places reached by several satellite hops.
        advantage: f64 = default(0.0, real(0.0, 20.0));
    }
}

/// The codecs by name.
fn codec() -> OneOf<Codec> {
    let options = [
        ("g711", Codec::G711, "64 kbit/s, losses concealed"),
        ("g711-no-plc", Codec::G711WithoutConcealment, "64 kbit/s, silence for what is lost"),
        ("g729", Codec::G729, "8 kbit/s (Annex A)"),
    ];
    one_of("codec", options)
}

record! {
    /// Connections driven by tmix connection vectors, each started at its time from the start of the flow.
    pub struct Tmix {
        /// The vectors.
        vectors: VectorFile = required(table());
        /// The end that opens the connections; the sink makes the source a server.
        initiator: Side = default("sink", side());
        /// Whether every connection and epoch is a row of the tables tmix_connections and tmix_epochs, which grow with the run.
        records: bool = default(false, Flag);
    }
}

/// The ends of a flow by name.
fn side() -> OneOf<Side> {
    let options = [
        ("source", Side::Source, "the end whose data crosses the bottleneck in the forward direction"),
        ("sink", Side::Sink, "the other end"),
    ];
    one_of("end", options)
}

/// Connection vectors and where they came from.
pub type VectorFile = FromFile<Vectors>;

const VECTORS: Format<Vectors> = Format {
    key: "file",
    noun: "a file of tmix connection vectors",
    example: "web.cvec",
    content: "connections in either of tmix's formats, in lines such as \"SEQ 0 1\", \"> 300\", \"t 10000\", \"< 12500\"",
    decode: |bytes| Vectors::parse(bytes).map_err(|error| error.to_string()),
};

/// The key of the path of vectors.
pub(super) const VECTORS_FILE: &str = VECTORS.key;

impl Record for VectorFile {
    fn read(reader: &mut Reader<'_, '_>) -> VectorFile {
        let node = reader.node;
        let file = VECTORS.read(|key| node.get(key), reader.at, reader.problems);
        reader.refuse_other_keys(&[VECTORS.key, DIGEST]);
        file.unwrap_or_else(|| {
            let content = Vectors::parse(b"SEQ 0 1\n> 1").expect("vectors").into();
            FromFile { path: String::new(), sha256: String::new(), content }
        })
    }

    fn write(&self) -> Map<String, Json> {
        VECTORS.write(self)
    }

    fn doc() -> String {
        "A file of tmix connection vectors.".to_owned()
    }

    fn fields() -> Vec<FieldInfo> {
        VECTORS.fields("The file, in the original format or in the alternate one.")
    }
}
