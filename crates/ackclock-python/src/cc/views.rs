//! The arguments of callbacks in Python: each connection has one object of each kind, which is filled anew for every
//! event. The stub documents the fields.

use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ackclock_plugin::accepted::{self, MOST_WINDOW};
use ackclock_tcp::Rate;
use ackclock_tcp::cc::{Situation as Told, seconds};
use ackclock_tcp::context;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use super::fields::{Field, Named};

/// Returns a number of bytes, or of bytes per second, that a callback has set.
fn whole(what: &str, value: &Bound<'_, PyAny>, most: u64) -> PyResult<u64> {
    // That a float is no integer would be told by an exception, which takes longer than the whole callback.
    let integer = if value.is_exact_instance_of::<PyFloat>() { None } else { value.extract::<u64>().ok() };
    let number = integer.or_else(|| {
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

#[pyclass(module = "ackclock._core", frozen)]
pub struct Window {
    cwnd: Field<u64>,
    ssthresh: Field<u64>,
    /// Bits per second; zero stands for `None`.
    pacing_rate: Field<u64>,
}

impl Window {
    pub fn new(window: &context::Window) -> Window {
        let made = Window { cwnd: Field::new(0), ssthresh: Field::new(0), pacing_rate: Field::new(0) };
        made.fill(window);
        made
    }

    pub fn fill(&self, from: &context::Window) {
        self.cwnd.set(from.cwnd);
        self.ssthresh.set(from.ssthresh);
        self.pacing_rate.set(from.pacing_rate.map_or(0, Rate::bits));
    }

    pub fn value(&self) -> context::Window {
        let pacing_rate = Rate::new(self.pacing_rate.get());
        context::Window { cwnd: self.cwnd.get(), ssthresh: self.ssthresh.get(), pacing_rate }
    }
}

#[pymethods]
impl Window {
    #[getter]
    fn cwnd(&self) -> u64 {
        self.cwnd.get()
    }

    #[setter]
    fn set_cwnd(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.cwnd.set(whole("cwnd", value, MOST_WINDOW)?);
        Ok(())
    }

    #[getter]
    fn ssthresh(&self) -> u64 {
        self.ssthresh.get()
    }

    #[setter]
    fn set_ssthresh(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.ssthresh.set(whole("ssthresh", value, u64::MAX)?);
        Ok(())
    }

    #[getter]
    fn pacing_rate(&self) -> Option<u64> {
        self.value().pacing_rate.map(Rate::bytes)
    }

    #[setter]
    fn set_pacing_rate(&self, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let rate = value.map(|value| whole("pacing_rate", value, MOST_WINDOW)).transpose()?;
        if rate == Some(0) {
            return Err(PyValueError::new_err(accepted::NO_RATE));
        }
        self.pacing_rate.set(rate.map_or(0, |rate| Rate::of_bytes(rate).bits()));
        Ok(())
    }

    #[getter]
    fn in_slow_start(&self) -> bool {
        self.value().in_slow_start()
    }
}

/// Defines a view: the fields of a structure of the engine, some of which are views themselves.
macro_rules! view {
    ($Name:ident of $Source:ty { $($field:ident: $Type:ty,)* } $(holds { $($held:ident: $View:ident,)+ })?) => {
        #[pyclass(module = "ackclock._core", get_all, frozen)]
        pub struct $Name {
            $($field: Field<$Type>,)*
            $($($held: Py<$View>,)+)?
        }

        impl $Name {
            pub fn new(py: Python<'_>) -> PyResult<Py<$Name>> {
                Py::new(py, $Name { $($field: Field::default(),)* $($($held: $View::new(py)?,)+)? })
            }

            pub fn fill(&self, from: &$Source) {
                $(self.$field.set(from.$field.into());)*
                $($(self.$held.get().fill(&from.$held);)+)?
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
        let sample = context::RateSample {
            delivered: self.delivered.get(),
            prior_delivered: self.prior_delivered.get(),
            interval: self.interval.get(),
            tx_in_flight: self.tx_in_flight.get(),
            lost: self.lost.get(),
            app_limited: self.app_limited.get(),
        };
        sample.rate().map(Rate::bytes)
    }
}

view!(Congestion of context::Congestion {
    cause: Named,
    abe: bool,
} holds { ctx: Context, });

#[pyclass(module = "ackclock._core", get_all, frozen)]
pub struct Delivery {
    ack: Py<Ack>,
    newly: Field<u64>,
    delivered: Field<u64>,
    lost: Field<u64>,
    sent_at: Field<Option<u64>>,
    forward_delay: Field<Option<i64>>,
    rate: Sample,
}

/// The sample of a delivery.
#[derive(Default)]
struct Sample(Mutex<Option<Py<RateSample>>>);

impl Sample {
    fn held(&self) -> MutexGuard<'_, Option<Py<RateSample>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'py> IntoPyObject<'py> for &Sample {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Infallible> {
        Ok(self.held().as_ref().map_or_else(|| py.None().into_bound(py), |sample| sample.bind(py).clone().into_any()))
    }
}

impl Delivery {
    pub fn new(py: Python<'_>) -> PyResult<Py<Delivery>> {
        let told = Delivery {
            ack: Ack::new(py)?,
            newly: Field::default(),
            delivered: Field::default(),
            lost: Field::default(),
            sent_at: Field::default(),
            forward_delay: Field::default(),
            rate: Sample::default(),
        };
        Py::new(py, told)
    }

    /// The sample of the rate is a new object each time, because algorithms keep samples.
    pub fn fill(&self, py: Python<'_>, from: &context::Delivery) -> PyResult<()> {
        let sample = |rate: &context::RateSample| {
            let sample = RateSample::new(py)?;
            sample.get().fill(rate);
            PyResult::Ok(sample)
        };
        self.newly.set(from.newly);
        self.delivered.set(from.delivered);
        self.lost.set(from.lost);
        self.sent_at.set(from.sent_at);
        self.forward_delay.set(from.forward_delay);
        *self.rate.held() = from.rate.as_ref().map(sample).transpose()?;
        self.ack.get().fill(&from.ack);
        Ok(())
    }
}

#[pyclass(module = "ackclock._core", frozen)]
#[derive(Default)]
pub struct Situation {
    now: Field<u64>,
    mss: Field<u64>,
    cwnd: Field<u64>,
    ssthresh: Field<u64>,
    initial_window: Field<u64>,
    acked: Field<u64>,
    flight_size: Field<u64>,
    pipe: Field<u64>,
    rtt: Field<Option<u64>>,
    srtt: Field<Option<u64>>,
    min_rtt: Field<Option<u64>>,
    #[pyo3(get)]
    cause: Field<Named>,
    #[pyo3(get)]
    abe: Field<bool>,
    idle: Field<u64>,
}

impl Situation {
    pub fn new(told: &Told) -> Situation {
        let made = Situation::default();
        made.fill(told);
        made
    }

    pub fn fill(&self, told: &Told) {
        self.now.set(told.ctx.now);
        self.mss.set(told.ctx.mss);
        self.cwnd.set(told.window.cwnd);
        self.ssthresh.set(told.window.ssthresh);
        self.initial_window.set(told.ctx.initial_window);
        self.acked.set(told.acked);
        self.flight_size.set(told.ctx.flight_size);
        self.pipe.set(told.ctx.pipe);
        self.rtt.set(told.rtt);
        self.srtt.set(told.ctx.srtt);
        self.min_rtt.set(told.ctx.min_rtt);
        self.cause.set(told.congestion.map(|event| event.cause).into());
        self.abe.set(told.congestion.is_some_and(|event| event.abe));
        self.idle.set(told.idle);
    }

    /// A volume in segments, as [`Told::segments`] has it.
    fn segments(&self, bytes: &Field<u64>) -> f64 {
        bytes.get() as f64 / self.mss.get().max(1) as f64
    }
}

#[pymethods]
impl Situation {
    #[getter]
    fn now(&self) -> f64 {
        seconds(self.now.get())
    }

    #[getter]
    fn mss(&self) -> u64 {
        self.mss.get()
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.segments(&self.cwnd)
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        if self.ssthresh.get() == u64::MAX { f64::INFINITY } else { self.segments(&self.ssthresh) }
    }

    #[getter]
    fn initial_window(&self) -> f64 {
        self.segments(&self.initial_window)
    }

    #[getter]
    fn acked(&self) -> f64 {
        self.segments(&self.acked)
    }

    #[getter]
    fn flight_size(&self) -> f64 {
        self.segments(&self.flight_size)
    }

    #[getter]
    fn pipe(&self) -> f64 {
        self.segments(&self.pipe)
    }

    #[getter]
    fn rtt(&self) -> Option<f64> {
        self.rtt.get().map(seconds)
    }

    #[getter]
    fn srtt(&self) -> Option<f64> {
        self.srtt.get().map(seconds)
    }

    #[getter]
    fn min_rtt(&self) -> Option<f64> {
        self.min_rtt.get().map(seconds)
    }

    #[getter]
    fn idle(&self) -> f64 {
        seconds(self.idle.get())
    }
}
