//! Times for which a connection had data to send, and for which it was limited: `tcpi_busy_time`, `tcpi_rwnd_limited`
//! and `tcpi_sndbuf_limited` of Linux (net/ipv4/tcp_output.c, tcp_chrono_start).

use ackclock_tcp::Nanos;
use ackclock_tcp::info::Info;

/// Activity of a connection; if two apply, the later one in this list counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
enum Doing {
    /// All data are acknowledged.
    #[default]
    Nothing,
    /// Data is unacknowledged.
    Busy,
    /// The peer's window limits the connection.
    WindowLimited,
    /// All data are sent, and the application waits for room in the send buffer.
    BufferLimited,
}

/// Time spent with each activity.
#[derive(Clone, Debug, Default)]
pub struct Chrono {
    doing: Doing,
    since: Nanos,
    spent: [Nanos; 4],
}

impl Chrono {
    fn switch(&mut self, now: Nanos, doing: Doing) {
        self.spent[self.doing as usize] += now - self.since;
        (self.doing, self.since) = (doing, now);
    }

    /// Updates the activity of a connection with `queued` bytes that are not acknowledged, `unsent` of them never sent.
    /// `wanted` is whether a writer waits for room, and `sent` whether data have just been sent.
    pub fn follow(&mut self, now: Nanos, info: &Info, [queued, unsent]: [u64; 2], wanted: bool, sent: bool) {
        let outstanding = queued - unsent;
        let window_full = info.unacked >= info.snd_cwnd;
        let next = unsent.min(u64::from(info.snd_mss));
        let doing = if info.unacked == 0 && unsent == 0 {
            Doing::Nothing
        } else if unsent == 0 && wanted && (sent && !window_full || self.doing == Doing::BufferLimited) {
            Doing::BufferLimited
        } else if unsent > 0 && !window_full && outstanding + next > info.snd_wnd {
            Doing::WindowLimited
        } else {
            Doing::Busy
        };
        self.switch(now, doing);
    }

    /// The values of `tcp_info`, in microseconds.
    pub fn info(&self, now: Nanos) -> [(&'static str, u64); 3] {
        let mut spent = self.spent;
        spent[self.doing as usize] += now - self.since;
        let [_, busy, window, buffer] = spent.map(|time| time / 1000);
        [("tcpi_busy_time", busy + window + buffer), ("tcpi_rwnd_limited", window), ("tcpi_sndbuf_limited", buffer)]
    }
}
