//! The callbacks of [`CongestionControl`] in Python. Callbacks that a class does not override are not called.

use std::borrow::Cow;
use std::cell::Cell;

use ackclock_plugin::accepted;
use ackclock_tcp::cc::{CongestionControl, Reno, Scope};
use ackclock_tcp::context::{self, Ack, Congestion, Context, Delivery, Lost, RecoveryEnd};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::views;
use crate::callbacks::{Caller, Overridden, Own};

/// The algorithm of a connection.
pub struct Full {
    caller: Caller,
    scope: Scope,
    methods: Methods,
    window: Py<views::Window>,
    ctx: Py<views::Context>,
    ack: Py<views::Ack>,
    congestion: Py<views::Congestion>,
    recovery_end: Py<views::RecoveryEnd>,
    delivery: Py<views::Delivery>,
    lost: Py<views::Lost>,
    /// The arguments of the last call of `on_ack`, with its bytes. Most calls have the same ones.
    ack_arguments: Cell<Option<(u64, Py<PyTuple>)>>,
    /// The arguments of the callbacks that are called most often besides.
    delivery_arguments: Py<PyTuple>,
    sent_arguments: Py<PyTuple>,
}

/// The methods of an object that its class overrides.
struct Methods {
    seed: Own,
    on_start: Own,
    on_ack: Own,
    on_congestion: Own,
    on_timeout: Own,
    on_undo: Own,
    on_recovery_end: Own,
    on_idle_end: Own,
    on_delivery: Own,
    on_lost: Own,
    on_sent: Own,
    state_name: Own,
}

impl Full {
    pub fn new(
        py: Python<'_>,
        caller: Caller,
        object: &Bound<'_, PyAny>,
        overridden: &Overridden,
        scope: Scope,
    ) -> PyResult<Full> {
        let method = |name| overridden.method(object, name);
        let methods = Methods {
            seed: method("seed")?,
            on_start: method("on_start")?,
            on_ack: method("on_ack")?,
            on_congestion: method("on_congestion")?,
            on_timeout: method("on_timeout")?,
            on_undo: method("on_undo")?,
            on_recovery_end: method("on_recovery_end")?,
            on_idle_end: method("on_idle_end")?,
            on_delivery: method("on_delivery")?,
            on_lost: method("on_lost")?,
            on_sent: method("on_sent")?,
            state_name: method("state_name")?,
        };
        let window = views::Window::new(&context::Window { cwnd: 0, ssthresh: 0, pacing_rate: None });
        let (window, ctx, delivery) = (Py::new(py, window)?, views::Context::new(py)?, views::Delivery::new(py)?);
        let delivery_arguments = (&window, &delivery).into_pyobject(py)?.unbind();
        let sent_arguments = (&window, &ctx).into_pyobject(py)?.unbind();
        Ok(Full {
            caller,
            scope: Scope {
                rates: methods.on_delivery.is_some(),
                losses: methods.on_lost.is_some(),
                sends: methods.on_sent.is_some(),
                ..scope
            },
            methods,
            window,
            ctx,
            ack: views::Ack::new(py)?,
            congestion: views::Congestion::new(py)?,
            recovery_end: views::RecoveryEnd::new(py)?,
            delivery,
            lost: views::Lost::new(py)?,
            ack_arguments: Cell::new(None),
            delivery_arguments,
            sent_arguments,
        })
    }

    /// Calls a method, if it is overridden, with the window and the arguments that `args` creates. The window then has
    /// the value that the method left.
    fn call<A>(
        &self,
        (name, method): (&str, &Own),
        window: &mut context::Window,
        ctx: &Context,
        args: impl FnOnce(Python<'_>) -> PyResult<A>,
    ) where
        A: for<'py> PyCallArgs<'py>,
    {
        let Some(method) = method else { return };
        let after = self.caller.call(name, Some(ctx.now), |py| {
            self.window.get().fill(window);
            let args = args(py)?;
            method.call1(py, args)?;
            let after = self.window.get().value();
            let least = ctx.mss.min(window.cwnd);
            if after.cwnd < least {
                return Err(PyValueError::new_err(accepted::window(after.cwnd, least)));
            }
            Ok(after)
        });
        *window = after.unwrap_or(*window);
    }
}

impl CongestionControl for Full {
    fn seed(&mut self, seed: u32) {
        if let Some(method) = &self.methods.seed {
            self.caller.call("seed", None, |py| method.call1(py, (seed,)).map(drop));
        }
    }

