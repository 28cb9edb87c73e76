//! The bottleneck, and the further links, which have the same fields.

use ackclock_core::Nanos;
use ackclock_net::Large;
use ackclock_schema::kinds::{Flag, Label, one_of, time, volume};
use ackclock_schema::lists::list;
use ackclock_schema::record;
use ackclock_schema::record::{FieldInfo, Reader, Record, Slot, default, numbered, optional, preset, required, table};
use ackclock_schema::renewal::Renewal;
use ackclock_schema::tree::{KeyPath, Node};
use ackclock_schema::union::tagged;
use serde_json::{Map, Value as Json};

use super::impairments::{Jitter, Loss, Outage, outages};
use super::link::{LinkDelay, LinkRate, changing_delay, large, varying_rate};
use super::netem::Netem;
use super::policer::Policer;
use super::preset::PRESETS;
use super::queue::Queue;

record! {
    /// The link that all flows share, with a queue at the entry of each direction.
    pub struct Bottleneck {
        /// Name of a link model, which supplies the rate, delay and queue where they are not given.
        preset: Option<String> = optional("none", one_of("preset", PRESETS.iter().map(|p| (p.name, p.name.to_owned(), p.summary))));
        /// Rate in the direction from source to sink.
        rate: LinkRate = preset(varying_rate());
        /// Propagation delay, one way.
        delay: LinkDelay = preset(changing_delay());
        /// Queue in the direction from source to sink.
        queue: Queue = default("1bdp", tagged());
        /// Rate in the direction from sink to source.
        reverse_rate: Option<LinkRate> = optional("as rate", varying_rate());
        /// Propagation delay in the direction from sink to source.
        reverse_delay: Option<LinkDelay> = optional("as delay", changing_delay());
        /// Queue in the direction from sink to source.
        reverse_queue: Option<Queue> = optional("as queue, with as many bytes or packets", tagged());
        /// Policer in the direction from source to sink, before the loss and the queue.
        policer: Option<Policer> = optional("none", tagged());
        /// Policer in the direction from sink to source.
        reverse_policer: Option<Policer> = optional("none", tagged());
        /// Linux's netem in the direction from source to sink, with the queue as its child.
        netem: Option<Netem> = optional("none", table());
        /// Linux's netem in the direction from sink to source, with the reverse queue as its child.
        reverse_netem: Option<Netem> = optional("none", table());
        /// Treatment of the large packets that segmentation offload (GSO) of the senders' hosts makes.
        gso: Option<Large> = optional("off", large());
        /// Treatment of large packets in the direction from sink to source.
        reverse_gso: Option<Large> = optional("as gso", large());
        /// Whether the queues are those of the sending hosts, whose TCP keeps the bytes in them few if it is Linux's (TCP
        /// small queues). A link that is not the first one behind a host's access link has no such queue.
        host_queue: Option<bool> = optional("true with gso = \"queue\"", Flag);
        /// Largest packet in both directions. A larger one is dropped, and counts as a loss.
        mtu: Option<u32> = optional("packets of any size", volume().within(LEAST_MTU, 65_535));
        /// Whether the sender of a packet that is larger than the mtu is told by ICMP, so that TCP sends smaller segments.
        icmp: Option<bool> = optional("true", Flag);
        /// Loss of packets in the direction from source to sink, before the queue.
        loss: Loss = default("0%", tagged());
        /// Loss of packets in the direction from sink to source, before the queue.
        reverse_loss: Loss = default("0%", tagged());
        /// Duplication of packets in the direction from source to sink; the copy follows its packet into the queue.
        duplication: Option<Loss> = optional("none", tagged());
        /// Duplication of packets in the direction from sink to source.
        reverse_duplication: Option<Loss> = optional("none", tagged());
        /// Corruption in the direction from source to sink: packets that take their time on the wire and do not arrive.
        corruption: Option<Loss> = optional("none", tagged());
        /// Corruption in the direction from sink to source.
        reverse_corruption: Option<Loss> = optional("none", tagged());
        /// Extra delay that differs from packet to packet in the direction from source to sink.
        jitter: Option<Jitter> = optional("none", tagged());
        /// Extra delay that differs from packet to packet in the direction from sink to source.
        reverse_jitter: Option<Jitter> = optional("none", tagged());
        /// Times in which the link is down.
        outages: Option<Vec<Outage>> = optional("none", outages());
        /// Times in which the direction from sink to source is down.
        reverse_outages: Option<Vec<Outage>> = optional("as outages", outages());
        /// Round-trip time with which queue limits given in bdp are computed.
        bdp_rtt: Option<Nanos> = optional("the largest base RTT of any flow", time().positive());
    }
}

/// A link besides the bottleneck.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Name in output.
    pub name: String,
    /// The two nodes that the link joins. Fields for the direction from source to sink hold from the first node to the
    /// second.
    pub ends: Vec<String>,
    /// The same fields as those of the bottleneck.
    pub model: Bottleneck,
}

/// The smallest MTU of a link, bytes: Linux takes no smaller one from a router (net.ipv4.route.min_pmtu).
const LEAST_MTU: u64 = 552;

const OWN: &[&str] = &["name", "ends"];

fn name() -> impl Slot<Value = String> {
    numbered("link", Label)
}

fn ends() -> impl Slot<Value = Vec<String>> {
    required(list("node", Label))
}

impl Record for Link {
    fn renew(node: &mut Node, at: &KeyPath, renewal: &mut Renewal) {
        name().renew(OWN[0], node, at, renewal);
        ends().renew(OWN[1], node, at, renewal);
        Bottleneck::renew(node, at, renewal);
    }

    fn read(reader: &mut Reader<'_, '_>) -> Link {
        let (name, ends) = (name().read(OWN[0], reader), ends().read(OWN[1], reader));
        let Reader { node, at, foreign, .. } = *reader;
        let model = Bottleneck::read(&mut Reader { node, at, problems: reader.problems, foreign, besides: OWN });
        Link { name, ends, model }
    }

    fn write(&self) -> Map<String, Json> {
        let mut table = Map::new();
        table.extend(name().write(&self.name).map(|name| (OWN[0].to_owned(), name)));
        table.extend(ends().write(&self.ends).map(|ends| (OWN[1].to_owned(), ends)));
        table.extend(self.model.write());
        table
    }

    fn doc() -> String {
        "A link between two nodes, with all that the bottleneck has.".to_owned()
    }

    fn fields() -> Vec<FieldInfo> {
        let own = [
            name().info(OWN[0], "Name in output, unique.".to_owned()),
            ends().info(
                OWN[1],
                "The two nodes that it joins. What the fields below say of the direction from source to sink holds from the first to the second."
                    .to_owned(),
            ),
        ];
        own.into_iter().chain(Bottleneck::fields()).collect()
    }
}
