//! The sending half of an endpoint: it decides which data may be sent, processes acknowledgments and detects losses.
//!
//! All positions are stream offsets, 64 bits wide; a FIN occupies the offset after the last byte. The sender combines
//! the strategies (congestion control, slow start, window validation, pacing), which do not depend on each other.

mod buffered;
mod detection;
mod episode;
mod exchange;
mod expiry;
mod frto;
mod host_queue;
mod input;
mod mtu;
mod nagle;
mod ns2;
mod offload;
mod output;
mod path;
mod push;
mod rack;
mod rate;
mod recovery;
mod reduction;
mod refusal;
mod reordering;
mod report;
mod response;
mod routers;
mod rtt;
mod scoreboard;
mod state;
mod subflow;
mod ticks;
mod timer;
mod tlp;
mod undo;
mod whole;
mod writes;

use std::sync::Arc;

use crate::careful_resume::CarefulResume;
use crate::cc::{CongestionControl, Scope};
use crate::config::{Config, EcnMode, ReductionBase, Restart, RtoRule, WindowUnit};
use crate::context::{Context, Window};
use crate::limits::Limits;
use crate::pacing::{Pacer, Pacing};
use crate::recovery::{Counts, Recovery};
use crate::slow_start::SlowStart;
use crate::stats::Stats;
use crate::validation::{self, WindowValidation};
use crate::{Event, NEVER, Nanos, Observer};
use ackclock_core::prefetch::prefetch;
use episode::{Episode, Phase};
pub(crate) use input::Arrival;
pub use path::PathSearch;
pub(crate) use path::Probe;
pub(crate) use rtt::Rtt;
use scoreboard::Scoreboard;
use timer::Timer;

/// A segment for the endpoint to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Transmission {
    /// Stream offset of the first byte.
    pub offset: u64,
    /// Payload bytes, without the FIN.
    pub len: u32,
    /// Whether the segment carries the FIN.
    pub fin: bool,
    /// Whether the segment is a retransmission.
    pub retransmission: bool,
    /// Whether the segment carries CWR, where RFC 3168 is in use: the first new data after the window was reduced does.
    pub cwr: bool,
}

/// State that only losses, marks and the algorithms that detect them use.
// The order of the fields is their order in memory: first those that every acknowledgment with a stack of Linux needs.
#[derive(Debug)]
#[repr(C)]
struct Rare {
    rack: rack::Rack,
    episode: Episode,
    undo: undo::Undo,
    tlp: tlp::Tlp,
    reordering: reordering::Reordering,
    /// The segment size where the peer's window does not bound it, bytes.
    full_mss: u64,
    /// Whether the acknowledgment being processed showed the loss of a retransmission.
    lost_retransmission: bool,
    /// Whether data was SACKed, lost or retransmitted after the last dubious acknowledgment (Linux: TCP_CA_Disorder).
    disordered: bool,
    rate: Option<rate::DeliveryRate>,
    reduction: reduction::Reduction,
    /// ns-2's TCP/Linux.
    forward: scoreboard::Forward,
    counts: Counts,
    /// The state of the path's MTU, if it changes or is looked for.
    path: Option<Box<path::Path>>,
}

