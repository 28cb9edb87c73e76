//! Measured rates: files with a time and a rate in each line.

use std::fmt;

use crate::{Nanos, Schedule};

const SECOND: f64 = 1e9;
/// The longest time in a file, in seconds, and the largest rate, in bits per second: more than any measurement has.
const LONGEST_S: f64 = 1e9;
const FASTEST: f64 = 1e15;
/// Numbers of seconds from here on are milliseconds since 1970.
const EPOCH_MS: f64 = 1e11;

/// The form of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Two numbers: a time in seconds, and the rate in Mbit/s in the time from the line before to this one, as the traces
    /// of Pensieve have them (Mao, Netravali, Alizadeh, SIGCOMM 2017).
    Pensieve,
    /// Six numbers: a time since 1970, milliseconds, latitude, longitude, bytes received since the line before, and
    /// milliseconds since then, as the HSDPA logs of Riiser, Vigmostad, Griwodz and Halvorsen (MMSys 2013) and the LTE
    /// logs of van der Hooft et al. (IEEE Communications Letters 20(11), 2016) have them.
    Hsdpa,
    /// Columns with names in the first line: a rate holds from its time to that of the next line.
    Columns,
}

/// Layout of a file, as far as it is given. The reader derives the rest from the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layout {
    /// The form.
    pub form: Option<Form>,
    /// The column of the times: its name, or its number from one.
    pub time: Option<String>,
    /// The column of the rates: its name, or its number from one.
    pub rate: Option<String>,
    /// Bits per second in the unit of the rates.
    pub unit: Option<f64>,
}

/// A mistake in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesError {
    /// The line, from one; zero if the whole file is meant.
    pub line: usize,
    /// The first character of the cell in its line, from one; zero if the whole line is meant.
    pub column: usize,
    /// The mistake, and what is accepted.
    pub message: String,
}

impl fmt::Display for SeriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.message),
            (line, 0) => write!(f, "line {line}: {}", self.message),
            (line, column) => write!(f, "line {line}, column {column}: {}", self.message),
        }
    }
}

impl std::error::Error for SeriesError {}

/// A cell of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cell {
    /// Its first character in the line, from one.
    column: usize,
    text: String,
}

/// A line with cells.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    number: usize,
    cells: Vec<Cell>,
}

/// The cells of a file, of which lines without any and those that begin with `#` are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cells(Vec<Line>);

/// A rate over time that repeats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series(Schedule<u64>);

impl Series {
    /// Returns a series that stands for a file that could not be read.
    pub fn placeholder() -> Series {
        Series(Schedule::constant(1))
    }

    /// Returns the rates, in bits per second.
    pub fn schedule(&self) -> &Schedule<u64> {
        &self.0
    }

    /// Creates a series from the lengths in ns and the rates of its pieces. Lengths of zero are left out.
    fn of(pieces: impl IntoIterator<Item = (Nanos, u64)>) -> Result<Series, SeriesError> {
        let (mut steps, mut end) = (Vec::<(Nanos, u64)>::new(), 0);
        for (length, rate) in pieces.into_iter().filter(|(length, _)| *length > 0) {
            if steps.last().is_none_or(|(_, before)| *before != rate) {
                steps.push((end, rate));
            }
            end += length;
        }
        if steps.iter().all(|(_, rate)| *rate == 0) {
            return Err(whole("has no rate above zero; accepted: at least one in a time of some length"));
        }
        Ok(Series(Schedule::new(steps, Some(end))))
    }
}

const NO_LINES: &str = "has no lines; accepted: a time and a rate in each line";

fn whole(message: &str) -> SeriesError {
    SeriesError { line: 0, column: 0, message: message.to_owned() }
}

impl Cells {
    /// Splits a text into cells: at commas or semicolons if its first line has any, otherwise at blanks.
    ///
    /// # Errors
    /// A text without lines.
    pub fn parse(text: &[u8]) -> Result<Cells, SeriesError> {
        let text = String::from_utf8_lossy(text);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let has_cells = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let Some(first) = text.lines().find(has_cells) else {
            return Err(whole(NO_LINES));
        };
        let separator = [',', ';'].into_iter().find(|separator| first.contains(*separator));
        let lines = (1..).zip(text.lines()).filter(|(_, line)| has_cells(line));
        Ok(Cells(lines.map(|(number, line)| Line { number, cells: split(line, separator) }).collect()))
    }

