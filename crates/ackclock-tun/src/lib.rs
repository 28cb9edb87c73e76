//! The TCP of [`ackclock_tcp`] on the wire: [`Endpoint`](ackclock_tcp::Endpoint)s behind a TUN device exchange data
//! with the machine's own kernel or, through the kernel, with other hosts.
//!
//! An endpoint handles stream offsets and no bytes; [`Connection`] keeps the bytes. [`Driver`] moves packets between
//! the device and the connections, calls them when their timers expire, and can lose and reorder packets
//! ([`Impairment`]).
//!
//! [`TcpStack`] is the same TCP as a transport in virtual time, with IP packets as its datagrams.
//!
//! Linux only. Attaching to a device requires the capability `CAP_NET_ADMIN`, unless the user owns the device.

mod buffer;
mod connection;
mod driver;
mod impair;
mod stack;
mod tun;

pub use buffer::{ReceiveBuffer, SendBuffer};
pub use connection::Connection;
pub use driver::{Counts, Driver, Id};
pub use impair::Impairment;
pub use stack::TcpStack;
pub use tun::Tun;
