import { columnOf, numbersOf, tableOf } from "../tables";
import { set } from "../toml";
import type { Done, Study } from "./study";

const [NEWRENO, NEWCWV, PACED] = [0, 1, 2];

const SPREAD = "{ kind = \"fq\", slow_start_percent = 100, avoidance_percent = 100 }";

/** The settings of each variant, as the study's package states them. */
const VARIANTS: readonly Readonly<Record<string, string>>[] = [
  { validation: '"rfc2861-linux"', pacing: '"off"' },
  { validation: '"newcwv-2014"', pacing: '"off"', frto: "false" },
  { validation: '"newcwv-2014"', pacing: SPREAD, frto: "false" },
];

const of = (done: readonly Done[], variant: number, read: (one: Done) => number): number[] =>
  done.filter(({ text }) => text === variant).sort((a, b) => a.seed - b.seed).map(read); // prettier-ignore

const level = ({ tables }: Done): number => numbersOf(tableOf(tables, "dash")!, "mean_level_bps")[0] / 1e3;

function drops({ tables }: Done): number {
  const links = tableOf(tables, "links")!;
  const place = (columnOf(links, "link")!.texts ?? []).indexOf("bottleneck");
  return numbersOf(links, "drops")[Array.from(columnOf(links, "link")!.values as Int32Array).indexOf(place)];
}

const change = (read: (one: Done) => number, variant: number, against: number) => (done: readonly Done[]): number[] => {
  const other = of(done, against, read);
  return of(done, variant, read).map((value, at) => 100 * (value / other[at] - 1));
}; // prettier-ignore

const more = (read: (one: Done) => number, variant: number, against: number) => (done: readonly Done[]): number[] => {
  const other = of(done, against, read);
  return of(done, variant, read).map((value, at) => value - other[at]);
}; // prettier-ignore

export const newcwvDash: Study = {
  slug: "newcwv-dash",
  title: "newCWV for DASH",
  source: "Nazir and others, IETF 89 and NOSSDAV 2014",
  question: "A video client pauses between segments. Does the viewer get more bits if TCP keeps its window over a pause?",
  shortened: "The study runs 640 s with 30 seeds and 240 readings of what is unknown. This page runs 10 seeds and one reading at a time.",
  unknown: {
    label: "Delay of the link, one way", unit: "ms", value: 100, least: 100, most: 200, step: 10,
    about: "The slides say “delay 200 ms” of the link and “a 200ms TCP flow” of the traffic. 100 ms one way is a round trip of 200 ms, the main reading; 200 ms is the other reading.",
  },
  seeds: 10,
  tables: ["dash", "links"],
  texts: (scenario, value) =>
    VARIANTS.map((settings) => {
      const text = set(scenario, "bottleneck.delay", `"${value}ms"`);
      return Object.entries(settings).reduce((now, [key, own]) => set(now, `flows[0].${key}`, own), text);
    }),
  shown: [NEWRENO, PACED],
  variants: ["NewReno", "newCWV with pacing"],
  claims: {
    "newreno-segment-rate": (done) => of(done, NEWRENO, level),
    "newcwv-segment-rate": (done) => of(done, NEWCWV, level),
    "newcwv-pacing-segment-rate": (done) => of(done, PACED, level),
    "newcwv-lowers": change(level, NEWCWV, NEWRENO),
    "pacing-raises": change(level, PACED, NEWRENO),
    "newcwv-burst-losses": more(drops, NEWCWV, NEWRENO),
    "pacing-removes-losses": more(drops, PACED, NEWCWV),
  },
}; // prettier-ignore
