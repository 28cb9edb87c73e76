//! CAKE's parameters, with the keywords of `tc-cake(8)` as their values.

use ackclock_core::{choices, parameters};

use super::shaper::{Coding, ETHERNET, Framing};
use crate::queue::Settings;
use crate::{Nanos, Rate};

choices! {
    /// Classes of traffic.
    pub(super) enum Tins {
        BestEffort = "besteffort", "One tin for all packets.";
        Precedence = "precedence", "Eight tins by the upper three bits of the code point; use it for old equipment only.";
        Diffserv3 = "diffserv3", "Three tins: bulk (LE, CS1), best effort, and voice (CS7, CS6, EF, VA, TOS4).";
        Diffserv4 = "diffserv4", "Four tins: bulk, best effort, video (AF2x to AF4x, CS2, CS3, TOS4) and voice (CS4 to CS7, EF, VA).";
        Diffserv8 = "diffserv8", "Eight tins by the classes of RFC 4594.";
    }
}

choices! {
    /// Parties among which the rate is divided.
    pub(super) enum Isolation {
        Flowblind = "flowblind", "All packets share one queue.";
        SourceHosts = "srchost", "The rate is divided among source hosts.";
        DestinationHosts = "dsthost", "The rate is divided among destination hosts.";
        Hosts = "hosts", "The rate is divided among pairs of source and destination host.";
        Flows = "flows", "The rate is divided among flows.";
        DualSource = "dual-srchost", "The rate is divided among source hosts, and the share of each among its flows.";
        DualDestination = "dual-dsthost", "The rate is divided among destination hosts, and the share of each among its flows.";
        Triple = "triple-isolate", "A flow shares with the flows of its source or of its destination, whichever are more.";
    }
}

