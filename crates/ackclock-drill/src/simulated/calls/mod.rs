//! System calls as our host makes them.

mod connect;
mod freebsd;
mod freebsd_options;
mod message;
mod options;
mod pipe;
mod poll;
mod transfer;

use crate::calls::{Answer, Data, Request, Transfer, install};
use crate::simulated::host::{Descriptor, Host};
use crate::simulated::socket::{Connection, Socket, SocketId};
use crate::verdict::Stop;
use ackclock_tcp::Nanos;

/// Progress of a call.
#[derive(Clone, Copy, Default, Debug)]
pub struct CallState {
    /// Start of the call.
    pub started: Nanos,
    /// Bytes transferred, or whether a connection attempt is in progress.
    pub done: u64,
    /// Whether the call sleeps until there is room to write, or enough to read.
    pub sleeps: bool,
    /// Whether the call has opened a connection with Fast Open, or waits for one.
    pub opens: bool,
}

/// Reason for which a call ends early.
enum Halt {
    Stop(Stop),
    Errno(&'static str),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

type Called = Result<Answer, Halt>;

/// Makes a call, or retries one that blocks.
pub fn attempt(host: &mut Host, request: &Request, progress: &mut CallState) -> Result<Answer, Stop> {
    let answer = make(host, request, progress);
    host.drain();
    match answer {
        Ok(answer) => Ok(answer),
        Err(Halt::Errno(name)) => Ok(Answer::Error(name)),
        Err(Halt::Stop(stop)) => Err(stop),
    }
}

fn make(host: &mut Host, request: &Request, progress: &mut CallState) -> Called {
    match request {
        &Request::Accept { fd, flags, number } => connect::accept(host, fd, flags, number),
        &Request::Bind { fd, .. } => connect::bind(host, fd),
        // All capabilities are always granted.
        Request::CapSet => Ok(Answer::Value(0)),
        &Request::Close { fd } => connect::close(host, fd, progress),
        &Request::Connect { fd, address } => connect::connect(host, fd, address, progress),
        &Request::EpollCreate { number } => Ok(host.install(number, Descriptor::Epoll(Default::default()))),
        &Request::EpollControl { instance, operation, fd, events } => {
            poll::epoll_ctl(host, instance, operation, fd, events)
        }
        &Request::EpollWait { instance, most, timeout } => poll::epoll_wait(host, instance, most, timeout, progress),
        &Request::Fcntl { fd, command, argument } => options::fcntl(host, fd, command, argument),
        Request::GetOption { fd, option, .. } => options::getsockopt(host, *fd, &option.name),
        &Request::Ioctl { fd, request, argument } => options::ioctl(host, fd, request, argument),
        &Request::Listen { fd, .. } => connect::listen(host, fd),
        // A file with an unlimited number of bytes to send.
        &Request::Open { number, .. } => Ok(host.install(number, Descriptor::File)),
        &Request::Pipe { ends } => pipe::pipe(host, ends),
        Request::Poll { waits, timeout } => poll::poll(host, waits, *timeout, progress),
        Request::Receive(Transfer { fd, data: Data::Vector(lengths), flags: Some(flags), .. }) => {
            message::recvmsg(host, *fd, lengths, *flags, progress)
        }
        Request::Receive(transfer) => transfer::read(host, transfer, progress),
        Request::Send(transfer) => transfer::write(host, transfer, progress),
        &Request::SendFile { to, from, length, counts, .. } => {
            let sent = transfer::sendfile(host, to, from, length, progress)?;
            Ok(if counts || !matches!(sent, Answer::Value(_)) { sent } else { Answer::Value(0) })
        }
        Request::SetOption { fd, option, value, length } => {
            options::setsockopt(host, *fd, &option.name, value, *length)
        }
        &Request::Shutdown { fd, how } => connect::shutdown(host, fd, how),
        &Request::Socket { kind, protocol, number, .. } => connect::socket(host, kind, protocol, number),
        &Request::Splice { from, to, length, flags, .. } => pipe::splice(host, from, to, length, flags, progress),
    }
}

/// A number of bytes.
fn bytes(length: i64) -> Result<u64, Halt> {
    u64::try_from(length).map_err(|_| Halt::Errno("EINVAL"))
}

impl Host {
    /// The socket of a descriptor.
    fn socket_of(&self, fd: i64) -> Result<SocketId, Halt> {
        match self.fds.get(&fd) {
            Some(Descriptor::Socket(id)) => Ok(*id),
            Some(_) => Err(Halt::Errno("ENOTSOCK")),
            None => Err(Halt::Errno("EBADF")),
        }
    }

    fn socket_mut(&mut self, fd: i64) -> Result<(SocketId, &mut Socket), Halt> {
        let id = self.socket_of(fd)?;
        Ok((id, &mut self.sockets[id]))
    }

    fn connection_mut(&mut self, id: SocketId) -> Result<&mut Connection, Halt> {
        self.sockets[id].connection_mut().ok_or(Halt::Errno("ENOTCONN"))
    }

    /// Installs an opened object under the descriptor that the script expects, or under the lowest free one.
    fn install(&mut self, number: Option<i64>, descriptor: Descriptor) -> Answer {
        Answer::Value(install(&mut self.fds, number, descriptor))
    }
}