/// The sending half of an endpoint.
///
/// The order of the fields is their order in memory: first the fields that both ends of a one-way transfer use for
/// every segment, then those that only the sending end uses, last those for losses and idle periods. In a run with
/// thousands of endpoints, memory access takes more time than anything else, so rarely used fields lie apart.
#[repr(C, align(64))]
pub(crate) struct Sender {
    /// First unacknowledged offset.
    una: u64,
    /// Next new offset.
    nxt: u64,
    /// Stream offset after the last byte that the application has written.
    written: u64,
    /// Offset up to which the peer's window allows sending.
    window_edge: u64,
    /// Window edge of the last acknowledgment; a duplicate ACK repeats the advertised window (RFC 5681 section 2).
    last_edge: u64,
    rto_at: Nanos,
    small: nagle::Small,
    /// Whether the application has closed the connection: a FIN then occupies offset `written`.
    closed: bool,
    /// Whether the application still has to write or to close.
    writing: bool,
    /// Whether both ends use SACK.
    sack: bool,
    /// Whether the pacer delayed the segment at the last poll.
    pacing: bool,
    phase: Phase,
    /// The timer that `rto_at` belongs to.
    timer: Timer,
    /// Whether RACK, tail loss probes, Linux's RTT samples or the congestion control examine every acknowledgment.
    watches: bool,
    ecn: bool,
    /// Copy of the configuration's, because every segment sent needs it: without the copy W4 took 16 % more time.
    limited_transmit: bool,
    /// Whether a probe is due, and whether a probe is outstanding.
    probe_due: bool,
    probing: bool,
    /// Whether the next new data carries CWR.
    cwr_due: bool,
    /// Whether the rate sampler or the congestion control is told of every segment sent, and of every delivery.
    tells_sent: bool,
    samples: bool,
    watches_sending: bool,
    before_sending: bool,
    /// SMSS, bytes.
    mss: u64,
    /// Bytes of the next new segment that options take from its payload.
    reserved: u64,
    /// Times for which each limit applied, if these times are recorded.
    limits: Option<Box<Limits>>,
    offload: offload::Offload,
    stats: Stats,
    rtt: Rtt,

    window: Window,
    /// Value of snd_nxt when the window was last full: the window limited the sending of everything below.
    limited_until: u64,
    last_sent: Nanos,
    /// Time of the last ACK that advanced `una`, and with [`Restart::FreeBsd10`] that of the last segment that arrived
    /// before a write.
    last_acked: Nanos,
    pacer: Pacer,
    marks: push::Marks,
    /// The part of the host's own queue that this connection fills, if the sender watches it.
    host: Option<Box<host_queue::HostQueue>>,
    writes: writes::Writes,
    /// The send queue, where the send buffer has a limit.
    queue: Option<Box<buffered::SendQueue>>,
    board: Scoreboard,
    cc: Box<dyn CongestionControl>,
    validation: Box<dyn WindowValidation>,
    slow_start: Box<dyn SlowStart>,
    /// Whether slow start takes RTT samples of all acknowledgments, and grows no window that the congestion control owns.
    slow_start_samples: bool,
    careful: Option<Box<CarefulResume>>,
    initial_window: u64,
    /// Number of segments known to have arrived.
    delivered: u64,
    /// Consecutive duplicate ACKs.
    dup_acks: u32,
    /// Consecutive expiries of the retransmission timer.
    expiries: u32,
    /// The tasks that the congestion control does itself, and the events it asks for.
    scope: Scope,

    /// Configuration of the endpoint, which endpoints share so that the state of each takes fewer cache lines.
    pub(crate) config: Arc<Config>,
    restart: Restart,
    undoes: bool,
    retransmit_restarts_timer: bool,
    reduces_from_window: bool,
    /// Whether the window is counted in whole segments.
    whole: bool,
    /// Whether acknowledgments make the window grow, and not bytes.
    counts_acks: bool,
    /// End of the window of data of the last recovery.
    recover: Option<u64>,
    /// SACK blocks of the last acknowledgment, already on the scoreboard.
    seen: input::SeenBlocks,
    rare: Box<Rare>,
    /// Has each segment take the path of segments with options, in both directions, and each acknowledgment that of dubious
    /// ones, in the test that compares them.
    #[cfg(test)]
    pub(crate) on_long_path: bool,
}

