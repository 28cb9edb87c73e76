import { written } from "../words";
import type { Lesson } from "./lesson";
import { goodput, of, times } from "./readings";

/** Seconds after the start of the second flow. */
const AFTER = 120;
const LAST = 20;

const share = (one: number, other: number): number => (100 * one) / (one + other);

export const fairness: Lesson = {
  id: "fairness",
  title: "Additive increase, multiplicative decrease",
  question: "A second download comes to a link that is full. Does it get its half?",
  about: [
    "Two downloads with Reno share a link. Each adds one segment to its window in a round trip, and halves the window after a loss: additive increase, multiplicative decrease (AIMD). Nobody tells them how many they are.",
    `The first has the whole link when the second comes. Predict the share of the second in the last ${LAST} of the ${AFTER} seconds that follow.`,
  ],
  fields: [
    { name: "rate", label: "Rate of the link", unit: "Mbit/s", value: 10, least: 2, most: 50 },
    { name: "rtt", label: "Round-trip time of the first", unit: "ms", value: 40, least: 10, most: 200 },
    { name: "other", label: "Round-trip time of the second", unit: "ms", value: 40, least: 10, most: 200 },
  ],
  guess: { label: "Share of the second", unit: "%", least: 0, most: 100 },
  texts: ({ rate, rtt, other }) => {
    const shortest = Math.min(rtt, other);
    const extra = (own: number): string => (own > shortest ? `access = { sink_delay = "${(own - shortest) / 2}ms" }\n` : "");
    return [
      `# Two downloads with Reno. The second comes after 20 s.
name = "fairness"
duration = "${20 + AFTER}s"

[bottleneck]
rate = "${rate}Mbps"
delay = "${shortest / 2}ms"            # one way
queue = "1bdp"

[[flows]]
name = "first"
app = "bulk"
cc = "reno"
${extra(rtt)}
[[flows]]
name = "second"
app = "bulk"
cc = "reno"
start = "20s"
${extra(other)}
[probes]
window = true
rates = true
queues = true
interval = "100ms"
`,
    ];
  },
  explain: ([tables], { rtt, other }) => {
    const end = 20 + AFTER;
    const queue = of(tables, "links", "bottleneck", "queue_delay_mean_ms");
    const between = (from: number, to: number): number => share(goodput(tables, "second", from, to), goodput(tables, "first", from, to));
    const measured = between(end - LAST, end);
    const [first, second] = ["first", "second"].map((flow) => times(tables, flow, "recovery_started").filter((time) => time > 20).length);
    const steps = [20, 25, 30, 40, 60, 100].map((from, at, all) => `${written(Math.round(between(from, all[at + 1] ?? end)))} % from ${from} s to ${all[at + 1] ?? end} s`);
    const words = [
      `The second had ${steps.join(", ")}. After it came, the first halved its window ${first} times, and the second ${second} times.`,
      "Why it goes this way: an increase adds the same to both, and leaves their difference as it is. A decrease halves both, and so halves the difference as well. After some losses little of it is left (Chiu and Jain, 1989).",
    ];
    if (rtt === other) {
      words.push("Both of your flows have the same round-trip time, so that both add at the same pace, and theory ends at a half. A drop-tail queue does not always drop a packet of both, so that single runs swing around it.");
    } else {
      words.push(
        `Your flows have round-trip times of ${written(rtt)} and ${written(other)} ms. Packets waited for ${written(Number(queue.toPrecision(2)))} ms in the mean, so that the round trips took ${written(Math.round(rtt + queue))} and ${written(Math.round(other + queue))} ms. One segment in a round trip is more per second on the shorter path, so that the ends are not equal. With losses at the same times the shares go with 1/RTT², which gives the second ${written(Math.round(share(1 / (other + queue) ** 2, 1 / (rtt + queue) ** 2)))} %. With losses in proportion to the packets they go with 1/RTT, which gives ${written(Math.round(share(1 / (other + queue), 1 / (rtt + queue))))} %. A long path has few losses, so that its share changes slowly.`,
      );
    }
    const theory = rtt === other ? 50 : share(1 / (other + queue), 1 / (rtt + queue));
    return { rows: [{ what: rtt === other ? "theory" : "theory, 1/RTT", value: theory, unit: "%" }, { what: "the run", value: measured, unit: "%" }], words };
  },
  next: [
    "Give the second four times the round-trip time of the first, and predict again.",
    "Press “30 seeds”, or change the congestion control of both to cubic: CUBIC's growth depends on the time since the last loss, and less on the round-trip time.",
  ],
};
