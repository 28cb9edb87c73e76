import { written } from "../words";
import type { Lesson } from "./lesson";
import { bdp, of } from "./readings";

const scenario = (rate: number, rtt: number, buffer: number): string => `# A download with Reno, and the buffer before the link.
name = "buffers"
duration = "60s"

[bottleneck]
rate = "${rate}Mbps"
delay = "${rtt / 2}ms"            # one way
queue = "${buffer}bdp"

[[flows]]
name = "download"
app = "bulk"
cc = "reno"

[probes]
window = true
rates = true
queues = true
interval = "50ms"
`;

export const buffers: Lesson = {
  id: "buffers",
  title: "Buffers and delay",
  question: "What does a larger buffer buy, and what does it cost?",
  about: [
    "Reno halves its window after a loss. A buffer before the link keeps the link busy meanwhile. But Reno also grows until the buffer overflows, so that every packet waits behind those that are there: in a buffer of one BDP for up to one round-trip time.",
    "Choose a buffer. Variant A of the run has yours, and variant B a quarter of a BDP. Predict the longest time that a packet waits in your buffer.",
  ],
  fields: [
    { name: "rate", label: "Rate of the link", unit: "Mbit/s", value: 10, least: 2, most: 50 },
    { name: "rtt", label: "Round-trip time", unit: "ms", value: 40, least: 10, most: 200 },
    { name: "buffer", label: "Your buffer", unit: "BDP", value: 4, least: 0.1, most: 10 },
  ],
  guess: { label: "Longest time in the queue", unit: "ms", least: 0, most: 10_000 },
  texts: ({ rate, rtt, buffer }) => [scenario(rate, rtt, buffer), scenario(rate, rtt, 0.25)],
  explain: ([own, small], { rate, rtt, buffer }) => {
    const delay = (tables: typeof own, which: "mean" | "max"): number => of(tables, "links", "bottleneck", `queue_delay_${which}_ms`);
    const used = (tables: typeof own): number => 100 * of(tables, "links", "bottleneck", "utilisation");
    const theory = buffer * rtt;
    const words = [
      `One BDP of your path is ${written(Number(bdp(rate, rtt).toPrecision(3)))} packets, and takes ${written(rtt)} ms to leave at ${written(rate)} Mbit/s. Your buffer of ${written(buffer)} BDP holds ${written(Math.floor(buffer * bdp(rate, rtt)))} packets, and takes ${written(theory)} ms when it is full.`,
      `The longest wait in the run was ${written(delay(own, "max"))} ms, and the mean ${written(delay(own, "mean"))} ms. With a quarter of a BDP they were ${written(delay(small, "max"))} and ${written(delay(small, "mean"))} ms.`,
      `Your buffer kept the link busy for ${written(used(own))} % of the time, and the small one for ${written(used(small))} %. ${
        buffer >= 1
          ? "From one BDP on, the buffer of one flow never runs empty: half of the window still fills the path. What is added beyond that is delay and nothing else."
          : "Below one BDP, half of the window does not fill the path, and the link is idle after each loss. Without any buffer Reno would use three quarters of the link."
      }`,
      "That is the old rule of one BDP. With many flows, whose losses do not come together, a buffer of BDP/√n is enough (Appenzeller and others, 2004).",
    ];
    return { rows: [{ what: "theory: a full buffer", value: theory, unit: "ms" }, { what: "the run", value: delay(own, "max"), unit: "ms" }], words };
  },
  next: [
    "Find the smallest buffer with which the link is busy for 98 % of the time.",
    "Change the congestion control to cubic, which reduces its window to 0.7 instead of 0.5: how much less buffer does it need?",
  ],
};