impl Sender {
    /// Makes a sender with no data written, before the connection with initial sequence number `isn` is established.
    pub fn new(config: Arc<Config>, isn: u32) -> Sender {
        let mss = u64::from(config.mss);
        let mut cc = config.cc.make();
        cc.seed(isn);
        let scope = cc.scope().complete();
        // If the algorithm owns the window, the algorithm reduces the window, not the rule of the recovery.
        let reduction = match config.recovery {
            rule if rule.ignores_sack() => rule,
            _ if scope.window => Recovery::Sack,
            //= https://www.rfc-editor.org/rfc/rfc9937#section-5
            //# PRR MAY be used in conjunction with any congestion control algorithm that intends to make a
            //# multiplicative decrease
            rule => rule,
        };
        let validation = (config.validation.make)();
        let slow_start = (config.slow_start.make)();
        Sender {
            una: 0,
            nxt: 0,
            written: 0,
            closed: false,
            writing: false,
            sack: config.sack && !config.recovery.ignores_sack(),
            mss,
            reserved: 0,
            window_edge: 0,
            last_edge: 0,
            //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
            //# The initial value of ssthresh SHOULD be set arbitrarily high
            window: Window { cwnd: mss, ssthresh: u64::MAX, pacing_rate: None },
            phase: Phase::Open,
            //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
            //# recover is set to the initial send sequence number
            recover: None,
            dup_acks: 0,
            expiries: 0,
            limited_until: 0,
            rto_at: NEVER,
            last_sent: 0,
            last_acked: 0,
            timer: Timer::Rto,
            watches: config.rack || config.tlp || config.rto_rule == RtoRule::Linux || scope.deliveries,
            undoes: config.dsack_undo || config.eifel || config.frto,
            limited_transmit: config.limited_transmit,
            retransmit_restarts_timer: config.retransmit_restarts_timer || config.rto_rule == RtoRule::Linux,
            ecn: config.ecn != EcnMode::Off,
            reduces_from_window: config.reduction_base == ReductionBase::Window,
            whole: config.window_unit == WindowUnit::Segments && !scope.window,
            counts_acks: config.recovery.is_ns2(),
            probe_due: false,
            probing: false,
            cwr_due: false,
            delivered: 0,
            rtt: Rtt::new(&config),
            pacer: Pacer::new(config.pacing, config.pacing_burst),
            pacing: false,
            board: if config.recovery == Recovery::Ns2Linux {
                Scoreboard::that_notes_resent()
            } else {
                Scoreboard::default()
            },
            seen: input::SeenBlocks::default(),
            small: nagle::Small::new(&config),
            marks: push::Marks::default(),
            offload: offload::Offload::new(&config),
            host: None,
            writes: writes::Writes::new(config.write_size),
            limits: config.notes_limits.then(|| Box::new(Limits::new(0))),
            queue: buffered::SendQueue::new(&config),
            scope,
            tells_sent: scope.rates || scope.sends || config.samples_rate,
            samples: scope.deliveries || config.samples_rate,
            watches_sending: config.validation.watches_sending,
            before_sending: config.validation.before_sending,
            restart: if config.validation.replaces_restart || scope.window { Restart::Off } else { config.restart },
            cc,
            slow_start_samples: !scope.slow_start && slow_start.takes_samples(),
            slow_start,
            careful: None,
            validation,
            initial_window: config.initial_window.bytes(mss),
            stats: Stats::default(),
            rare: Box::new(Rare {
                episode: Episode::default(),
                reduction: reduction::Reduction::new(reduction, config.window_unit)
                    .with_floor(if scope.keeps_threshold { 1 } else { 2 }),
                rack: rack::Rack::default(),
                forward: scoreboard::Forward::default(),
                tlp: tlp::Tlp::default(),
                undo: undo::Undo::new(&config),
                reordering: reordering::Reordering::new(&config),
                rate: (scope.deliveries || config.samples_rate)
                    .then(|| rate::DeliveryRate::new(scope.rates || config.samples_rate, scope.gap)),
                counts: Counts::default(),
                path: None,
                full_mss: u64::from(config.mss),
                lost_retransmission: false,
                disordered: false,
            }),
            #[cfg(test)]
            on_long_path: false,
            config,
        }
    }