    fn on_start(&mut self, window: &mut context::Window, ctx: &Context) {
        self.call(("on_start", &self.methods.on_start), window, ctx, |_| {
            self.ctx.get().fill(ctx);
            Ok((&self.window, &self.ctx))
        });
    }

    fn on_ack(&mut self, window: &mut context::Window, ack: &Ack, acked: u64) {
        self.call(("on_ack", &self.methods.on_ack), window, &ack.ctx, |py| {
            self.ack.get().fill(ack);
            let arguments = match self.ack_arguments.take() {
                Some((bytes, arguments)) if bytes == acked => arguments,
                _ => (&self.window, &self.ack, acked).into_pyobject(py)?.unbind(),
            };
            self.ack_arguments.set(Some((acked, arguments.clone_ref(py))));
            Ok(arguments)
        });
    }

    fn on_congestion(&mut self, window: &mut context::Window, event: &Congestion) {
        self.call(("on_congestion", &self.methods.on_congestion), window, &event.ctx, |_| {
            self.congestion.get().fill(event);
            Ok((&self.window, &self.congestion))
        });
    }

    fn on_timeout(&mut self, window: &mut context::Window, event: &Congestion, first: bool) {
        self.call(("on_timeout", &self.methods.on_timeout), window, &event.ctx, |_| {
            self.congestion.get().fill(event);
            Ok((&self.window, &self.congestion, first))
        });
    }

    fn on_undo(&mut self, window: &mut context::Window, before: &context::Window) {
        let Some(method) = &self.methods.on_undo else { return Reno::default().on_undo(window, before) };
        let after = self.caller.call("on_undo", None, |py| {
            self.window.get().fill(window);
            method.call1(py, (&self.window, views::Window::new(before)))?;
            Ok(self.window.get().value())
        });
        *window = after.unwrap_or(*window);
    }

    fn on_recovery_end(&mut self, window: &mut context::Window, end: &RecoveryEnd) {
        self.call(("on_recovery_end", &self.methods.on_recovery_end), window, &end.ctx, |_| {
            self.recovery_end.get().fill(end);
            Ok((&self.window, &self.recovery_end))
        });
    }

    fn on_idle_end(&mut self, window: &mut context::Window, ctx: &Context, idle: u64) {
        self.call(("on_idle_end", &self.methods.on_idle_end), window, ctx, |_| {
            self.ctx.get().fill(ctx);
            Ok((&self.window, &self.ctx, idle))
        });
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        self.caller.state(&self.methods.state_name)
    }

    fn on_delivery(&mut self, window: &mut context::Window, delivery: &Delivery) {
        self.call(("on_delivery", &self.methods.on_delivery), window, &delivery.ack.ctx, |py| {
            self.delivery.get().fill(py, delivery)?;
            Ok(self.delivery_arguments.clone_ref(py))
        });
    }

    fn on_lost(&mut self, window: &mut context::Window, lost: &Lost) {
        self.call(("on_lost", &self.methods.on_lost), window, &lost.ctx, |_| {
            self.lost.get().fill(lost);
            Ok((&self.window, &self.lost))
        });
    }

    fn on_sent(&mut self, window: &mut context::Window, ctx: &Context) {
        self.call(("on_sent", &self.methods.on_sent), window, ctx, |py| {
            self.ctx.get().fill(ctx);
            Ok(self.sent_arguments.clone_ref(py))
        });
    }
}
