//! The callbacks of a library, as those of the engine.

use ackclock_cc::abi::{self, Status};
use ackclock_cc::{self as contract, Value};
use ackclock_tcp::Nanos;
use ackclock_tcp::cc::{CongestionControl, Scope};
use ackclock_tcp::context::{Ack, Congestion, Context, Delivery, Lost, RecoveryEnd, Window};

use crate::accepted::{self, MOST_WINDOW};
use crate::convert;
use crate::object::Object;

/// The callbacks of a connection.
pub struct Callbacks {
    table: &'static abi::Callbacks,
    object: Object,
    scope: Scope,
}

/// The window that a callback may leave: its smallest cwnd in bytes, and the time.
struct Checked {
    least: u64,
    now: Option<Nanos>,
}

impl Callbacks {
    pub fn new(table: &'static abi::Callbacks, object: Object) -> Callbacks {
        let mut bits = 0;
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: the object, and a place for the bits.
        object.call("scope", None, |object| unsafe { (table.scope)(object, &raw mut bits) });
        let contract::Scope { slow_start, window, deliveries, losses, sends, gap, proportional, paces } =
            contract::Scope::of_bits(bits);
        let own = Scope {
            slow_start,
            window,
            rates: deliveries,
            losses,
            sends,
            gap,
            proportional,
            paces,
            ..Scope::default()
        };
        Callbacks { table, object, scope: own }
    }

    /// Calls a callback with the window and checks the window that it leaves.
    #[inline]
    fn call(
        &self,
        name: &'static str,
        window: &mut Window,
        checked: &Checked,
        body: impl FnOnce(abi::Object, *mut abi::Window) -> Status,
    ) {
        let mut set = convert::window(window).to_c();
        if !self.object.call(name, checked.now, |object| body(object, &raw mut set)) {
            return;
        }
        let set = contract::Window::of_c(set);
        match wrong(&set, checked.least.min(window.cwnd)) {
            None => *window = convert::window_back(set),
            Some(what) => self.object.refuse(name, checked.now, what),
        }
    }
}

/// Returns the message about a window that is not accepted.
#[inline]
fn wrong(window: &contract::Window, least: u64) -> Option<String> {
    if window.cwnd > MOST_WINDOW {
        return Some(accepted::number("cwnd", &window.cwnd.to_string(), MOST_WINDOW));
    }
    if window.cwnd < least {
        return Some(accepted::window(window.cwnd, least));
    }
    match window.pacing_rate {
        Some(0) => Some(accepted::NO_RATE.to_owned()),
        Some(rate) if rate > MOST_WINDOW => Some(accepted::number("pacing_rate", &rate.to_string(), MOST_WINDOW)),
        _ => None,
    }
}

impl From<&Context> for Checked {
    fn from(ctx: &Context) -> Checked {
        Checked { least: ctx.mss, now: Some(ctx.now) }
    }
}

/// Defines callbacks whose event has a context.
macro_rules! callbacks {
    ($($callback:ident($event:ident: $Event:ident $(, $number:ident: $Number:ty)?): $ctx:expr, $convert:ident;)*) => {
        $(
            #[inline]
            fn $callback(&mut self, window: &mut Window, $event: &$Event $(, $number: $Number)?) {
                let given = convert::$convert($event).to_c();
                #[expect(unsafe_code, reason = "a function of a library")]
                // SAFETY: the contract of the table: the object, a window, and an event.
                self.call(stringify!($callback), window, &Checked::from($ctx), |object, window| unsafe {
                    (self.table.$callback)(object, window, &raw const given $(, $number.to_c())?)
                });
            }
        )*
    };
}

impl CongestionControl for Callbacks {
    fn seed(&mut self, seed: u32) {
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: the object and a number.
        self.object.call("seed", None, |object| unsafe { (self.table.seed)(object, seed) });
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn on_undo(&mut self, window: &mut Window, before: &Window) {
        let given = convert::window(before).to_c();
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: the object and two windows.
        self.call("on_undo", window, &Checked { least: 1, now: None }, |object, window| unsafe {
            (self.table.on_undo)(object, window, &raw const given)
        });
    }

    callbacks! {
        on_start(ctx: Context): ctx, context;
        on_ack(ack: Ack, acked: u64): &ack.ctx, ack;
        on_congestion(event: Congestion): &event.ctx, congestion;
        on_timeout(event: Congestion, first: bool): &event.ctx, congestion;
        on_recovery_end(end: RecoveryEnd): &end.ctx, recovery_end;
        on_idle_end(ctx: Context, idle: Nanos): ctx, context;
        on_delivery(delivery: Delivery): &delivery.ack.ctx, delivery;
        on_lost(lost: Lost): &lost.ctx, lost;
        on_sent(ctx: Context): ctx, context;
    }
}
