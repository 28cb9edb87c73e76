//! The TCP of [`ackclock_tcp`] on the wire: [`Endpoint`](ackclock_tcp::Endpoint)s behind a TUN device, where they exchange
//! data with the machine's own kernel, or through it with anyone.
//!
//! An endpoint knows stream offsets and no bytes; [`Connection`] keeps those. [`Driver`] moves packets between the device and
//! the connections, calls them when their timers expire, and can lose and reorder packets on the way ([`Impairment`]).
//!
//! Linux only, and whoever attaches to a device needs the right to (`CAP_NET_ADMIN`, unless the device is theirs).

mod buffer;
mod connection;
mod driver;
mod impair;
mod tun;

pub use buffer::{ReceiveBuffer, SendBuffer};
pub use connection::Connection;
pub use driver::{Counts, Driver, Id};
pub use impair::Impairment;
pub use tun::Tun;
