//! A connection: an endpoint with the bytes of its streams.

use ackclock_tcp::{Config, Endpoint, Event, Flags, Nanos, Observer, Progress, Segment, State};
use ackclock_transport::Transmit;
use ackclock_wire::{self as wire, Addresses, EncodeError, Sum};

use crate::{ReceiveBuffer, SendBuffer};

/// An observer that records the stream offset of the segment sent last, and whether it is a retransmission.
#[derive(Default)]
struct LastSent {
    offset: u64,
    retransmission: bool,
}

impl Observer for LastSent {
    const ACTIVE: bool = false;

    fn event(&mut self, _now: Nanos, event: Event<'_>) {
        if let Event::Sent { offset, retransmission, .. } = event {
            *self = LastSent { offset, retransmission };
        }
    }
}

/// An endpoint with the bytes of its streams.
pub struct Connection {
    endpoint: Endpoint,
    /// Addresses of the packets that it sends.
    addresses: Addresses,
    sent: SendBuffer,
    arrived: ReceiveBuffer,
    /// Sequence number of the peer's first byte, once its SYN has arrived.
    first: Option<u32>,
    peer_closed: bool,
    closing: bool,
    /// Changes since the last call of [`Connection::take_progress`].
    progress: Progress,
}

impl Connection {
    /// Creates a closed connection with the addresses of the packets it will send.
    pub fn new(config: &Config, addresses: Addresses, isn: u32) -> Connection {
        let window = config.receive_buffer.max(config.receive_buffer_max);
        Connection {
            endpoint: Endpoint::new(config, isn),
            addresses,
            sent: SendBuffer::default(),
            arrived: ReceiveBuffer::new(window as usize),
            first: None,
            peer_closed: false,
            closing: false,
            progress: Progress::default(),
        }
    }

    /// Starts to open the connection.
    pub fn connect(&mut self, now: Nanos) {
        self.endpoint.connect(now);
    }

    /// Waits for a SYN.
    pub fn listen(&mut self) {
        self.endpoint.listen();
    }

    /// Appends bytes to the stream.
    pub fn write(&mut self, now: Nanos, bytes: &[u8]) {
        self.sent.write(bytes);
        self.endpoint.write(now, bytes.len() as u64);
    }

    /// Returns the number of bytes written that the peer has not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.sent.len()
    }

    /// Reads the data that has arrived in order, in pieces.
    pub fn read(&mut self, now: Nanos, to: impl FnMut(&[u8])) {
        self.read_some(now, u64::MAX, to);
    }

    /// Reads at most `most` bytes of the data that has arrived in order, in pieces.
    pub fn read_some(&mut self, now: Nanos, most: u64, to: impl FnMut(&[u8])) {
        let bytes = self.unread().min(most);
        if bytes > 0 {
            self.arrived.take(self.arrived.start() + bytes, to);
            self.endpoint.read(now, bytes);
        }
    }

    /// Closes the direction of this end: no more data is written.
    pub fn close(&mut self, now: Nanos) {
        if !self.closing {
            self.closing = true;
            self.endpoint.close(now);
        }
    }

    /// Ends the direction of this end after the bytes that were written. Data is still received.
    pub fn finish(&mut self, now: Nanos) {
        self.endpoint.shutdown_write(now);
    }

    /// Ends the connection at once with a RST.
    pub fn abort(&mut self, now: Nanos) {
        self.endpoint.abort(now);
    }

    /// Returns the changes that segments and timers made since the last call.
    pub fn take_progress(&mut self) -> Progress {
        std::mem::take(&mut self.progress)
    }

    /// Returns the number of bytes that have arrived in order and were not read.
    pub fn unread(&self) -> u64 {
        self.endpoint.received() - self.arrived.start()
    }

    /// Whether the peer has closed its direction, and all its data has arrived.
    pub fn peer_closed(&self) -> bool {
        self.peer_closed
    }

    /// Returns the state of the connection.
    pub fn state(&self) -> State {
        self.endpoint.state()
    }

    /// Returns the endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Handles a segment from the wire.
    pub fn on_segment(&mut self, now: Nanos, segment: &Segment, payload: &[u8]) {
        if segment.flags.has(Flags::SYN) && matches!(self.state(), State::Listen | State::SynSent) {
            self.first = Some(segment.seq.wrapping_add(1));
        } else if let Some(first) = self.first {
            // The offset is the one nearest to the expected offset. Data outside the window is not stored, whatever the
            // endpoint does with it. All data that the endpoint then reports as received is stored.
            let expected = self.endpoint.received();
            let distance = segment.seq.wrapping_sub(first).wrapping_sub(expected as u32) as i32;
            if let Some(offset) = expected.checked_add_signed(i64::from(distance)) {
                self.arrived.put(offset, payload);
            }
        }
        let progress = self.endpoint.on_segment(now, segment, &mut ());
        self.follow_up(progress);
    }

    /// Calls the endpoint if its timer has expired.
    pub fn on_time(&mut self, now: Nanos) {
        if self.endpoint.next_timeout() <= now {
            let progress = self.endpoint.on_timeout(now, &mut ());
            self.follow_up(progress);
        }
    }

    fn follow_up(&mut self, progress: Progress) {
        self.sent.release(self.endpoint.acked());
        self.peer_closed |= progress.has(Progress::PEER_CLOSED);
        self.progress = self.progress.with(progress);
    }

    /// Returns the time of the next call of [`Connection::on_time`].
    pub fn next_timeout(&self) -> Nanos {
        self.endpoint.next_timeout()
    }

    /// Writes the next packet that is to leave now into `buffer`.
    ///
    /// # Errors
    /// The reason why the data does not fit into a packet or the buffer.
    pub fn poll_transmit<'a>(&mut self, now: Nanos, buffer: &'a mut [u8]) -> Result<Option<&'a [u8]>, EncodeError> {
        Ok(self.poll_packet(now, buffer)?.map(|(packet, _)| packet))
    }

    /// Writes the next packet as [`Connection::poll_transmit`] does, and also returns a description of the packet.
    ///
    /// # Errors
    /// The reason why the data does not fit into a packet or the buffer.
    pub fn poll_packet<'a>(
        &mut self,
        now: Nanos,
        buffer: &'a mut [u8],
    ) -> Result<Option<(&'a [u8], Transmit)>, EncodeError> {
        let mut last = LastSent::default();
        let Some(segment) = self.endpoint.poll_transmit(now, &mut last) else { return Ok(None) };
        let needed = wire::packet_len(&segment, self.addresses.source.is_ipv6()) as usize;
        let have = buffer.len();
        let packet = buffer.get_mut(..needed).ok_or(EncodeError::Buffer { needed, have })?;
        let (headers, payload) = packet.split_at_mut(needed - segment.len as usize);
        self.sent.copy(last.offset, payload);
        wire::encode(&self.addresses, &segment, Sum::of(payload), headers)?;
        let retransmission = last.retransmission && segment.len > 0;
        Ok(Some((packet, Transmit { ecn: segment.ecn, payload: segment.len, retransmission })))
    }
}