    /// The configuration of this endpoint alone, to be changed.
    pub fn config_mut(&mut self) -> &mut Config {
        Arc::make_mut(&mut self.config)
    }

    /// Takes the RTT sample of the handshake, that of our SYN or of our SYN-ACK.
    pub fn on_handshake(&mut self, now: Nanos, rtt: Nanos, of_syn: bool) {
        self.rtt.on_sample(now, rtt);
        if of_syn {
            self.cc.on_syn_acknowledged(rtt);
        }
    }

    /// Ends the handshake: takes the options that both ends agreed on, and sets the initial window. `lost_syns` counts
    /// the retransmissions of a SYN or SYN-ACK that were caused by a loss.
    pub fn establish(&mut self, now: Nanos, mss: u32, sack: bool, lost_syns: u32) {
        (self.mss, self.rare.full_mss) = (u64::from(mss), u64::from(mss));
        self.on_larger_window(self.small.largest_window);
        self.sack = sack && !self.config.recovery.ignores_sack();
        if !self.sack && self.config.recovery == Recovery::FreeBsd {
            self.rare.reduction = reduction::Reduction::new(Recovery::Sack, self.config.window_unit);
        }
        //= https://www.rfc-editor.org/rfc/rfc6928#section-2
        //# a TCP MAY start with an initial window that is smaller than 10 segments
        self.initial_window = self.config.initial_window.bytes(self.mss);
        if self.whole {
            self.initial_window = (self.initial_window / self.mss).max(1) * self.mss;
        }
        //= https://www.rfc-editor.org/rfc/rfc6928#section-2
        //# it is RECOMMENDED that implementations refrain from resetting the initial window to 1 segment, unless
        //# there have been more than one SYN or SYN/ACK retransmissions
        //= https://www.rfc-editor.org/rfc/rfc6928#section-2
        //# the initial window used by a sender after a correctly transmitted SYN MUST be one segment consisting of
        //# MSS bytes
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# if the SYN or SYN/ACK is lost, the initial window used by a sender after a correctly transmitted SYN MUST
        //# be one segment
        self.window.cwnd = if lost_syns >= self.config.syn_losses.count { self.mss } else { self.initial_window };
        self.last_sent = now;
        if let Some(limits) = &mut self.limits {
            **limits = Limits::new(now);
        }
        let ctx = self.context(now);
        self.cc.on_start(&mut self.window, &ctx);
        self.round_window();
        self.establish_queue();
        self.validation.on_start(&ctx);
        if self.scope.window {
            self.validation.on_owned_window();
        }
        // A lost SYN may be congestion (RFC 9959 section 3.2).
        let saved = self.config.careful_resume.filter(|_| lost_syns == 0);
        self.careful = saved.and_then(|saved| CarefulResume::new(saved, self.initial_window)).map(Box::new);
        self.watches |= self.careful.is_some();
        self.slow_start.on_start(matches!(self.config.pacing, Pacing::Fq { .. }) || self.window.pacing_rate.is_some());
    }

