//! CUBIC (RFC 9438).
use super::{CongestionControl, Entry};
use crate::context::{Ack, Congestion, Window};
pub(super) const ENTRY: Entry =
    Entry { name: "cubic", summary: "", source: "RFC 9438", make: || Box::new(Cubic::default()) };
/// CUBIC.
#[derive(Default, Debug)]
pub struct Cubic {}
impl CongestionControl for Cubic {
    fn on_ack(&mut self, _w: &mut Window, _ack: &Ack, _acked: u64) {
        todo!()
    }
    fn on_congestion(&mut self, _w: &mut Window, _e: &Congestion) {
        todo!()
    }
    fn on_timeout(&mut self, _w: &mut Window, _e: &Congestion, _first: bool) {
        todo!()
    }
}
