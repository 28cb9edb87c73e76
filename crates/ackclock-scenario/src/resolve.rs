//! Values that follow from several fields of a scenario: a flow's access links and TCP, base RTTs, queue limits in
//! bytes.

use ackclock_core::Rate;
use ackclock_core::headers::TCP_IPV4;
use ackclock_net::Large;
use ackclock_tcp::careful_resume::Saved;
use ackclock_tcp::config::{Config, Handshake, InitialWindow, Restart};
use ackclock_tcp::{pacing, slow_start, stack, validation};

use super::bottleneck::Bottleneck;
use super::link::{Direction, LinkDelay, LinkRate};
use super::model::{Access, Flow, Pacing, Probes, Scenario};
use super::policer::Policer;
use super::queue::Queue;
use super::spellings::QueueLimit;
use super::transport::{Other, Transport};
use ackclock_app::Path;
use ackclock_core::Nanos;

impl Scenario {
    /// Returns the access links of a flow.
    pub fn access_of(&self, flow: &Flow) -> Access {
        let mut access = self.access.clone();
        if let Some(own) = flow.access.clone() {
            access.rate = own.rate.unwrap_or(access.rate);
            access.source_delay = own.source_delay.unwrap_or(access.source_delay);
            access.sink_delay = own.sink_delay.unwrap_or(access.sink_delay);
            access.source_policer = own.source_policer.or(access.source_policer);
            access.sink_policer = own.sink_policer.or(access.sink_policer);
            access.reverse_source_policer = own.reverse_source_policer.or(access.reverse_source_policer);
            access.reverse_sink_policer = own.reverse_sink_policer.or(access.reverse_sink_policer);
            access.gso = own.gso.or(access.gso);
            access.gro = own.gro.or(access.gro);
        }
        access
    }

    /// Returns a flow's base round-trip time at the start, in nanoseconds: propagation delays only, without queues,
    /// transmission times and jitter. Delays that are drawn count with their means. Of several paths, the longest counts.
    pub fn base_rtt(&self, flow: &Flow) -> Nanos {
        let [there, back] = self.base_delays(flow);
        there.saturating_add(back)
    }

    /// Returns the one-way delays of a flow's path from source to sink and back, in nanoseconds, as [`Scenario::base_rtt`]
    /// has them.
    fn base_delays(&self, flow: &Flow) -> [Nanos; 2] {
        let access = self.access_of(flow);
        let ends = access.source_delay.typical().saturating_add(access.sink_delay.typical());
        let delays = self
            .known_routes(flow)
            .into_iter()
            .map(|routes| routes.each_ref().map(|route| ends.saturating_add(self.delay_of(route))));
        delays.max_by_key(|[there, back]| there.saturating_add(*back)).unwrap_or([ends; 2])
    }

    /// Returns the path of a flow with links of the given rate.
    pub(crate) fn path(&self, flow: &Flow, rate: Rate) -> Path {
        let [delay, back] = self.base_delays(flow);
        let rtt = delay.saturating_add(back);
        let shakes = flow.other_transport().is_none() && flow.shakes_hands();
        Path { rate, rtt, delay, handshake: if shakes { rtt } else { 0 } }
    }

    /// Returns the round-trip time in nanoseconds with which bandwidth-delay products are computed.
    pub fn bdp_rtt(&self) -> Nanos {
        let largest = || self.flows.iter().map(|flow| self.base_rtt(flow)).max().unwrap_or(0);
        self.bottleneck.bdp_rtt.unwrap_or_else(largest)
    }

    /// Returns the bottleneck's rate from source to sink; a rate that varies counts with its mean.
    pub fn rate(&self) -> Rate {
        self.bottleneck.rate.mean(self.duration)
    }

    /// Returns the bottleneck's rate from sink to source; a rate that varies counts with its mean.
    pub fn reverse_rate(&self) -> Rate {
        self.bottleneck.reverse_rate().mean(self.duration)
    }

    /// Returns the limit of the bottleneck's queue from source to sink, never in bandwidth-delay products.
    pub fn queue_limit(&self) -> QueueLimit {
        self.queue_limits(&self.bottleneck, self.bdp_rtt())[0]
    }

    /// Returns the limit of the bottleneck's queue from sink to source, never in bandwidth-delay products.
    pub fn reverse_queue_limit(&self) -> QueueLimit {
        self.queue_limits(&self.bottleneck, self.bdp_rtt())[1]
    }

    /// Returns the limits of a link's forward queue and reverse queue, never in bandwidth-delay products. `bdp_rtt` is
    /// that of the scenario, which takes the routes of all flows to compute.
    pub fn queue_limits(&self, link: &Bottleneck, bdp_rtt: Nanos) -> [QueueLimit; 2] {
        let rtt = link.bdp_rtt.unwrap_or(bdp_rtt);
        let forward = link.queue.limit.resolved(link.rate.mean(self.duration), rtt);
        let own = |queue: &Queue| queue.limit.resolved(link.reverse_rate().mean(self.duration), rtt);
        [forward, link.reverse_queue.as_ref().map_or(forward, own)]
    }
}