    /// Brings the cache lines that the next segment needs ([`crate::Endpoint::prefetch`]): few of an end that only receives.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.una);
        prefetch(&self.closed);
        prefetch(&self.offload);
        prefetch(&self.rtt);
        prefetch(&self.last_sent);
        prefetch(&self.pacer);
        prefetch(&self.marks);
        prefetch(&self.host);
        prefetch(&self.board);
        prefetch(&self.cc);
        prefetch(&self.initial_window);
        prefetch(&self.rare);
    }

    /// Prefetches the fields that lie in boxes.
    #[inline]
    pub fn prefetch_boxes(&self) {
        if self.una == self.nxt {
            return;
        }
        let rare = &*self.rare;
        prefetch(&rare.rack);
        prefetch(&rare.episode);
        prefetch(&rare.undo);
        prefetch(&rare.tlp);
        prefetch(&rare.full_mss);
        prefetch(&rare.rate);
        self.board.prefetch();
        self.marks.prefetch();
        if let Some(queue) = &self.queue {
            queue.prefetch();
        }
        self.cc.prefetch();
        self.validation.prefetch();
        self.slow_start.prefetch();
    }

    /// Takes note, as the application writes, of the time at which the last segment arrived.
    #[inline]
    pub fn note_arrival(&mut self, at: Nanos) {
        if self.restart == Restart::FreeBsd10 {
            self.last_acked = self.last_acked.max(at);
        }
    }

    /// Whether the application writes no more data.
    pub fn is_closed(&self) -> bool {
        self.closed || self.writes.closing()
    }

    /// Records that the first `bytes` of the stream were sent in the SYN and acknowledged by the SYN-ACK (RFC 7413).
    pub fn take_syn_data(&mut self, bytes: u64) {
        (self.una, self.nxt) = (bytes, bytes);
        self.window_edge += bytes;
        self.last_edge = self.window_edge;
    }

    /// Records that the next `bytes` of the stream were sent in the SYN at `sent_at`, did not arrive, and are to be
    /// retransmitted.
    #[cold]
    pub fn lose_syn_data(&mut self, sent_at: Nanos, bytes: u32) {
        let end = self.nxt + u64::from(bytes);
        while self.nxt < end {
            let len = (end - self.nxt).min(self.mss) as u32;
            self.board.push(self.nxt, len, sent_at);
            self.nxt += u64::from(len);
        }
        self.board.mark_all_lost();
        self.repair_without_response();
        self.mark_syn_data(end);
    }

    /// Stream offset after all data to send, the FIN included.
    #[inline]
    fn end(&self) -> u64 {
        self.written + u64::from(self.closed)
    }

    /// FlightSize (RFC 5681 section 2).
    #[inline]
    fn flight_size(&self) -> u64 {
        self.nxt - self.una
    }

    /// The state after an event, for rare events.
    #[inline(never)]
    fn context(&self, now: Nanos) -> Context {
        self.context_of_common(now)
    }

    /// The same, for every acknowledgment and every segment: inlined, so that the context is written once, where its reader
    /// expects it.
    #[inline(always)]
    fn context_of_common(&self, now: Nanos) -> Context {
        Context {
            now,
            mss: self.mss,
            initial_window: self.initial_window,
            snd_una: self.una,
            snd_nxt: self.nxt,
            flight_size: self.outstanding(),
            pipe: self.pipe(),
            unsent: self.unsent(),
            receive_window: self.window_edge.saturating_sub(self.una),
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            rto: self.rtt.rto(),
            in_recovery: matches!(self.phase, Phase::Fast | Phase::Loss),
            release: self.pacer.release_time(),
        }
    }

    /// Calls careful resume, if this connection uses it, with the window and the offset up to which data was delivered.
    #[inline]
    fn with_careful(&mut self, call: impl FnOnce(&mut CarefulResume, &mut Window, u64)) {
        if let Some(careful) = &mut self.careful {
            call(careful, &mut self.window, self.una + self.board.sacked());
        }
    }

    /// Reports the current window to the observer.
    #[inline]
    fn observe_window<O: Observer>(&self, now: Nanos, obs: &mut O) {
        if !O::ACTIVE {
            return;
        }
        let state = self.cc.state();
        let event = Event::Window {
            window: self.window,
            flight_size: self.flight_size(),
            pipe: self.board.pipe(self.flight_size()),
            srtt: self.rtt.srtt(),
            rttvar: self.rtt.rttvar(),
            rtt: self.rtt.latest(),
            min_rtt: self.rtt.min(),
            pacing_rate: self.pacer.rate(&self.window, self.rtt.srtt()),
            delivery_rate: self.rare.rate.as_ref().and_then(rate::DeliveryRate::shown),
            cc_state: state.as_deref(),
            in_recovery: matches!(self.phase, Phase::Fast | Phase::Loss),
            validation: self.validation.report(&self.window),
        };
        obs.event(now, event);
    }

    /// Bytes acknowledged, without the FIN.
    #[inline]
    pub fn acked(&self) -> u64 {
        self.una.min(self.written)
    }

    /// First unacknowledged offset.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Next new offset.
    #[inline]
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes of the written data that were not yet sent.
    #[inline]
    fn unsent(&self) -> u64 {
        self.written.saturating_sub(self.nxt)
    }

    /// The end of what a SACK block up to `end` reports. FreeBSD's receiver reports the payload of a segment without the
    /// FIN, and for its sender nothing above the highest block is a hole (sys/netinet/tcp_sack.c, tcp_sack_doack).
    pub fn reported_end(&self, end: u64) -> u64 {
        let with_fin = || self.board.last().is_some_and(|(start, _)| start < self.written);
        let counts = end == self.written && self.nxt > end && self.config.recovery == Recovery::FreeBsd && with_fin();
        end + u64::from(counts)
    }

    /// Whether the FIN was sent and acknowledged.
    #[inline]
    pub fn fin_acked(&self) -> bool {
        self.closed && self.una > self.written
    }

    /// The RTT estimator; the handshake samples it too.
    pub fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    /// The RTT estimator, mutable, for samples of the handshake.
    pub fn rtt_mut(&mut self) -> &mut Rtt {
        &mut self.rtt
    }

    /// The window.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Report of the window validation.
    pub fn validation(&self) -> validation::Report {
        self.validation.report(&self.window)
    }

    /// Counters of the sender.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Counters, mutable, for the endpoint to add its own counts.
    pub fn stats_mut(&mut self) -> &mut Stats {
        &mut self.stats
    }

    /// Consecutive expiries of the retransmission timer.
    pub fn expiries(&self) -> u32 {
        self.expiries
    }

    /// SMSS, bytes.
    #[inline]
    pub fn mss(&self) -> u32 {
        self.mss as u32
    }

    /// Bytes that the application has written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Whether both ends use SACK.
    pub fn uses_sack(&self) -> bool {
        self.sack
    }

    /// Returns the time at which a segment with payload was last sent.
    pub fn last_sent(&self) -> Nanos {
        self.last_sent
    }

    /// The sequence number, as an offset, for a segment without payload: SND.NXT or, where the window shrank below
    /// SND.NXT, the window edge.
    pub fn sent_edge(&self) -> u64 {
        self.nxt.min(self.window_edge.max(self.una))
    }

    /// Ends the connection: the sender sends no more segments.
    pub fn stop(&mut self) {
        self.rto_at = NEVER;
        self.pacing = false;
        self.probe_due = false;
    }

    /// Checks the invariants of the state; the error says which one is violated.
    pub fn check(&self) -> Result<(), String> {
        if self.una > self.nxt || self.nxt > self.end() {
            return Err(format!("una {}, nxt {}, end {} are out of order", self.una, self.nxt, self.end()));
        }
        self.board.check(self.una, self.nxt)?;
        if self.board.is_empty() && self.rto_at != NEVER {
            return Err("the retransmission timer runs with nothing outstanding".to_owned());
        }
        if self.window.cwnd == 0 {
            return Err("cwnd is zero".to_owned());
        }
        Ok(())
    }

    /// Offset up to which the peer's window allows sending.
    #[inline]
    pub fn window_edge(&self) -> u64 {
        self.window_edge
    }

    /// Sets the window edge from the peer's SYN, which holds the peer's first window.
    pub fn set_window_edge(&mut self, edge: u64) {
        self.window_edge = edge;
        self.small.largest_window = edge;
    }

    /// Sets the largest window that the peer has offered so far, bytes.
    pub fn set_largest_window(&mut self, bytes: u64) {
        self.small.largest_window = bytes;
    }
}
