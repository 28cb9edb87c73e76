//! The bytes of a connection in the queue of its own host, which Linux keeps few (TCP small queues; net/ipv4/tcp_output.c,
//! tcp_small_queue_check, tcp_wfree, tcp_tsq_handler).

use super::Sender;
use crate::pacing::Pacing;
use crate::send_buffer::OVERHEAD;

/// Largest limit of a flow that is not paced, bytes of memory: sysctl tcp_limit_output_bytes of Linux 6.12.
const LIMIT: u64 = 1 << 20;

/// The part of the host's queue that belongs to a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostQueue {
    /// Bytes of payload in the queue.
    held: u64,
    /// Whether data waits for bytes to leave the queue.
    waits: bool,
}

impl Sender {
    /// Has the sender keep the bytes in its host's queue few, if the stack does so. [`Sender::on_left_host`] then tells of
    /// each packet that has left.
    pub fn watch_host_queue(&mut self) {
        if self.has_packets() {
            self.host = Some(Box::default());
        }
    }

    /// Takes note that `len` bytes of payload have left the host's queue.
    pub fn on_left_host(&mut self, len: u32) {
        let Some(host) = &mut self.host else { return };
        host.held = host.held.saturating_sub(len.into());
        if std::mem::take(&mut host.waits) {
            self.look_again();
        }
    }

    /// Takes note of a segment with `len` bytes of payload that enters the host's queue.
    #[inline]
    pub(super) fn enter_host(&mut self, len: u32) {
        if let Some(host) = &mut self.host {
            host.held += u64::from(len);
        }
    }

    /// Whether the next packet, of `len` bytes of payload, has to wait until others have left the host's queue, which may
    /// hold `factor` times the usual. Linux counts the memory of packets; the rate that it compares with is therefore
    /// taken as the part of it that is payload.
    pub(super) fn host_is_full(&mut self, len: u64, factor: u64) -> bool {
        let Some(held) = self.host.as_ref().map(|host| host.held) else { return false };
        let memory = len + OVERHEAD;
        let mut limit = (2 * memory).max(self.packet_rate(self.pipe()).map_or(0, |rate| rate.bytes() >> 10));
        if self.config.pacing == Pacing::Off && !self.config.cc.paces() {
            limit = limit.min(LIMIT);
        }
        // The count begins with one byte (net/core/sock.c, sk_alloc), so that two packets reach twice the memory of one.
        let full = held.saturating_mul(memory) >= limit.saturating_mul(factor * len.max(1));
        let single = self.outstanding() <= len;
        if !full || single {
            return false;
        }
        if let Some(host) = &mut self.host {
            host.waits = true;
        }
        true
    }
}
