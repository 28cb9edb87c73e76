//! The arguments of callbacks in Python: each connection has one object of each kind, which is filled anew for every
//! event. The stub documents the fields.

use ackclock_plugin::accepted::{self, MOST_WINDOW};
use ackclock_tcp::Rate;
use ackclock_tcp::cc::{Situation as Told, seconds};
use ackclock_tcp::context::{self, Cause};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Returns a number of bytes, or of bytes per second, that a callback has set.
fn whole(what: &str, value: &Bound<'_, PyAny>, most: u64) -> PyResult<u64> {
    let number = value.extract::<u64>().ok().or_else(|| {
        let float = value.extract::<f64>().ok().filter(|float| (0.0..=most as f64).contains(float));
        float.map(|float| float as u64)
    });
    if let Some(number) = number.filter(|number| *number <= most) {
        return Ok(number);
    }
    let message = accepted::number(what, &value.repr()?.to_string(), most);
    if value.extract::<f64>().is_ok() {
        Err(PyValueError::new_err(message))
    } else {
        Err(PyTypeError::new_err(message))
    }
}

#[pyclass(module = "ackclock._core")]
#[derive(Clone, Copy)]
pub struct Window(pub context::Window);

#[pymethods]
impl Window {
    #[getter]
    fn cwnd(&self) -> u64 {
        self.0.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.cwnd = whole("cwnd", value, MOST_WINDOW)?;
        Ok(())
    }

    #[getter]
    fn ssthresh(&self) -> u64 {
        self.0.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.ssthresh = whole("ssthresh", value, u64::MAX)?;
        Ok(())
    }

    #[getter]
    fn pacing_rate(&self) -> Option<u64> {
        self.0.pacing_rate.map(Rate::bytes)
    }

    #[setter]
    fn set_pacing_rate(&mut self, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let rate = value.map(|value| whole("pacing_rate", value, MOST_WINDOW)).transpose()?;
        if rate == Some(0) {
            return Err(PyValueError::new_err(accepted::NO_RATE));
        }
        self.0.pacing_rate = rate.map(Rate::of_bytes);
        Ok(())
    }

    #[getter]
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }
}

/// Defines a view: the fields of a structure of the engine, some of which are views themselves.
macro_rules! view {
    ($Name:ident of $Source:ty { $($field:ident: $Type:ty,)* } $(holds { $($held:ident: $View:ident,)+ })?) => {
        #[pyclass(module = "ackclock._core", get_all)]
        pub struct $Name {
            $($field: $Type,)*
            $($($held: Py<$View>,)+)?
        }

        impl $Name {
            pub fn new(py: Python<'_>) -> PyResult<Py<$Name>> {
                Py::new(py, $Name { $($field: Default::default(),)* $($($held: $View::new(py)?,)+)? })
            }

            pub fn fill(view: &Py<$Name>, py: Python<'_>, from: &$Source) {
                let mut view = view.borrow_mut(py);
                $(view.$field = from.$field;)*
                $($($View::fill(&view.$held, py, &from.$held);)+)?
            }
        }
    };
}

view!(Context of context::Context {
    now: u64,
    mss: u64,
    initial_window: u64,
    snd_una: u64,
    snd_nxt: u64,
    flight_size: u64,
    pipe: u64,
    unsent: u64,
    receive_window: u64,
    srtt: Option<u64>,
    min_rtt: Option<u64>,
    rto: u64,
    in_recovery: bool,
});

view!(Ack of context::Ack {
    acked: u64,
    sacked: u64,
    lost: u64,
    rtt: Option<u64>,
    cwnd_limited: bool,
    marked: u64,
} holds { ctx: Context, });

view!(Lost of context::Lost {
    len: u64,
    tx_in_flight: u64,
    lost_since: u64,
    app_limited: bool,
} holds { ctx: Context, });

view!(RecoveryEnd of context::RecoveryEnd {
    retransmitted: u64,
} holds { ctx: Context, });

view!(RateSample of context::RateSample {
    delivered: u64,
    prior_delivered: u64,
    interval: u64,
    tx_in_flight: u64,
    lost: u64,
    app_limited: bool,
});

