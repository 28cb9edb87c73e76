import { columnOf, numbersOf, tableOf } from "../tables";
import { set } from "../toml";
import type { Done, Study } from "./study";

const SECONDS = 40;
const KINDS = ["cubic", "bic", "ctcp", "newreno"];

/** Mbit/s on the link of the twenty flows of a kind, headers included. */
const share = (kind: string) => (done: readonly Done[]): number[] =>
  done.map(({ tables }) => {
    const table = tableOf(tables, "flows")!;
    const [flows, bytes] = [columnOf(table, "flow")!, numbersOf(table, "bytes_delivered")];
    const own = bytes.filter((_, row) => flows.texts![flows.values[row] as number].split(".")[0] === kind);
    return (own.reduce((sum, one) => sum + one, 0) * 8 * (1500 / 1460)) / SECONDS / 1e6;
  }); // prettier-ignore

export const munirFairness: Study = {
  slug: "munir-fairness",
  title: "Fairness of CUBIC, BIC, CTCP and NewReno",
  source: "Munir, Welzl and Damjanovic, PFLDnet 2007",
  question: "Twenty flows of each of four congestion controls share 1 Gbit/s. What does each kind get?",
  shortened: `The study runs 1200 s with 10 seeds. This page runs ${SECONDS} s with one seed: in this time the start of the flows is a large part, and slow algorithms have not found their share.`,
  unknown: {
    label: "Time over which the flows start", unit: "s", value: 10, least: 0, most: 20, step: 5,
    about: "The paper does not say when the flows start. The main reading of the study spreads the starts over 10 s.",
  },
  seeds: 1,
  tables: ["flows"],
  texts: (scenario, value) => [
    KINDS.reduce((now, _, at) => set(now, `flows[${at}].start_jitter`, `"${value}s"`), set(scenario, "duration", `"${SECONDS}s"`)),
  ],
  shown: [0, 0],
  variants: ["", ""],
  claims: Object.fromEntries(KINDS.map((kind) => [kind, share(kind)])),
}; // prettier-ignore
