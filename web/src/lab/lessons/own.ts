import { written } from "../words";
import type { Lesson } from "./lesson";
import { goodput, times } from "./readings";

const share = (weight: number): number => (100 * weight) / (1 + weight);

export const own: Lesson = {
  id: "own",
  title: "Your own algorithm",
  question: "You may choose how fast your window grows, and how much of it a loss leaves. What does the other one get?",
  about: [
    "Reno adds 1 segment in a round trip and keeps a half of its window after a loss. Your algorithm adds a segments and keeps a part b. The page writes it as a program in JavaScript, and runs it beside Reno on one link.",
    "Choose a and b, and predict the share of yours.",
  ],
  fields: [
    { name: "a", label: "Increase a in a round trip", unit: "segments", value: 1, least: 0.1, most: 10 },
    { name: "b", label: "Part b that a loss leaves", unit: "of the window", value: 0.8, least: 0.1, most: 0.95 },
  ],
  guess: { label: "Share of your algorithm", unit: "%", least: 0, most: 100 },
  code: ({ a, b }) => `// Your algorithm: it adds ${a} segments in a round trip, and keeps ${b} of its window after a loss.

ackclock.congestion_control("mine", class extends ackclock.WindowRules {
  // Segments that the window grows by in a round trip.
  increase(flow) {
    return ${a};
  }

  // The part of the window that is left after a loss.
  reduction(flow) {
    return ${b};
  }
});
`,
  texts: () => [
    `# Your algorithm beside Reno.
name = "own"
duration = "120s"

[bottleneck]
rate = "20Mbps"
delay = "20ms"            # one way
queue = "1bdp"

[[flows]]
name = "mine"
app = "bulk"
cc = "mine"

[[flows]]
name = "reno"
app = "bulk"
cc = "reno"

[probes]
window = true
rates = true
queues = true
interval = "100ms"
`,
  ],
  explain: ([tables], { a, b }) => {
    const measured = share(goodput(tables, "mine", 20, 120) / goodput(tables, "reno", 20, 120));
    const [mine, reno] = ["mine", "reno"].map((flow) => times(tables, flow, "recovery_started").length);
    // The window of AIMD against that of Reno: with losses of both at once, and with losses of each in proportion to its packets.
    const together = share(a / (1 - b) / 2);
    const apart = share(Math.sqrt((a * (1 + b)) / (3 * (1 - b))));
    const friendly = (3 * (1 - b)) / (1 + b);
    const words = [
      `Yours had ${written(Number(measured.toPrecision(3)))} % of the goodput from 20 s on. It lost packets ${mine} times, and Reno ${reno} times.`,
      `If both lose packets at the same times, each climbs between two losses by what it adds, and falls by the part that it gives up. The windows then go as a/(1 − b), which is ${written(Number((a / (1 - b)).toPrecision(3)))} for yours and 2 for Reno: a share of ${written(Number(together.toPrecision(3)))} %.`,
      `If each loses packets in proportion to what it sends, the windows go as √(a(1 + b)/(2(1 − b))) (Yang and Lam, 2000): a share of ${written(Number(apart.toPrecision(3)))} %. A drop-tail queue is between the two.`,
      `With your b of ${written(b)} an increase of ${written(Number(friendly.toPrecision(3)))} segments would be fair to Reno by the second formula. ${
        Math.abs(apart - 50) < 5 ? "Your choice is close to it." : apart > 50 ? "You added more than that, and Reno paid for it." : "You added less than that, and Reno took the rest."
      }`,
    ];
    return { rows: [{ what: "theory, losses together", value: together, unit: "%" }, { what: "theory, losses apart", value: apart, unit: "%" }, { what: "the run", value: measured, unit: "%" }], words };
  },
  next: [
    "CUBIC keeps 0.7. Which increase makes it fair to Reno? RFC 9438 uses this number in its Reno-friendly region.",
    "Open the program below, and let increase() depend on flow.srtt and flow.min_rtt: an algorithm that stops before the queue is full. Does it survive beside Reno?",
  ],
};
