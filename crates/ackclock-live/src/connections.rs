//! Connections between two sockets of this process.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use ackclock_app::Conn;
use ackclock_sim::reading::Reads;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown, sockopt};

/// One end of a connection.
#[derive(Default)]
pub struct End {
    /// The socket, once there is one.
    pub socket: Option<OwnedFd>,
    /// Whether the handshake is complete here.
    pub established: bool,
    /// Bytes that the application has written and the kernel has not taken.
    pub pending: u64,
    /// Whether the direction from here is to be closed after these bytes (`closing`), and whether it is (`closed`).
    pub closing: bool,
    /// See `closing`.
    pub closed: bool,
    /// Bytes received.
    pub received: u64,
    /// Whether the peer has closed its direction.
    pub ended: bool,
    /// The reads of an application that does not read at once.
    pub reads: Reads,
}

impl End {
    /// Gives the kernel what it takes of the pending bytes, and closes the direction after the last.
    pub fn flush(&mut self, data: &[u8]) -> io::Result<()> {
        let Some(socket) = self.socket.as_ref().filter(|_| self.established) else { return Ok(()) };
        while self.pending > 0 {
            let size = self.pending.min(data.len() as u64) as usize;
            match send(socket, &data[..size], SendFlags::NOSIGNAL) {
                Ok(sent) => self.pending -= sent as u64,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                // The peer has reset the connection; what is still to be sent has no receiver.
                Err(Errno::PIPE | Errno::CONNRESET) => {
                    self.pending = 0;
                    self.ended = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if self.closing && !self.closed {
            self.closed = true;
            match shutdown(socket, Shutdown::Write) {
                Ok(()) | Err(Errno::NOTCONN) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads once, at most as much as the buffer takes. Returns whether anything was read.
    pub fn read_once(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        let Some(socket) = self.socket.as_ref().filter(|_| self.established && !self.ended) else { return Ok(false) };
        loop {
            match recv(socket, &mut *buffer, RecvFlags::empty()) {
                Ok((0, _)) | Err(Errno::CONNRESET) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok((_, length)) => {
                    self.received += length as u64;
                    return Ok(true);
                }
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads everything that has arrived. A read that does not fill the buffer is the last one, unless the peer `hung_up`.
    pub fn drain(&mut self, hung_up: bool, buffer: &mut [u8]) -> io::Result<()> {
        loop {
            let before = self.received;
            if !self.read_once(buffer)? || !hung_up && self.received - before < buffer.len() as u64 {
                return Ok(());
            }
        }
    }
}

/// A connection.
pub struct Connection {
    /// Index of its flow.
    pub flow: usize,
    pub conn: Conn,
    /// Source and sink.
    pub ends: [End; 2],
}

impl Connection {
    /// Lets the kernel forget both sockets when they are closed, instead of trying for minutes to reach a peer in a
    /// network that is gone: until then they would hold their namespace and their congestion control.
    pub fn abort(&self) -> io::Result<()> {
        for socket in self.ends.iter().filter_map(|end| end.socket.as_ref()) {
            sockopt::set_socket_linger(socket, Some(Duration::ZERO))?;
        }
        Ok(())
    }

    /// Whether both directions are closed and everything has arrived.
    pub fn is_over(&self) -> bool {
        self.ends.iter().all(|end| end.ended && (end.closed || end.pending == 0 && end.closing))
    }
}
