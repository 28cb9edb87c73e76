import { numbersOf, tableOf } from "../tables";
import { set } from "../toml";
import type { Done, Study } from "./study";

/** Name, kbit/s, ms one way, packets of one BDP, and ms that a flow takes alone, as the study's package states them. */
const NETWORKS = [["EDGE", 160, 250, 7, 10_500], ["HSPA", 2000, 70, 24, 1400], ["LTE", 50_000, 15, 125, 350]] as const; // prettier-ignore

/** Flows of a burst; those of the claims on few flows, and on many. */
const [FEW, MANY] = [[1, 2], [6, 18]]; // prettier-ignore
const FLOWS = [...FEW, ...MANY];
const WINDOWS = [3, 10] as const;

const BURST = 180_000;
const PAYLOAD = 1460;

interface Cell {
  readonly network: (typeof NETWORKS)[number];
  readonly flows: number;
  readonly window: number;
}

const CELLS: readonly Cell[] = NETWORKS.flatMap((network) => FLOWS.flatMap((flows) => WINDOWS.map((window) => ({ network, flows, window }))));

const placeOf = (name: string, flows: number, window: number): number =>
  CELLS.findIndex((cell) => cell.network[0] === name && cell.flows === flows && cell.window === window);

function text(scenario: string, { network, flows, window }: Cell, part: number): string {
  const [, rate, delay, packets, alone] = network;
  const bytes = Math.ceil(BURST / flows / PAYLOAD) * PAYLOAD;
  let now = set(set(scenario, "bottleneck.rate", `"${rate}kbps"`), "bottleneck.delay", `"${delay}ms"`);
  now = set(now, "bottleneck.queue", `"${packets} packets"`);
  for (const flow of [0, 1]) {
    now = set(now, `flows[${flow}].app`, `{ kind = "transfer", size = "${bytes}B" }`);
    now = set(now, `flows[${flow}].start_jitter`, `"${Math.floor((1500 * 8 * 1000) / rate)}us"`);
    now = set(set(now, `flows[${flow}].count`, String(flows)), `flows[${flow}].initial_window`, String(window));
  }
  return set(set(now, "flows[1].group_jitter", '"0s"'), "flows[1].start", `"${Math.round((part / 100) * alone * 1000)}us"`);
}

/** The mean time of all transfers; one that is not complete has taken until the end of the run. */
function elapsed({ tables }: Done): number {
  const table = tableOf(tables, "transfers")!;
  const [times, starts] = [numbersOf(table, "duration_s"), numbersOf(table, "start_s")];
  return times.reduce((sum, one, at) => sum + (Number.isFinite(one) ? one : 600 - starts[at]), 0) / times.length;
}

/** The change of the mean time from IW3 to IW10 in per cent, geometric over networks and numbers of flows. */
const change = (flows: readonly number[]) => (done: readonly Done[]): number[] => {
  const seeds = [...new Set(done.map(({ seed }) => seed))].sort((a, b) => a - b);
  return seeds.map((seed) => {
    const time = (name: string, count: number, window: number): number =>
      elapsed(done.find((one) => one.seed === seed && one.text === placeOf(name, count, window))!);
    const logs = NETWORKS.flatMap(([name]) => flows.map((count) => Math.log(time(name, count, 10) / time(name, count, 3))));
    return 100 * (Math.exp(logs.reduce((sum, one) => sum + one, 0) / logs.length) - 1);
  });
}; // prettier-ignore

export const iw10: Study = {
  slug: "iw10",
  title: "Initial window 10",
  source: "Järvinen and others, slides at IETF 79",
  question: "Two bursts of short flows meet on a wireless link. Are they faster if each flow begins with ten segments instead of three?",
  shortened: "The study has seven networks with queues, four numbers of flows, 400 seeds and 41 readings. This page has three networks with a queue of one BDP, and 10 seeds.",
  unknown: {
    label: "Start of the later burst", unit: "% of the time of one flow alone", value: 50, least: 0, most: 100, step: 5,
    about: "The slides say that the burst “starts later” and not when. The main reading of the study takes every moment of the first burst alike.",
  },
  seeds: 10,
  tables: ["transfers"],
  texts: (scenario, value) => CELLS.map((cell) => text(scenario, cell, value)),
  shown: [placeOf("HSPA", 2, 3), placeOf("HSPA", 2, 10)],
  variants: ["IW3", "IW10 (HSPA, 2+2 flows)"],
  claims: { "few-faster": change(FEW), "many-slower": change(MANY) },
}; // prettier-ignore
