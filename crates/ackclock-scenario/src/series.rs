//! A measured rate in a scenario: a file of times and rates, and what is not found out about its columns.

use std::sync::Arc;

use ackclock_net::server::{Cells, Form, Layout, Series};
use serde_json::{Map, Value as Json};

use ackclock_schema::file::{DIGEST, FILE, Format, FromFile};
use ackclock_schema::kinds::{Label, OneOf, one_of};
use ackclock_schema::record;
use ackclock_schema::record::{FieldInfo, Reader, Record, default, optional};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node};

/// A file of times and rates.
#[derive(Clone, PartialEq, Debug)]
pub struct SeriesFormat;

impl Format for SeriesFormat {
    type Content = Cells;
    const NOUN: &'static str = "a file of times and rates";
    const EXAMPLE: &'static str = "bus.log";
    const ACCEPTED: &'static str = "a time and a rate in each line";
    const PATH_DOC: &'static str = "The file.";

    fn decode(bytes: &[u8]) -> Result<Cells, String> {
        Cells::parse(bytes).map_err(|error| error.to_string())
    }
}

record! {
    /// Layout of a file of times and rates, where a scenario states it instead of leaving it to the reader.
    pub struct SeriesLayout {
        /// Form of the file. Without a header, two columns are those of Pensieve, and six those of the HSDPA logs.
        form: Option<Form> = default("auto", form());
        /// Column of the times: its name in the header, or its number from 1. Times are seconds, milliseconds where the
        /// name says so or where they count from 1970, or dates with times.
        time: Option<String> = optional("found out", Label);
        /// Column of the rates: its name in the header, or its number from 1.
        rate: Option<String> = optional("found out", Label);
        /// Unit of the rates.
        unit: Option<f64> = optional("found out by the name of the column", unit());
    }
}

fn form() -> OneOf<Option<Form>> {
    let options = [
        ("auto", None, "found out"),
        ("pensieve", Some(Form::Pensieve), "seconds and Mbit/s; a rate holds up to its time"),
        ("hsdpa", Some(Form::Hsdpa), "time, ms, latitude, longitude, bytes, ms; the logs of Riiser et al."),
        ("columns", Some(Form::Columns), "columns with a header or numbers; a rate holds from its time on"),
    ];
    one_of("form", options)
}

fn unit() -> OneOf<f64> {
    let options = [
        ("bit/s", 1.0, "bits per second"),
        ("kbit/s", 1e3, "1,000 bits per second"),
        ("Mbit/s", 1e6, "1,000,000 bits per second"),
        ("Gbit/s", 1e9, "1,000,000,000 bits per second"),
        ("B/s", 8.0, "bytes per second"),
        ("kB/s", 8e3, "1,000 bytes per second"),
        ("MB/s", 8e6, "1,000,000 bytes per second"),
    ];
    one_of("unit", options)
}

/// A rate that was measured over time.
#[derive(Clone, PartialEq, Debug)]
pub struct RateSeries {
    file: FromFile<SeriesFormat>,
    layout: SeriesLayout,
    series: Arc<Series>,
}

impl RateSeries {
    /// Returns the rates over time.
    pub fn series(&self) -> &Series {
        &self.series
    }
}

impl Record for RateSeries {
    fn renew(node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        SeriesLayout::renew(node, at, renewal);
    }

    fn read(reader: &mut Reader<'_, '_>) -> RateSeries {
        let Reader { node, at, foreign, .. } = *reader;
        let file = FromFile::<SeriesFormat>::of(|key| node.get(key), at, reader.problems);
        let besides = &[FILE, DIGEST];
        let layout = SeriesLayout::read(&mut Reader { node, at, problems: reader.problems, foreign, besides });
        let SeriesLayout { form, time, rate, unit } = layout.clone();
        let read = |file: &FromFile<SeriesFormat>| file.content.series(&Layout { form, time, rate, unit });
        let series = match file.as_ref().map(read) {
            Some(Ok(series)) => series,
            None => Series::placeholder(),
            Some(Err(error)) => {
                let shown = node.get(FILE).map_or_else(String::new, Node::shown);
                reader.problems.add(at.key(FILE), format!("{shown} is not a file of times and rates: {error}"));
                Series::placeholder()
            }
        };
        let empty = || FromFile { path: String::new(), sha256: String::new(), content: Cells::default().into() };
        RateSeries { file: file.unwrap_or_else(empty), layout, series: series.into() }
    }

    fn write(&self) -> Map<String, Json> {
        let mut table = self.file.write();
        table.extend(self.layout.write());
        table
    }

    fn doc() -> String {
        "A rate that was measured: a file with a time and a rate in each line, as the traces of Pensieve, the HSDPA logs of \
         Riiser et al., and the 4G and 5G sets with a header have them. After its end it starts again."
            .to_owned()
    }

    fn fields() -> Vec<FieldInfo> {
        FromFile::<SeriesFormat>::fields().into_iter().chain(SeriesLayout::fields()).collect()
    }
}