impl Isolation {
    /// Whether packets are told apart by source, by destination, and by flow.
    fn bits(self) -> (bool, bool, bool) {
        let bits = self as u8;
        (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
    }

    /// Hash of the party of a packet; the arguments are the hashes of the packet's flow and hosts.
    pub(super) fn party(self, flow: u32, source: u32, destination: u32) -> u32 {
        match self.bits() {
            (_, _, true) => flow,
            (by_source, by_destination, false) => {
                (u32::from(by_source) * source) ^ (u32::from(by_destination) * destination)
            }
        }
    }

    /// Whether the flows of each source host share, and those of each destination host.
    pub(super) fn shares(self) -> (bool, bool) {
        let (source, destination, flows) = self.bits();
        (source && flows, destination && flows)
    }
}

choices! {
    /// Link layers, with the headers and cells that they add to a packet.
    pub(super) enum LinkLayer {
        Raw = "raw", "The size that Linux has for a packet on Ethernet: 14 bytes besides the IP packet, no cells.";
        Conservative = "conservative", "48 bytes and ATM cells: safe where the link is not known.";
        Ethernet = "ethernet", "38 bytes, at least 84: Ethernet with preamble and gap.";
        EtherVlan = "ether-vlan", "42 bytes, at least 84: Ethernet with a VLAN tag.";
        Docsis = "docsis", "18 bytes, at least 64: cable.";
        PppoePtm = "pppoe-ptm", "30 bytes and PTM: VDSL2 with PPPoE.";
        BridgedPtm = "bridged-ptm", "22 bytes and PTM: VDSL2 without PPPoE.";
        PppoaVcmux = "pppoa-vcmux", "10 bytes and ATM cells: ADSL with PPPoA, VC-Mux.";
        PppoaLlc = "pppoa-llc", "14 bytes and ATM cells: ADSL with PPPoA, LLC.";
        PppoeVcmux = "pppoe-vcmux", "32 bytes and ATM cells: ADSL with PPPoE, VC-Mux.";
        PppoeLlcsnap = "pppoe-llcsnap", "40 bytes and ATM cells: ADSL with PPPoE, LLC/SNAP.";
        BridgedVcmux = "bridged-vcmux", "24 bytes and ATM cells: bridged ADSL, VC-Mux.";
        BridgedLlcsnap = "bridged-llcsnap", "32 bytes and ATM cells: bridged ADSL, LLC/SNAP.";
        IpoaVcmux = "ipoa-vcmux", "8 bytes and ATM cells: ADSL with IPoA, VC-Mux.";
        IpoaLlcsnap = "ipoa-llcsnap", "16 bytes and ATM cells: ADSL with IPoA, LLC/SNAP.";
    }
}

impl LinkLayer {
    fn framing(self) -> Framing {
        let framing = |overhead, least, coding| Framing { overhead, least, coding };
        match self {
            LinkLayer::Raw => framing(i64::from(ETHERNET), 0, Coding::Plain),
            LinkLayer::Conservative => framing(48, 0, Coding::Atm),
            LinkLayer::Ethernet => framing(38, 84, Coding::Plain),
            LinkLayer::EtherVlan => framing(42, 84, Coding::Plain),
            LinkLayer::Docsis => framing(18, 64, Coding::Plain),
            LinkLayer::PppoePtm => framing(30, 0, Coding::Ptm),
            LinkLayer::BridgedPtm => framing(22, 0, Coding::Ptm),
            LinkLayer::PppoaVcmux => framing(10, 0, Coding::Atm),
            LinkLayer::PppoaLlc => framing(14, 0, Coding::Atm),
            LinkLayer::PppoeVcmux => framing(32, 0, Coding::Atm),
            LinkLayer::PppoeLlcsnap => framing(40, 0, Coding::Atm),
            LinkLayer::BridgedVcmux => framing(24, 0, Coding::Atm),
            LinkLayer::BridgedLlcsnap => framing(32, 0, Coding::Atm),
            LinkLayer::IpoaVcmux => framing(8, 0, Coding::Atm),
            LinkLayer::IpoaLlcsnap => framing(16, 0, Coding::Atm),
        }
    }
}

choices! {
    /// Cells or line codes.
    pub(super) enum Cells {
        None = "none", "Packets are sent as they are.";
        Atm = "atm", "Packets fill cells of 48 bytes, each of which takes 53 bytes.";
        Ptm = "ptm", "Each 64 bytes take 65 bytes.";
    }
}

choices! {
    /// Paths with their round-trip times.
    pub(super) enum Paths {
        Datacentre = "datacentre", "A round-trip time of 0.1 ms.";
        Lan = "lan", "A round-trip time of 1 ms.";
        Metro = "metro", "A round-trip time of 10 ms.";
        Regional = "regional", "A round-trip time of 30 ms.";
        Internet = "internet", "A round-trip time of 100 ms.";
        Oceanic = "oceanic", "A round-trip time of 300 ms.";
        Satellite = "satellite", "A round-trip time of 1 s.";
        Interplanetary = "interplanetary", "A round-trip time of 1000 s and a target of 50 s: hardly any signals.";
    }
}

choices! {
    /// Acknowledgments that the filter drops.
    pub(super) enum AckFilter {
        Off = "off", "None.";
        Filter = "filter", "Those that two later ones make superfluous.";
        Aggressive = "aggressive", "Those that the next one makes superfluous.";
    }
}

parameters! {
    /// Parameters of CAKE.
    pub(super) struct Parameters {
        bandwidth: Option<Rate> = follows("unlimited: the link sets the pace"), (8.0, 1e15), Rate,
            "Rate of the shaper, on the line with the overhead.";
        tins: Tins = is(Tins::Diffserv3 as u8 as f64), Tins::RANGE, Choice(Tins::OPTIONS),
            "Classes into which the code points of flows (dscp) are sorted.";
        isolation: Isolation = is(Isolation::Triple as u8 as f64), Isolation::RANGE, Choice(Isolation::OPTIONS),
            "Parties among which the rate is divided.";
        link_layer: LinkLayer = is(LinkLayer::Raw as u8 as f64), LinkLayer::RANGE, Choice(LinkLayer::OPTIONS),
            "Link layer, which gives overhead, cells and mpu.";
        overhead: Option<f64> = follows("that of link_layer"), (-64.0, 256.0), In("bytes"),
            "Bytes that each IP packet has besides itself on the line.";
        cells: Option<Cells> = follows("those of link_layer"), Cells::RANGE, Choice(Cells::OPTIONS),
            "How packets are divided into cells.";
        mpu: Option<u64> = follows("that of link_layer"), (0.0, 256.0), Volume,
            "Least size of a packet on the line, before cells.";
        paths: Paths = is(Paths::Internet as u8 as f64), Paths::RANGE, Choice(Paths::OPTIONS),
            "Kind of the paths, which gives rtt.";
        rtt: Option<Nanos> = follows("that of paths"), (1e3, 4.2e12), Time,
            "Round-trip time of the paths: COBALT's interval. Its target is a twentieth of it.";
        ack_filter: AckFilter = is(AckFilter::Off as u8 as f64), AckFilter::RANGE, Choice(AckFilter::OPTIONS),
            "Whether acknowledgments that later ones in the queue make superfluous are dropped.";
        ingress: bool = is(0.0), (0.0, 1.0), Flag,
            "Whether dropped packets use up the rate, as they do when the queue is behind the bottleneck.";
        memory_limit: Option<u64> = follows("four times bandwidth and rtt, at least 4 MiB, at most 10,240 packets"),
            (1.0, 4294967295.0), Volume,
            "Memory that the packets take, with their buffers in Linux.";
    }
}

impl Parameters {
    /// Sizes on the line.
    pub(super) fn framing(&self) -> Framing {
        let mut framing = self.link_layer.framing();
        if let Some(overhead) = self.overhead {
            framing.overhead = overhead as i64;
        }
        if let Some(mpu) = self.mpu {
            framing.least = mpu as i64;
        }
        if let Some(cells) = self.cells {
            framing.coding = match cells {
                Cells::None => Coding::Plain,
                Cells::Atm => Coding::Atm,
                Cells::Ptm => Coding::Ptm,
            };
        }
        framing
    }

    /// COBALT's interval and target, in whole microseconds.
    pub(super) fn delays(&self) -> (u64, u64) {
        let Some(rtt) = self.rtt else {
            return match self.paths {
                Paths::Datacentre => (100, 5),
                Paths::Lan => (1_000, 50),
                Paths::Metro => (10_000, 500),
                Paths::Regional => (30_000, 1_500),
                Paths::Internet => (100_000, 5_000),
                Paths::Oceanic => (300_000, 15_000),
                Paths::Satellite => (1_000_000, 50_000),
                Paths::Interplanetary => (1_000_000_000, 50_000_000),
            };
        };
        let rtt = rtt / 1000;
        (rtt, (rtt / 20).max(1))
    }
}

/// Problems of the parameters.
pub(super) fn check(settings: &Settings<'_>) -> Vec<(&'static str, String)> {
    let given = Parameters::read(settings.given);
    let whole = given.overhead.is_none_or(|overhead| libm::trunc(overhead) == overhead);
    if whole { Vec::new() } else { vec![("overhead", "a whole number of bytes from -64 to 256".to_owned())] }
}
