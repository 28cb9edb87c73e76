//! stub
use super::{Entry, Growth, WindowValidation};
use crate::context::{Ack, Window};
pub(super) const ENTRY: Entry = Entry { name: "newcwv", summary: "", source: "", make: || Box::new(Rule) };
struct Rule;
impl WindowValidation for Rule {
    fn on_ack(&mut self, _w: &mut Window, _a: &Ack) -> Growth {
        todo!()
    }
}