    /// Returns the rates of the file.
    ///
    /// # Errors
    /// The first cell that is not what the form needs, or a form that is not found out.
    pub fn series(&self, layout: &Layout) -> Result<Series, SeriesError> {
        let named = layout.time.is_some() || layout.rate.is_some() || layout.unit.is_some();
        let Some(first) = self.0.first() else { return Err(whole(NO_LINES)) };
        let is_header =
            first.cells.iter().any(|cell| cell.text.parse::<f64>().is_err() && moment(&cell.text).is_none());
        let form = match layout.form {
            Some(form) => form,
            None if is_header || named => Form::Columns,
            None => match first.cells.len() {
                2 => Form::Pensieve,
                6 => Form::Hsdpa,
                count => {
                    let message = format!(
                        "has {count} {}, and the form of the file is not found out; accepted: two columns, seconds and \
                         Mbit/s; six of the HSDPA logs; or the names or numbers of the columns in the fields time, rate \
                         and unit",
                        if count == 1 { "column" } else { "columns" }
                    );
                    return Err(SeriesError { line: first.number, column: 0, message });
                }
            },
        };
        let rows = &self.0[usize::from(is_header)..];
        match form {
            Form::Pensieve => pensieve(rows),
            Form::Hsdpa => hsdpa(rows),
            Form::Columns => columns(rows, is_header.then_some(first), layout),
        }
    }
}

