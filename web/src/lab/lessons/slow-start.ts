import { written } from "../words";
import type { Lesson } from "./lesson";
import { bdp, over, PAYLOAD } from "./readings";

/** The initial window in segments (RFC 6928). */
const INITIAL = 10;

export const slowStart: Lesson = {
  id: "slow-start",
  title: "Slow start and the bandwidth-delay product",
  question: "How long does a connection take to fill a link?",
  about: [
    "A sender does not know the rate of the path. It begins with ten segments, and its window grows with every acknowledgment: this is slow start (RFC 5681). The link is full when the window is as large as what the path holds, which is its rate times its round-trip time: the bandwidth-delay product (BDP).",
    "Choose a link, and predict when the window of a new connection reaches the BDP. The connection begins with a handshake of one round trip.",
  ],
  fields: [
    { name: "rate", label: "Rate of the link", unit: "Mbit/s", value: 20, least: 2, most: 200 },
    { name: "rtt", label: "Round-trip time", unit: "ms", value: 100, least: 10, most: 400 },
  ],
  guess: { label: "The window reaches the BDP after", unit: "s", least: 0, most: 60 },
  texts: ({ rate, rtt }) => [
    `# A download over an idle path. The queue is deep, so that slow start meets no loss before the link is full.
name = "slow-start"
duration = "${Math.ceil(20 * rtt)}ms"

[bottleneck]
rate = "${rate}Mbps"
delay = "${rtt / 2}ms"            # one way
queue = "4bdp"

[[flows]]
name = "download"
app = "bulk"
cc = "reno"

[probes]
window = true
rates = true
queues = true
interval = "${Math.max(1, Math.round(rtt / 20))}ms"
`,
  ],
  explain: ([tables], { rate, rtt }) => {
    const full = bdp(rate, rtt);
    const { time, value } = over(tables, "window", "download", "cwnd");
    const at = value.findIndex((cwnd) => cwnd / PAYLOAD >= full);
    const measured = time[at] ?? NaN;
    const doublings = Math.max(0, Math.ceil(Math.log2(full / INITIAL)));
    const theory = ((1 + doublings) * rtt) / 1000;
    // The window at the end of each round trip after the handshake.
    const windows = Array.from({ length: Math.min(doublings + 1, 12) }, (_, round) => {
      const end = ((1.95 + round) * rtt) / 1000;
      const last = time.findLastIndex((one) => one < end);
      return Math.round((value[last] ?? NaN) / PAYLOAD);
    });
    const { time: when, value: bytes } = over(tables, "rates", "download", "bytes_delivered");
    const carried = bytes.filter((_, row) => when[row] <= measured).reduce((sum, one) => sum + one, 0);
    const possible = (rate * 1e6 * measured) / 8;
    const words = [
      `Your path holds ${written(rate)} Mbit/s × ${written(rtt)} ms = ${written((rate * rtt) / 8)} kB, which is ${written(Math.round(full))} packets of 1500 bytes. That is the BDP.`,
    ];
    if (full <= INITIAL) {
      words.push("The first ten segments fill this path: slow start has nothing to do. Choose a faster link or a longer path.");
      return { rows: [{ what: "the run", value: measured, unit: "s" }], words };
    }
    words.push(
      `One round trip passes for the handshake, and ${INITIAL} segments leave. Their acknowledgments come together one round trip later, and let twice as many leave: the window grows in steps. ${INITIAL} × 2^${doublings} is the first that is not below ${written(Number(full.toPrecision(3)))}, so that theory says ${1 + doublings} round trips: ${written(Number(theory.toPrecision(3)))} s.`,
      `In the run the window needed ${written(Number(measured.toPrecision(3)))} s. At the end of each round trip after the handshake it had ${windows.map((one) => written(one)).join(", ")} segments.${measured > theory + (0.5 * rtt) / 1000 ? " The receiver delays the acknowledgment of a single segment, so that the window stays a little below each doubling. Here that costs one round trip more." : ""}`,
      `By then the connection had delivered ${written(Math.round(carried / 1000))} kB, and the link could have carried ${written(Math.round(possible / 1000))} kB. A file smaller than that is sent in slow start: a faster link hardly helps it, and a shorter path does.`,
    );
    return { rows: [{ what: "theory", value: theory, unit: "s" }, { what: "the run", value: measured, unit: "s" }], words };
  },
  next: [
    "Double the rate: the window needs one doubling more. Double the round-trip time: it needs one doubling more, and each takes twice as long.",
    "Look at the window after it has passed the BDP. The queue takes what the link cannot, until it overflows: slow start ends with a burst of losses.",
  ],
};
