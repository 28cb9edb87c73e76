import { written } from "../words";
import type { Lesson } from "./lesson";
import { of } from "./readings";

const scenario = (rate: number, rtt: number, count: number, queue: string, ecn: boolean): string => `# Downloads over a queue that an algorithm keeps short, or that nobody does.
name = "aqm"
duration = "60s"

[bottleneck]
rate = "${rate}Mbps"
delay = "${rtt / 2}ms"            # one way
queue = "${queue}"

[[flows]]
name = "download"
count = ${count}
app = "bulk"
cc = "cubic"
start_jitter = "1s"
${ecn ? 'ecn = "classic"\n' : ""}
[probes]
window = true
rates = true
queues = true
interval = "50ms"
`;

export const aqm: Lesson = {
  id: "aqm",
  title: "Active queue management and ECN",
  question: "Can a queue stay short while downloads fill the link, and without losing packets?",
  about: [
    "A drop-tail queue signals congestion when it is full. Active queue management (AQM) signals earlier. CoDel (RFC 8289) watches how long packets wait. If none waits less than 5 ms for 100 ms, CoDel drops a packet, and then more and more often. With Explicit Congestion Notification (ECN, RFC 3168) it marks the packet instead.",
    "Variant A has a drop-tail queue of 8 BDP. Variant B has CoDel, and its downloads use ECN. Predict the queueing delay that 95 % of the packets stay below with CoDel.",
  ],
  fields: [
    { name: "rate", label: "Rate of the link", unit: "Mbit/s", value: 20, least: 4, most: 100 },
    { name: "rtt", label: "Round-trip time", unit: "ms", value: 40, least: 10, most: 200 },
    { name: "count", label: "Downloads", unit: "flows", value: 4, least: 1, most: 20 },
  ],
  guess: { label: "95th percentile of the queueing delay", unit: "ms", least: 0, most: 5000 },
  texts: ({ rate, rtt, count }) => {
    const flows = Math.round(count);
    return [scenario(rate, rtt, flows, "8bdp", false), scenario(rate, rtt, flows, "codel", true)];
  },
  explain: ([tail, codel], { rtt, count }) => {
    const link = (tables: typeof tail, column: string): number => of(tables, "links", "bottleneck", column);
    const measured = link(codel, "queue_delay_p95_ms");
    const words = [
      `A drop-tail queue of 8 BDP takes ${written(8 * rtt)} ms when it is full. Your ${written(Math.round(count))} downloads kept the 95th percentile at ${written(link(tail, "queue_delay_p95_ms"))} ms with it, and at ${written(measured)} ms with CoDel.`,
      `The link was busy for ${written(100 * link(tail, "utilisation"))} % of the time with drop-tail, and for ${written(100 * link(codel, "utilisation"))} % with CoDel. ${link(codel, "utilisation") > 0.95 ? "The short queue costs next to nothing here." : "A queue this short runs empty after a reduction of a flow with a long round trip: that is its price."}`,
      `Drop-tail lost ${written(link(tail, "drops"))} packets. CoDel marked ${written(link(codel, "marks"))} packets and lost ${written(link(codel, "drops"))}. A mark tells the sender what a loss would, and nothing has to be sent again.`,
      `CoDel's target of 5 ms is no promise. Each of your flows answers one round trip of ${written(rtt)} ms later, and with more flows each mark reaches a smaller part of the load, so that CoDel has to mark more often until the queue yields.`,
    ];
    return { rows: [{ what: "CoDel's target", value: 5, unit: "ms" }, { what: "the run, CoDel", value: measured, unit: "ms" }, { what: "the run, drop-tail", value: link(tail, "queue_delay_p95_ms"), unit: "ms" }], words };
  },
  next: [
    "Take ecn = \"classic\" out of B: the delay stays, and the marks become losses.",
    "Change the queue of B to fq-codel or pie, or give it one download and then twenty.",
  ],
};
