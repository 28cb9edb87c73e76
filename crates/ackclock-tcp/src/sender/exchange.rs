//! Another congestion control on an open connection (TCP_CONGESTION), as in Linux (net/ipv4/tcp_cong.c,
//! tcp_reinit_congestion_control): the window and its threshold stay, and the state of the algorithm begins anew.

use super::{Restart, Sender, rate, reduction};
use crate::Nanos;
use crate::cc::Algorithm;
use crate::config::{RtoRule, WindowUnit};
use crate::pacing::Pacing;
use crate::recovery::Recovery;
use crate::slow_start::Entry;

impl Sender {
    /// Replaces the congestion control and the slow start. `isn` is the initial sequence number; `established` is whether the
    /// handshake is complete, at whose end an algorithm starts otherwise.
    pub fn exchange(&mut self, now: Nanos, cc: Algorithm, slow_start: &'static Entry, isn: u32, established: bool) {
        if cc.name() == self.config.cc.name() {
            return;
        }
        let owned = self.scope.window;
        let config = self.config_mut();
        (config.cc, config.slow_start) = (cc, slow_start);
        let config = &self.config;
        self.cc = config.cc.make();
        self.cc.seed(isn);
        let scope = self.cc.scope().complete();
        self.scope = scope;
        self.slow_start = (slow_start.make)();
        self.slow_start_samples = !scope.slow_start && self.slow_start.takes_samples();
        self.watches = config.rack
            || config.tlp
            || config.rto_rule == RtoRule::Linux
            || scope.deliveries
            || self.careful.is_some();
        self.whole = config.window_unit == WindowUnit::Segments && !scope.window;
        self.tells_sent = scope.rates || scope.sends || config.samples_rate;
        self.samples = scope.deliveries || config.samples_rate;
        self.restart = if config.validation.replaces_restart || scope.window { Restart::Off } else { config.restart };
        if self.samples && self.rare.rate.is_none() {
            let full = scope.rates || config.samples_rate;
            self.rare.rate = Some(rate::DeliveryRate::new(full, scope.gap));
        } else if !self.samples {
            self.rare.rate = None;
        }
        if owned != scope.window && !config.recovery.ignores_sack() {
            let rule = if scope.window { Recovery::Sack } else { config.recovery };
            self.rare.reduction = reduction::Reduction::new(rule, config.window_unit)
                .with_floor(if scope.keeps_threshold { 1 } else { 2 });
        }
        if owned && !scope.window {
            self.validation = (config.validation.make)();
        }
        self.window.pacing_rate = None;
        if !established {
            return;
        }
        let (cwnd, ctx) = (self.window.cwnd, self.context(now));
        self.cc.on_start(&mut self.window, &ctx);
        self.window.cwnd = cwnd;
        if scope.window {
            // net/ipv4/tcp_bbr.c, bbr_init
            self.window.ssthresh = u64::MAX;
        }
        if owned && !scope.window {
            self.validation.on_start(&ctx);
        } else if scope.window {
            self.validation.on_owned_window();
        }
        self.slow_start.on_start(matches!(self.config.pacing, Pacing::Fq { .. }) || self.window.pacing_rate.is_some());
    }
}