/// Splits a line at a separator, or at blanks.
fn split(line: &str, separator: Option<char>) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut push = |from: usize, text: &str| {
        let start = from + (text.len() - text.trim_start().len());
        let column = line[..start].chars().count() + 1;
        cells.push(Cell { column, text: text.trim().trim_matches('"').to_owned() });
    };
    let mut from = 0;
    for part in line.split(|letter: char| separator.map_or(letter.is_whitespace(), |separator| letter == separator)) {
        if separator.is_some() || !part.is_empty() {
            push(from, part);
        }
        from += part.len() + line[from + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    cells
}

impl Line {
    fn wrong(&self, cell: Option<&Cell>, message: String) -> SeriesError {
        SeriesError { line: self.number, column: cell.map_or(0, |cell| cell.column), message }
    }

    /// Returns a cell; `what` names it.
    fn cell(&self, index: usize, what: &str) -> Result<&Cell, SeriesError> {
        self.cells.get(index).ok_or_else(|| {
            let count = self.cells.len();
            let place = index + 1;
            self.wrong(
                None,
                format!("has {count} columns, and {what} is in column {place}; accepted: at least {place}"),
            )
        })
    }

    /// Returns the number in a cell, from zero to `most`.
    fn number(&self, index: usize, what: &str, most: f64) -> Result<f64, SeriesError> {
        let cell = self.cell(index, what)?;
        match cell.text.parse::<f64>() {
            Ok(number) if (0.0..=most).contains(&number) => Ok(number),
            Ok(_) => Err(self.wrong(Some(cell), format!("{} is not {what}; accepted: from 0 to {most:e}", cell.text))),
            Err(_) => Err(self.wrong(Some(cell), format!("{:?} is not {what}; accepted: a number", shown(&cell.text)))),
        }
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

fn nanos(seconds: f64) -> Nanos {
    libm::round(seconds * SECOND) as Nanos
}

fn bits(rate: f64) -> u64 {
    libm::round(rate) as u64
}

/// Reads lines of seconds and Mbit/s, where the rate holds up to the time. As in Pensieve's player, the first line is the
/// beginning, and its rate is not used.
fn pensieve(rows: &[Line]) -> Result<Series, SeriesError> {
    let mut pieces = Vec::new();
    let mut before: Option<f64> = None;
    for row in rows {
        if row.cells.len() != 2 {
            return Err(row.wrong(None, format!("has {} columns; accepted: two, seconds and Mbit/s", row.cells.len())));
        }
        let time = row.number(0, "a time in seconds", LONGEST_S * 10.0)?;
        let rate = row.number(1, "a rate in Mbit/s", FASTEST / 1e6)?;
        if let Some(before) = before {
            if time < before {
                return Err(backwards(row, 0, "s", (time, before)));
            }
            pieces.push((nanos(time - before), bits(rate * 1e6)));
        }
        before = Some(time);
    }
    if pieces.is_empty() {
        return Err(whole("has one line; accepted: at least two, between which a rate holds"));
    }
    Series::of(pieces)
}

fn backwards(row: &Line, index: usize, unit: &str, (time, before): (f64, f64)) -> SeriesError {
    let message = format!("{time} {unit} is before the {before} {unit} of the line above; accepted: times in order");
    row.wrong(row.cells.get(index), message)
}

/// Reads lines with the bytes that were received, and the milliseconds in which they were.
fn hsdpa(rows: &[Line]) -> Result<Series, SeriesError> {
    let mut pieces = Vec::new();
    for row in rows {
        if row.cells.len() != 6 {
            let message = format!(
                "has {} columns; accepted: six, time, milliseconds, latitude, longitude, bytes, milliseconds",
                row.cells.len()
            );
            return Err(row.wrong(None, message));
        }
        let bytes = row.number(4, "a number of bytes", 1e15)?;
        let elapsed = row.number(5, "a time in milliseconds", LONGEST_S)?;
        let rate = if elapsed > 0.0 { bytes * 8e3 / elapsed } else { 0.0 };
        pieces.push((nanos(elapsed / 1e3), bits(rate.min(FASTEST))));
    }
    Series::of(pieces)
}

/// Names of columns of times, and the seconds in their unit where the name tells it. Names are compared without signs and
/// in lower case.
const TIMES: [(&str, Option<f64>); 21] = [
    ("time", None),
    ("times", Some(1.0)),
    ("timesec", Some(1.0)),
    ("timems", Some(1e-3)),
    ("timeus", Some(1e-6)),
    ("timens", Some(1e-9)),
    ("timestamp", None),
    ("timestamps", Some(1.0)),
    ("timestampms", Some(1e-3)),
    ("unixtime", None),
    ("epoch", None),
    ("seconds", Some(1.0)),
    ("second", Some(1.0)),
    ("secs", Some(1.0)),
    ("sec", Some(1.0)),
    ("elapsed", None),
    ("ms", Some(1e-3)),
    ("t", None),
    ("dtime", None),
    ("ddate", None),
    ("datetime", None),
];
/// Names of columns of seconds that are counted from one line to the next, where there is no time (Lumos5G).
const COUNTED: &str = "seqnum";

/// Beginnings of the names of columns of rates.
const RATES: [&str; 15] = [
    "dlbitrate",
    "downlink",
    "download",
    "throughput",
    "bandwidth",
    "bitrate",
    "datarate",
    "goodput",
    "capacity",
    "rate",
    "bytessec",
    "mbps",
    "kbps",
    "bps",
    "bw",
];
/// Ends of the names of rates, and the bits per second in their unit.
const UNITS: [(&str, f64); 18] = [
    ("gbps", 1e9),
    ("gbits", 1e9),
    ("gbitps", 1e9),
    ("mbps", 1e6),
    ("mbits", 1e6),
    ("mbit", 1e6),
    ("mbitps", 1e6),
    ("kbps", 1e3),
    ("kbits", 1e3),
    ("kbit", 1e3),
    ("kbitps", 1e3),
    ("bytessec", 8.0),
    ("bytesps", 8.0),
    ("bytess", 8.0),
    ("bps", 1.0),
    ("bits", 1.0),
    ("bitps", 1.0),
    ("bitssec", 1.0),
];
/// Units of rates in known sets, by the name of the rate and that of another column: the 4G and 5G sets of Raca et al.
/// (MMSys 2018 and 2020), and Lumos5G (Narayanan et al., IMC 2020).
const SETS: [(&str, &str, f64); 3] =
    [("dlbitrate", "networkmode", 1e3), ("ulbitrate", "networkmode", 1e3), ("throughput", "nrstatus", 1e6)];

/// Reads lines with the columns of the header, or with numbered ones. A rate holds up to the time of the next line, and
/// that of the last line as long as the one before.
fn columns(rows: &[Line], header: Option<&Line>, layout: &Layout) -> Result<Series, SeriesError> {
    let names: Vec<String> =
        header.map_or(Vec::new(), |line| line.cells.iter().map(|cell| plain(&cell.text)).collect());
    let find = |given: &Option<String>, known: &dyn Fn(&str) -> bool, field: &str| {
        let place = match given {
            Some(given) => names
                .iter()
                .position(|name| *name == plain(given))
                .or_else(|| given.parse::<usize>().ok().and_then(|number| number.checked_sub(1))),
            None => names.iter().position(|name| known(name)),
        };
        place.ok_or_else(|| {
            let there = header.map_or_else(
                || "a number from 1".to_owned(),
                |line| line.cells.iter().map(|cell| shown(&cell.text)).collect::<Vec<_>>().join(", "),
            );
            let what = given.as_ref().map_or("is not found out".to_owned(), |given| format!("{given:?} is not there"));
            let message = format!("the column of the {field}s {what}; accepted: in the field {field} one of {there}");
            SeriesError { line: header.or(rows.first()).map_or(0, |line| line.number), column: 0, message }
        })
    };
    // Numbered columns without a header are the first and the second, unless other numbers are given.
    let numbered = |given: &Option<String>, number: &str| given.clone().or(header.is_none().then(|| number.to_owned()));
    let is_time = |name: &str| TIMES.iter().any(|(known, _)| *known == name);
    let times = find(&numbered(&layout.time, "1"), &is_time, "time");
    let times = times.or_else(|error| names.iter().position(|name| name == COUNTED).ok_or(error))?;
    // A name that only ends in a unit counts where no other name is that of a rate.
    let is_named = |name: &str| RATES.iter().any(|known| name.starts_with(known));
    let has_unit = |name: &str| UNITS.iter().any(|(end, _)| end.ends_with("bps") && name.ends_with(end));
    let is_rate = |name: &str| if names.iter().any(|name| is_named(name)) { is_named(name) } else { has_unit(name) };
    let rates = find(&numbered(&layout.rate, "2"), &is_rate, "rate")?;
    let per_second = names.get(times).and_then(|name| TIMES.iter().find(|(known, _)| known == name)?.1);
    let of_set = |name: &String| {
        let set = SETS.iter().find(|(rate, beside, _)| rate == name && names.iter().any(|other| other == beside));
        let ends = UNITS.iter().find(|(end, _)| name.ends_with(end)).map(|(_, unit)| *unit);
        set.map(|(.., unit)| *unit).or(ends)
    };
    let unit = layout.unit.or_else(|| names.get(rates).and_then(of_set)).ok_or_else(|| {
        let name =
            header.and_then(|line| line.cells.get(rates)).map_or(String::new(), |cell| format!(" {:?}", cell.text));
        let message = format!("the unit of the rates{name} is not found out; accepted: the field unit");
        SeriesError { line: header.or(rows.first()).map_or(0, |line| line.number), column: 0, message }
    })?;
    let mut points: Vec<(f64, f64, u32)> = Vec::new();
    let mut scale = per_second;
    for row in rows {
        let cell = row.cell(times, "the time")?;
        let time = match moment(&cell.text) {
            Some(time) => time,
            None => {
                let number = row.number(times, "a time", 1e20)?;
                let scale = *scale.get_or_insert(if number >= EPOCH_MS { 1e-3 } else { 1.0 });
                number * scale
            }
        };
        let rate = row.number(rates, "a rate", FASTEST / unit)? * unit;
        match points.last_mut() {
            Some((before, ..)) if time < *before => {
                return Err(backwards(row, times, "s", (time, *before)));
            }
            // Clocks of whole seconds have several lines of one time: their mean counts.
            Some((before, sum, count)) if time == *before => (*sum, *count) = (*sum + rate, *count + 1),
            _ => points.push((time, rate, 1)),
        }
    }
    if points.len() < 2 {
        return Err(whole("has rates of one time; accepted: at least two times"));
    }
    let lengths: Vec<Nanos> = points.windows(2).map(|pair| nanos((pair[1].0 - pair[0].0).min(LONGEST_S))).collect();
    let last = lengths[lengths.len() - 1];
    let rates = points.iter().map(|(_, sum, count)| bits(sum / f64::from(*count)));
    Series::of(lengths.into_iter().chain([last]).zip(rates))
}

/// Returns a name in lower case, without blanks and signs.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Returns the seconds since 1970 of a date with a time, such as `2019-12-14 09:54:12.5` or `2019.12.14_09.54.12`.
fn moment(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('Z');
    let (date, time) = text.split_once(['T', ' ', '_'])?;
    let mut days = date.split(['-', '.', '/']);
    let [year, month, day] = std::array::from_fn(|_| days.next()?.parse::<i64>().ok());
    let mut parts = time.splitn(3, [':', '.']);
    let [hour, minute] = std::array::from_fn(|_| parts.next()?.parse::<i64>().ok());
    let second = parts.next()?.parse::<f64>().ok().filter(|second| (0.0..61.0).contains(second))?;
    let (year, month, day) = (year?, month?, day?);
    if days.next().is_some() || !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day)
    {
        return None;
    }
    let (hour, minute) =
        (hour.filter(|hour| (0..24).contains(hour))?, minute.filter(|minute| (0..60).contains(minute))?);
    // Days since 1970 of the proleptic Gregorian calendar; the year begins in March.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some((days * 86_400 + hour * 3_600 + minute * 60) as f64 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, layout: &Layout) -> Result<Series, SeriesError> {
        Cells::parse(text.as_bytes())?.series(layout)
    }

    /// Steps as (ms, kbit/s), and the period in ms.
    fn steps(text: &str, layout: &Layout) -> (Vec<(u64, u64)>, u64) {
        let series = read(text, layout).unwrap_or_else(|error| panic!("{error}"));
        let schedule = series.schedule();
        let steps = schedule.steps().iter().map(|(at, rate)| (at / 1_000_000, rate / 1_000)).collect();
        (steps, schedule.period().unwrap() / 1_000_000)
    }

    fn found(text: &str) -> (Vec<(u64, u64)>, u64) {
        steps(text, &Layout::default())
    }

    #[test]
    fn a_rate_of_pensieve_holds_up_to_its_time() {
        let text = "0.5\t9.9\n1.5 2.0\n3.5 0.25\r\n\n4 0.25\n";
        assert_eq!(found(text), (vec![(0, 2_000), (1_000, 250)], 3_500));
    }

    /// The first lines of the form of a log of Riiser et al., with other numbers.
    #[test]
    fn a_log_of_hsdpa_has_bytes_and_milliseconds() {
        let text = "1289406399 549 59.85 10.78 125000 1000\n1289406400 1549 59.85 10.78 0 500\n\
                    1289406401 2549 59.85 10.78 250000 1000\n";
        assert_eq!(found(text), (vec![(0, 1_000), (1_000, 0), (1_500, 2_000)], 2_500));
    }

    #[test]
    fn columns_are_found_by_their_names_and_units() {
        let expected = (vec![(0, 1_500), (2_000, 500)], 4_000);
        for text in [
            "time_s,throughput_mbps\n0,1.5\n2,0.5\n",
            "# a comment\nTime [ms];Bandwidth (kbit/s)\n100;1500\n2100;500\n",
            "time,down_mbps,up_mbps\n0,1.5,7\n2,0.5,7\n",
            "t bw_bps\n7 1500000\n9 500000\n",
            "\u{feff}\"timestamp\",\"rate (Gbit/s)\"\n1289406399000,0.0015\n1289406401000,0.0005\n",
            "unit_id,dtime,target,bytes_sec\n1,2016-08-01 23:59:59,x,187500\n1,2016-08-02 00:00:01,x,62500\n",
            "Timestamp,Longitude,NetworkMode,DL_bitrate,UL_bitrate\n\
             2019.12.14_09.54.12,1,5G,1000,9\n2019.12.14_09.54.12,1,5G,2000,9\n2019.12.14_09.54.14,1,5G,500,9\n",
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        let lumos = "run_num,seq_num,nrStatus,Throughput\n1,1,CONNECTED,1.5\n1,3,CONNECTED,0.5\n";
        assert_eq!(found(lumos), expected);
    }

    #[test]
    fn columns_may_be_named_or_numbered() {
        let layout = |time: &str, rate: &str, unit| Layout {
            form: None,
            time: Some(time.to_owned()),
            rate: Some(rate.to_owned()),
            unit: Some(unit),
        };
        let text = "x,when,up,down\n1,0,8,1.5\n2,2,9,0.5\n";
        let expected = (vec![(0, 1_500), (2_000, 500)], 4_000);
        assert_eq!(steps(text, &layout("when", "Down", 1e6)), expected);
        assert_eq!(steps("5 0 1500\n5 2 500", &layout("2", "3", 1e3)), expected);
        let unit = Layout { unit: Some(1e3), ..Layout::default() };
        assert_eq!(steps("0 1500\n2 500", &unit), expected);
    }

    #[test]
    fn mistakes_name_line_and_column() {
        let error = |text: &str| read(text, &Layout::default()).unwrap_err().to_string();
        assert_eq!(error(""), "has no lines; accepted: a time and a rate in each line");
        assert_eq!(error("0 1\n1 x\n"), "line 2, column 3: \"x\" is not a rate in Mbit/s; accepted: a number");
        assert_eq!(error("0 1\n1 -2\n"), "line 2, column 3: -2 is not a rate in Mbit/s; accepted: from 0 to 1e9");
        assert_eq!(
            error("0 1\n2 1\n\n 1 1"),
            "line 4, column 2: 1 s is before the 2 s of the line above; accepted: times in order"
        );
        assert_eq!(error("0 1\n1 1 1\n"), "line 2: has 3 columns; accepted: two, seconds and Mbit/s");
        assert_eq!(error("0 1\n1 0\n"), "has no rate above zero; accepted: at least one in a time of some length");
        assert_eq!(error("0 1\n"), "has one line; accepted: at least two, between which a rate holds");
        assert!(error("1 2 3\n").starts_with("line 1: has 3 columns, and the form of the file is not found out"));
        assert!(error("1\n2\n").starts_with("line 1: has 1 column, and the form"), "a delivery trace is another kind");
        assert_eq!(
            error("time,rate\n0,1\n1,1"),
            "line 1: the unit of the rates \"rate\" is not found out; accepted: the field unit"
        );
        assert_eq!(
            error("when,mbps\n0,1\n1,1"),
            "line 1: the column of the times is not found out; accepted: in the field time one of when, mbps"
        );
        assert_eq!(
            error("time,mbps\n0,1\n1"),
            "line 3: has 1 columns, and a rate is in column 2; accepted: at least 2"
        );
        assert_eq!(error("time,mbps\n0,1\n0,NULL"), "line 3, column 3: \"NULL\" is not a rate; accepted: a number");
        let layout = Layout { rate: Some("speed".to_owned()), ..Layout::default() };
        assert_eq!(
            read("time,mbps\n0,1\n", &layout).unwrap_err().to_string(),
            "line 1: the column of the rates \"speed\" is not there; accepted: in the field rate one of time, mbps"
        );
    }

    #[test]
    fn moments_are_seconds_since_1970() {
        assert_eq!(moment("1970-01-01 00:00:00"), Some(0.0));
        assert_eq!(moment("2000-02-29T12:30:15.5Z"), Some(951_827_415.5));
        assert_eq!(moment("2019.12.14_09.54.12"), Some(1_576_317_252.0));
        for text in ["12:00:00", "2019-13-01 00:00:00", "2019-12-01", "1 2", "2019-01-01 25:00:00", ""] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
