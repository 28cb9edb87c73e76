import { written } from "../words";
import type { Lesson } from "./lesson";
import { goodput, of, PACKET, PAYLOAD } from "./readings";

const scenario = (rate: number, rtt: number, loss: number, cc: string): string => `# A download over a link that loses packets at random.
name = "random-loss"
duration = "60s"

[bottleneck]
rate = "${rate}Mbps"
delay = "${rtt / 2}ms"            # one way
queue = "1bdp"
loss = "${loss}%"

[[flows]]
name = "download"
app = "bulk"
cc = "${cc}"

[probes]
window = true
rates = true
queues = true
interval = "50ms"
`;

/** Mbit/s of Reno by Mathis and others (1997), with delayed acknowledgments or without. */
const mathis = (rtt: number, loss: number, constant: number): number => ((8 * PAYLOAD) / (rtt * 1e-3) / 1e6) * (constant / Math.sqrt(loss / 100));

export const loss: Lesson = {
  id: "loss",
  title: "Loss is not congestion",
  question: "How fast is a download over a link that loses packets at random?",
  about: [
    "Reno and CUBIC take a lost packet as a sign of a full queue, and reduce their windows. A radio link may lose packets with an empty queue. BBR does not ask for losses: it measures the rate of delivery and the smallest round-trip time, and sends at that rate.",
    "Choose how many packets are lost. Variant A is a download with Reno, and variant B one with BBR. Predict the goodput of Reno.",
  ],
  fields: [
    { name: "rate", label: "Rate of the link", unit: "Mbit/s", value: 20, least: 5, most: 50 },
    { name: "rtt", label: "Round-trip time", unit: "ms", value: 40, least: 10, most: 200 },
    { name: "loss", label: "Packets that are lost", unit: "%", value: 1, least: 0.05, most: 3 },
  ],
  guess: { label: "Goodput of Reno", unit: "Mbit/s", least: 0, most: 50 },
  texts: ({ rate, rtt, loss: lost }) => [scenario(rate, rtt, lost, "reno"), scenario(rate, rtt, lost, "bbr")],
  explain: ([reno, bbr], { rate, rtt, loss: lost }) => {
    const [measured, other] = [reno, bbr].map((tables) => goodput(tables, "download", 0, 60));
    const [low, high] = [mathis(rtt, lost, Math.sqrt(3 / 4)), mathis(rtt, lost, Math.sqrt(3 / 2))];
    const most = (rate * PAYLOAD) / PACKET;
    const recoveries = of(reno, "flows", "download", "recoveries");
    const words = [
      `One packet of ${written(Math.round(100 / lost))} is lost on your link. Reno took this as congestion ${written(recoveries)} times in 60 s, and halved its window each time. The queue was empty for most of it: its mean delay was ${written(of(reno, "links", "bottleneck", "queue_delay_mean_ms"))} ms.`,
      `Between two losses the window climbs by one segment in a round trip, so that its mean is about 1.2/√p segments. One window in each round trip of ${written(rtt)} ms gives ${written(Number(low.toPrecision(3)))} to ${written(Number(high.toPrecision(3)))} Mbit/s (Mathis and others, 1997; the lower number is with one acknowledgment for two segments).${low > most ? ` The link carries ${written(Number(most.toPrecision(3)))} Mbit/s of data at most, so that here the loss is no limit.` : ""}`,
      `The run gave Reno ${written(Number(measured.toPrecision(3)))} Mbit/s. BBR had ${written(Number(other.toPrecision(3)))} Mbit/s of the ${written(Number(most.toPrecision(3)))} that the link can carry.`,
      "This has another side. BBR of version 1 does not slow down for losses that it causes itself either: with a shallow buffer it takes bandwidth from CUBIC and loses many packets. The gallery's cubic-bbr shows it.",
    ];
    return { rows: [{ what: "theory, at most", value: Math.min(high, most), unit: "Mbit/s" }, { what: "the run, Reno", value: measured, unit: "Mbit/s" }, { what: "the run, BBR", value: other, unit: "Mbit/s" }], words };
  },
  next: [
    "A quarter of the loss gives Reno twice the goodput, and half of the round-trip time as well. Try both.",
    "Change Reno to cubic: at which loss does its goodput differ from that of Reno, and why not at 1 %?",
  ],
};