impl Bottleneck {
    /// Returns the rate from sink to source.
    pub fn reverse_rate(&self) -> &LinkRate {
        self.reverse_rate.as_ref().unwrap_or(&self.rate)
    }

    /// Returns the propagation delay from sink to source.
    pub fn reverse_delay(&self) -> &LinkDelay {
        self.reverse_delay.as_ref().unwrap_or(&self.delay)
    }

    /// Whether the queue of a direction that treats large packets in this way is that of the sending host.
    fn is_on_host(&self, large: Option<Large>) -> bool {
        self.host_queue.unwrap_or(large == Some(Large::Queued))
    }

    /// Returns the direction from source to sink.
    pub fn forward(&self) -> Direction<'_> {
        Direction {
            rate: &self.rate,
            delay: &self.delay,
            jitter: self.jitter.as_ref(),
            policer: self.policer.as_ref(),
            large: self.gso.unwrap_or_default(),
            on_host: self.is_on_host(self.gso),
            mtu: self.mtu.map(|mtu| (mtu, self.icmp.unwrap_or(true))),
            loss: &self.loss,
            netem: self.netem.as_ref(),
            duplication: self.duplication.as_ref(),
            corruption: self.corruption.as_ref(),
            outages: self.outages.as_deref().unwrap_or_default(),
        }
    }

    /// Returns the direction from sink to source.
    pub fn reverse(&self) -> Direction<'_> {
        Direction {
            rate: self.reverse_rate(),
            delay: self.reverse_delay(),
            jitter: self.reverse_jitter.as_ref(),
            policer: self.reverse_policer.as_ref(),
            large: self.reverse_gso.or(self.gso).unwrap_or_default(),
            on_host: self.is_on_host(self.reverse_gso.or(self.gso)),
            mtu: self.mtu.map(|mtu| (mtu, self.icmp.unwrap_or(true))),
            loss: &self.reverse_loss,
            netem: self.reverse_netem.as_ref(),
            duplication: self.reverse_duplication.as_ref(),
            corruption: self.reverse_corruption.as_ref(),
            outages: self.reverse_outages.as_ref().or(self.outages.as_ref()).map_or(&[], Vec::as_slice),
        }
    }

    /// Returns the queue from sink to source; its limit is not resolved.
    pub fn reverse_queue(&self) -> &Queue {
        self.reverse_queue.as_ref().unwrap_or(&self.queue)
    }
}

impl Access {
    /// Returns the policers of the four links: from the source, to the source, to the sink and from the sink.
    pub fn policers(&self) -> [Option<&Policer>; 4] {
        let Access { source_policer, reverse_source_policer, sink_policer, reverse_sink_policer, .. } = self;
        [source_policer, reverse_source_policer, sink_policer, reverse_sink_policer].map(Option::as_ref)
    }
}

impl Probes {
    /// Whether any data is recorded over time.
    pub fn record(&self) -> bool {
        self.window || self.packets || self.timeouts || self.queues || self.rates
    }
}

/// The validation and the pacing of a transport that is not TCP, which only the transport knows.
pub const OWN: &str = "own";

/// The algorithms of a flow after its stack has supplied what the flow does not give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// Name of the flow.
    pub flow: String,
    /// Number of its copies.
    pub copies: u32,
    /// Named stack.
    pub stack: String,
    /// Full name of the congestion control's form.
    pub cc: String,
    /// Slow start; `None` if the congestion control has its own, and for one that was registered.
    pub slow_start: Option<&'static str>,
    /// Window validation.
    pub validation: &'static str,
    /// Pacing: `off`, `fq` or `after-idle`, or `cc` if the congestion control sets the pacing rate.
    pub pacing: &'static str,
}

impl Scenario {
    /// Returns the algorithms of all flows that use TCP.
    pub fn resolved(&self) -> Vec<Resolved> {
        let uses_tcp = |flow: &&Flow| !self.sends_datagrams(flow);
        self.flows.iter().filter(uses_tcp).map(|flow| flow.resolved(self.packet_size)).collect()
    }

    /// Whether the application of a flow sends datagrams of its own (UDP), so that the flow has no transport besides.
    pub fn sends_datagrams(&self, flow: &Flow) -> bool {
        flow.app.demand(1.0, self.path(flow, self.rate())).datagrams > 0.0
    }
}

impl Flow {
    /// Returns the transport of the flow, if it is not TCP.
    pub fn other_transport(&self) -> Option<&Other> {
        if let Some(Transport::Other(other)) = &self.transport { Some(other) } else { None }
    }

