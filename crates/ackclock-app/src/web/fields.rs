//! The fields that a scenario gives the web application.

use super::{Reuse, Visitors, Web, WebParams};
use crate::completion::Path;
use crate::demand::{self, Demand, repeated, typical_s};
use crate::fields::{
    Delay, Flag, Number, OneOf, Random, Rules, Volume, count, default, drawn, one_of, optional, real, record, required,
};
use crate::kind::{AppKind, Made};
use ackclock_core::Distribution;
use ackclock_results::BINS;

record! {
    /// Sessions of web pages, whose objects the sink requests over parallel connections.
    pub struct Fields {
        /// Mean number of sessions that arrive per second, as a Poisson process.
        sessions_per_second: Option<f64> = optional("there are users", real(1e-6, 1e6));
        /// Number of users, each of whom thinks and requests a page in turn until the run ends.
        users: Option<u32> = optional("sessions arrive", count("users", 1, 1_000_000));
        /// Number of pages of a session; users do not stop.
        pages: Random<Number> = default(1, drawn());
        /// Think time of a user before each page, and of a session before each page but the first.
        think: Random<Delay> = default("1s", drawn());
        /// Number of objects of a page, including the main object.
        objects: Random<Number> = default(1, drawn());
        /// Size of an object.
        object_size: Random<Volume> = required(drawn());
        /// Size of a page's main object, which is fetched before the others.
        main_size: Option<Random<Volume>> = optional("as object_size", drawn());
        /// Size of a request.
        request_size: Random<Volume> = default("300B", drawn());
        /// Think time of the server before it answers a request.
        server_think: Random<Delay> = default("0s", drawn());
        /// Maximum number of parallel connections of a page.
        parallel: u32 = default(6, count("connections", 1, 1_000));
        /// Number of client hosts, each with a server host of its own; sessions, or users, are on them in turn. Each host
        /// has an access link of its own.
        hosts: Option<u32> = optional("one client host and one server host", count("hosts", 1, 100_000));
        /// Use of a connection before it is closed.
        connections: Reuse = default("per-page", reuse());
        /// Whether the tables web_objects and web_pages have a row for every object and page; they grow with the run.
        records: bool = default(false, Flag);
    }
}

/// Returns the uses of a connection by name.
fn reuse() -> OneOf<Reuse> {
    let options = [
        ("per-object", Reuse::Object, "one object, after which the server closes it (HTTP/1.0)"),
        ("per-page", Reuse::Page, "the objects of one page, one after the other, after which the client closes it"),
        ("per-session", Reuse::Session, "all pages of a session, or of a user who never leaves"),
    ];
    one_of("use of connections", options)
}

impl AppKind for Fields {
    fn check(&self, rules: &mut Rules<'_, '_>) {
        let neither = self.sessions_per_second.is_none() && self.users.is_none();
        rules.require(neither, "sessions_per_second", "sessions_per_second, or users");
        let both = self.sessions_per_second.is_some() && self.users.is_some();
        let message = "beside sessions_per_second; accepted: sessions_per_second or users, not both";
        rules.refuse(both, "users", &[rules.at.key("sessions_per_second")], "", message);
    }

    fn demand(&self, time: f64, path: Path) -> Demand {
        let [pages, objects] = [&self.pages, &self.objects].map(|number| number.distribution());
        let parallel = f64::from(self.parallel);
        let size = self.object_size.distribution();
        let main = self.main_size.as_ref().map_or_else(|| size.clone(), Random::distribution);
        let handshake = |is_new: bool| if is_new { path.handshake_s() } else { 0.0 };
        let answer =
            |size: &Distribution| typical_s(&self.server_think.distribution()) + path.least_answer_s(size.median());
        let of_object = answer(&size) + handshake(self.connections == Reuse::Object);
        let others = ((objects.median() - 1.0) / parallel).max(0.0);
        let of_page = handshake(self.connections != Reuse::Session) + answer(&main) + others * of_object;
        let think = self.think.distribution();
        let each = typical_s(&think) + of_page;
        let (visits, pages, time) = match (self.sessions_per_second, self.users) {
            // Sessions arrive all the time: on average, half of it is left for each.
            (Some(rate), _) => {
                let (visits, left) = (demand::drawn(rate * time), time / 2.0);
                let visited = visits * pages.mean().min(repeated(left, each));
                (visits, demand::drawn_from(visited, &[&pages, &think, &objects, &size, &main]), left)
            }
            (None, users) => {
                let users = users.map_or(0.0, f64::from);
                let visited = users * repeated(time, each);
                (users, demand::drawn_from(visited, &[&think, &objects, &size, &main]), time)
            }
        };
        let at_once = visits * parallel;
        let fetched = demand::drawn_from(pages * objects.mean(), &[&objects]);
        let fetched = fetched.min(pages + at_once * repeated(time, of_object));
        let bytes = pages * main.mean() + (fetched - pages).max(0.0) * size.mean();
        let connections = match self.connections {
            Reuse::Object => fetched,
            Reuse::Page => fetched.min(pages * parallel),
            Reuse::Session => at_once,
        };
        let records = if self.records { fetched + pages } else { 0.0 };
        Demand {
            bytes,
            messages: fetched,
            reverse_bytes: fetched * self.request_size.distribution().mean(),
            reverse_messages: fetched,
            connections,
            open: if self.connections == Reuse::Session { at_once } else { at_once * demand::IN_TURN },
            rows: 3.0 + records + (fetched + pages).min(2.0 * BINS),
            ..Demand::default()
        }
    }

    fn hosts(&self) -> [u32; 2] {
        [self.hosts.unwrap_or(1); 2]
    }

    fn make(&self, path: Path, _flow: &str) -> Made {
        let object_size = self.object_size.distribution();
        let params = WebParams {
            visitors: match (self.sessions_per_second, self.users) {
                (Some(rate), _) => Visitors::Sessions(rate),
                (None, users) => Visitors::Users(users.expect("a scenario has one of the two")),
            },
            pages: self.pages.distribution(),
            think: self.think.distribution(),
            objects: self.objects.distribution(),
            main_size: self.main_size.as_ref().map_or_else(|| object_size.clone(), |size| size.distribution()),
            object_size,
            request_size: self.request_size.distribution(),
            server_think: self.server_think.distribution(),
            parallel: self.parallel,
            reuse: self.connections,
            records: self.records,
        };
        Ok(Box::new(Web::new(params, path)))
    }
}