#[pymethods]
impl RateSample {
    #[getter]
    fn bytes_per_second(&self) -> Option<u64> {
        let Self { delivered, prior_delivered, interval, tx_in_flight, lost, app_limited } = *self;
        context::RateSample { delivered, prior_delivered, interval, tx_in_flight, lost, app_limited }
            .rate()
            .map(Rate::bytes)
    }
}

fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Loss => "loss",
        Cause::Ecn => "ecn",
        Cause::Timeout => "timeout",
        Cause::Delay => "delay",
    }
}

#[pyclass(module = "ackclock._core", get_all)]
pub struct Congestion {
    cause: &'static str,
    abe: bool,
    ctx: Py<Context>,
}

impl Congestion {
    pub fn new(py: Python<'_>) -> PyResult<Py<Congestion>> {
        Py::new(py, Congestion { cause: cause_name(Cause::Loss), abe: false, ctx: Context::new(py)? })
    }

    pub fn fill(view: &Py<Congestion>, py: Python<'_>, from: &context::Congestion) {
        let mut view = view.borrow_mut(py);
        (view.cause, view.abe) = (cause_name(from.cause), from.abe);
        Context::fill(&view.ctx, py, &from.ctx);
    }
}

#[pyclass(module = "ackclock._core", get_all)]
pub struct Delivery {
    ack: Py<Ack>,
    newly: u64,
    delivered: u64,
    lost: u64,
    sent_at: Option<u64>,
    forward_delay: Option<i64>,
    rate: Option<Py<RateSample>>,
}

impl Delivery {
    pub fn new(py: Python<'_>) -> PyResult<Py<Delivery>> {
        let ack = Ack::new(py)?;
        let told = Delivery { ack, newly: 0, delivered: 0, lost: 0, sent_at: None, forward_delay: None, rate: None };
        Py::new(py, told)
    }

    /// The sample of the rate is a new object each time, because algorithms keep samples.
    pub fn fill(view: &Py<Delivery>, py: Python<'_>, from: &context::Delivery) -> PyResult<()> {
        let sample = |rate: &context::RateSample| {
            let sample = RateSample::new(py)?;
            RateSample::fill(&sample, py, rate);
            PyResult::Ok(sample)
        };
        let mut view = view.borrow_mut(py);
        (view.newly, view.delivered, view.lost) = (from.newly, from.delivered, from.lost);
        (view.sent_at, view.forward_delay) = (from.sent_at, from.forward_delay);
        view.rate = from.rate.as_ref().map(sample).transpose()?;
        Ack::fill(&view.ack, py, &from.ack);
        Ok(())
    }
}

#[pyclass(module = "ackclock._core")]
pub struct Situation(pub Told);

#[pymethods]
impl Situation {
    #[getter]
    fn now(&self) -> f64 {
        seconds(self.0.ctx.now)
    }

    #[getter]
    fn mss(&self) -> u64 {
        self.0.ctx.mss
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd()
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh()
    }

    #[getter]
    fn initial_window(&self) -> f64 {
        self.0.segments(self.0.ctx.initial_window)
    }

    #[getter]
    fn acked(&self) -> f64 {
        self.0.segments(self.0.acked)
    }

    #[getter]
    fn flight_size(&self) -> f64 {
        self.0.segments(self.0.ctx.flight_size)
    }

    #[getter]
    fn pipe(&self) -> f64 {
        self.0.segments(self.0.ctx.pipe)
    }

    #[getter]
    fn rtt(&self) -> Option<f64> {
        self.0.rtt.map(seconds)
    }

    #[getter]
    fn srtt(&self) -> Option<f64> {
        self.0.ctx.srtt.map(seconds)
    }

    #[getter]
    fn min_rtt(&self) -> Option<f64> {
        self.0.ctx.min_rtt.map(seconds)
    }

    #[getter]
    fn cause(&self) -> Option<&'static str> {
        self.0.congestion.as_ref().map(|event| cause_name(event.cause))
    }

    #[getter]
    fn abe(&self) -> bool {
        self.0.congestion.as_ref().is_some_and(|event| event.abe)
    }

    #[getter]
    fn idle(&self) -> f64 {
        seconds(self.0.idle)
    }
}