    fn resolved(&self, packet_size: u32) -> Resolved {
        if let Some(other) = self.other_transport() {
            return Resolved {
                flow: self.name.clone(),
                copies: self.count,
                stack: other.stack.name().to_owned(),
                cc: other.cc(),
                slow_start: None,
                validation: OWN,
                pacing: OWN,
            };
        }
        let config = self.tcp_config(packet_size);
        let registered = self.cc.as_ref().is_some_and(|cc| cc.registered().is_some());
        let owns = || {
            let scope = config.cc.make().scope();
            scope.slow_start || scope.window
        };
        Resolved {
            flow: self.name.clone(),
            copies: self.count,
            stack: self.stack.clone(),
            cc: config.cc.name().to_string(),
            slow_start: (!registered && !owns()).then_some(config.slow_start.name),
            validation: config.validation.name,
            pacing: config.pacing_name(),
        }
    }

    /// Returns the names of the flow's copies: the flow's own name for a single copy, otherwise name.0, name.1, and so
    /// on.
    pub fn copies(&self) -> impl Iterator<Item = String> + '_ {
        let name = |copy| if self.count > 1 { format!("{}.{copy}", self.name) } else { self.name.clone() };
        (0..self.count).map(name)
    }

    /// Returns the TCP configuration of the flow for packets of `packet_size` bytes: the flow's own fields on top of
    /// its stack.
    ///
    /// # Panics
    /// Panics if a name is in no catalogue; a scenario that was read has no such name.
    pub fn tcp_config(&self, packet_size: u32) -> Config {
        let known = "a scenario names what the catalogues have";
        let named = stack::by_name(&self.stack).expect(known);
        let stack = (named.config)();
        let cc = self.cc.as_ref().map_or(stack.cc, |cc| cc.algorithm(&self.name));
        // Linux has one setting, tcp_slow_start_after_idle, for both of its rules about a window that is not used.
        let off = self.restart_after_idle == Some(Restart::Off) && stack.validation.replaces_restart;
        let of_stack = if off { validation::by_name("none").expect(known) } else { stack.validation };
        let validation = self.validation.as_deref().map_or(of_stack, |name| validation::by_name(name).expect(known));
        // A validation that decides about the window after idle would be undone by a restart.
        let stack_restart = if validation.replaces_restart { Restart::Off } else { stack.restart };
        let mut config = Config {
            mss: self.mss(packet_size),
            initial_window: self.initial_window.map_or(stack.initial_window, InitialWindow::Segments),
            receive_buffer_max: self.receive_buffer.unwrap_or(stack.receive_buffer_max),
            send_buffer_max: self.send_buffer.unwrap_or(stack.send_buffer_max),
            restart: self.restart_after_idle.unwrap_or(stack_restart),
            pacing: self.pacing.as_ref().map_or(stack.pacing, |pacing| pacing.of_sender(packet_size)),
            careful_resume: self.careful_resume.as_ref().map(|saved| Saved {
                cwnd: saved.cwnd,
                rtt: saved.rtt,
                max_jump: saved.max_jump.unwrap_or(saved.cwnd),
            }),
            slow_start: self
                .slow_start
                .as_deref()
                .map_or_else(|| named.slow_start_of(cc.name()), |name| slow_start::by_name(name).expect(known)),
            cc,
            validation,
            ..stack
        };
        self.replace_settings(&mut config);
        if let Some(window) = self.receive_buffer.filter(|&window| config.receive_buffer_max <= window) {
            config.fix_receive_window(window);
        }
        if self.receive_buffer.is_some() || self.receive_buffer_max.is_some() {
            config.scale_receive_window();
        }
        config
    }

    /// Whether the connections of a flow of TCP begin with a handshake.
    fn shakes_hands(&self) -> bool {
        self.settings().handshake == Handshake::ThreeWay
    }

    /// Whether the receivers of a flow of TCP acknowledge data that has not arrived.
    ///
    /// # Panics
    /// Panics if the stack is in no catalogue; a scenario that was read has no such stack.
    pub fn acknowledges_unseen_data(&self) -> bool {
        self.settings().optimistic_acks > 0
    }

    /// Returns the configuration of the flow's stack with its own settings, without making its congestion control.
    fn settings(&self) -> Config {
        let mut config = (stack::by_name(&self.stack).expect("a scenario names what the catalogues have").config)();
        self.replace_settings(&mut config);
        config
    }

    /// Returns the payload of a full segment, in bytes.
    pub(super) fn mss(&self, packet_size: u32) -> u32 {
        self.mss.unwrap_or(packet_size.saturating_sub(TCP_IPV4))
    }
}

impl Pacing {
    fn of_sender(&self, packet_size: u32) -> pacing::Pacing {
        match self {
            Pacing::Off => pacing::Pacing::Off,
            Pacing::AfterIdle => pacing::Pacing::AfterIdle,
            Pacing::Fq(fq) => pacing::Pacing::Fq {
                slow_start_percent: fq.slow_start_percent,
                avoidance_percent: fq.avoidance_percent,
                quantum: fq.quantum.bytes(packet_size),
                initial: 0,
            },
        }
    }
}
