//! From the application of a scenario to one that runs.

use super::Application;
use super::bulk::Bulk;
use super::bursts::Bursts;
use super::cbr::{Cbr, CbrParams};
use super::completion::Path;
use super::dash::{Dash, DashParams, ParamProblem};
use super::list::List;
use super::onoff::{On, OnOff};
use super::rpc::{Rpc, RpcParams};
use super::tmix::Tmix;
use super::transfer::Transfer;
use super::voip::{Voip, VoipParams};
use super::web::{Visitors, Web, WebParams};
use crate::scenario::{self, App};

/// An application over a path, with its kind's name.
///
/// # Errors
/// What it cannot do with its parameters.
pub(crate) fn application(app: &App, path: Path) -> Result<(&'static str, Box<dyn Application>), Vec<ParamProblem>> {
    Ok(match app {
        App::Bulk => ("bulk", Box::new(Bulk)),
        App::Transfer(app) => ("transfer", Box::new(Transfer::new(app.size, app.count, app.gap, path))),
        App::Bursts(app) => ("bursts", Box::new(Bursts::new(app.size, app.interval, app.count, path))),
        App::OnOff(app) => {
            let on = match (&app.on, &app.size) {
                (Some(time), _) => On::Time(time.distribution()),
                (None, size) => On::Size(size.as_ref().expect("a scenario has one of the two").distribution()),
            };
            ("onoff", Box::new(OnOff::new(on, app.off.distribution(), app.persistent, path)))
        }
        App::List(app) => {
            let items = app.items.iter().map(|item| (item.at, item.size)).collect();
            ("list", Box::new(List::new(items, app.persistent, path)))
        }
        App::Web(app) => ("web", Box::new(Web::new(web(app), path))),
        App::Rpc(app) => ("rpc", Box::new(Rpc::new(rpc(app), path))),
        App::Cbr(app) => {
            let scenario::Cbr { rate, packet_size, on } = *app;
            ("cbr", Box::new(Cbr::new(CbrParams { rate, packet_size, on })))
        }
        App::Voip(app) => {
            let scenario::Voip { codec, playout, on, advantage } = *app;
            ("voip", Box::new(Voip::new(VoipParams { codec, playout, on, advantage })))
        }
        App::Tmix(app) => ("tmix", Box::new(Tmix::new(app.vectors.content.clone(), app.initiator, app.records, path))),
        App::Dash(app) => ("dash", Box::new(Dash::new(dash(app))?)),
    })
}

fn web(app: &scenario::Web) -> WebParams {
    let object_size = app.object_size.distribution();
    WebParams {
        visitors: match (app.sessions_per_second, app.users) {
            (Some(rate), _) => Visitors::Sessions(rate),
            (None, users) => Visitors::Users(users.expect("a scenario has one of the two")),
        },
        pages: app.pages.distribution(),
        think: app.think.distribution(),
        objects: app.objects.distribution(),
        main_size: app.main_size.as_ref().map_or_else(|| object_size.clone(), |size| size.distribution()),
        object_size,
        request_size: app.request_size.distribution(),
        server_think: app.server_think.distribution(),
        parallel: app.parallel,
        reuse: app.connections,
        records: app.records,
    }
}

fn rpc(app: &scenario::Rpc) -> RpcParams {
    RpcParams {
        servers: app.servers,
        rounds: app.rounds,
        request: app.request_size.distribution(),
        response: app.response_size.distribution(),
        server_think: app.server_think.distribution(),
        think: app.think.distribution(),
        persistent: app.persistent,
    }
}

fn dash(app: &scenario::Dash) -> DashParams {
    DashParams {
        ladder: app.ladder.clone(),
        segment: app.segment,
        segments: app.segments,
        abr: app.abr.clone(),
        buffer: app.buffer,
        startup: app.startup,
        resume: app.resume,
        think: app.think,
        think_jitter: app.think_jitter,
        request_size: app.request_size,
        header_size: app.header_size,
        size_cv: app.size_cv,
        safety: app.safety,
        estimator: app.estimator,
        live: app.live.as_ref().map(|live| live.latency),
    }
}
