// Figures over time from the tables of one run or two, for the drawing code of all pages.

import type { Colour, Figure, Series } from "../model";
import palette from "./colours.json";
import { columnOf, numbersOf, type Table, type Tables, tableOf } from "./tables";

export interface Variant {
  /** Nothing where there is one variant alone. */
  readonly name: string;
  readonly tables: Tables;
}

export type Range = readonly [number, number];

/** Flows, or links, of a figure. */
const MOST_FLOWS = 6;

/** Stretches of time of a line, each with its lowest and highest point: enough for any screen. */
const STRETCHES = 600;

/** The palette of all figures. */
export const COLOURS: readonly Colour[] = Object.values(palette);

export const NEUTRAL: Colour = { colour: "#5b6470", dark: "#9aa4b0" };

const EVENTS: Readonly<Record<string, readonly [label: string, marker: string]>> = {
  recovery_started: ["loss detected", "v"],
  timeout: ["RTO", "X"],
  ecn_reduction: ["reduction after a mark", "d"],
  delay_reduction: ["reduction by delay", "d"],
  undone: ["undone", "^"],
};

interface Panel {
  readonly title: string;
  readonly y_label: string;
  readonly table: string;
  /** The column that names a line. */
  readonly by: "flow" | "link";
  readonly lines: readonly { readonly column: string; readonly name?: string; readonly unit: number; readonly dotted?: boolean }[];
  readonly x?: string;
  readonly tall?: number;
  readonly events?: boolean;
  /** Rows state a mean over the interval that ends at their time. */
  readonly means?: boolean;
}

const PANELS: readonly Panel[] = [
  { title: "Goodput", y_label: "goodput (Mbit/s)", table: "rates", by: "flow", means: true, lines: [{ column: "goodput_bps", unit: 1e6 }] },
  {
    title: "Congestion window", y_label: "window (kB)", table: "window", by: "flow", events: true,
    lines: [{ column: "cwnd", unit: 1e3 }, { column: "ssthresh", name: "ssthresh", unit: 1e3, dotted: true }],
  },
  { title: "Round-trip time", y_label: "RTT (ms)", table: "window", by: "flow", tall: 0.7, lines: [{ column: "latest_rtt_ms", unit: 1 }] },
  { title: "Queue", y_label: "queue (packets)", table: "queues", by: "link", tall: 0.7, lines: [{ column: "packets", unit: 1 }] },
  {
    title: "Queueing delay", y_label: "delay (ms)", table: "queues", by: "link", tall: 0.7,
    lines: [{ column: "sojourn_ms", unit: 1 }],
  },
  {
    title: "Video: level of each segment", y_label: "level (Mbit/s)", table: "dash_segments", by: "flow", x: "request_s",
    lines: [{ column: "level_bps", unit: 1e6 }],
  },
]; // prettier-ignore

/** The names in a column, in their order. */
function namesOf(table: Table, by: string): string[] {
  const column = columnOf(table, by);
  const used = new Set(column?.values as Int32Array | undefined);
  return (column?.texts ?? []).filter((_, place) => used.has(place));
}

/** Points of a line in a stretch of time, and one more on each side; of many, the lowest and highest of each part. */
function thinned(x: number[], y: (number | null)[], range: Range | null): { x: number[]; y: (number | null)[] } {
  let [first, last] = [0, x.length];
  if (range) {
    first = Math.max(0, x.findIndex((at) => at >= range[0]) - 1);
    const beyond = x.findIndex((at) => at > range[1]);
    last = beyond < 0 ? x.length : beyond + 1;
  }
  if (last - first <= 2 * STRETCHES) return { x: x.slice(first, last), y: y.slice(first, last) };
  const kept: number[] = [];
  const width = (last - first) / STRETCHES;
  for (let part = 0; part < STRETCHES; part++) {
    const [from, to] = [first + Math.floor(part * width), first + Math.floor((part + 1) * width)];
    let [low, high] = [from, from];
    for (let at = from; at < to; at++) {
      if ((y[at] ?? Infinity) < (y[low] ?? Infinity)) low = at;
      if ((y[at] ?? -Infinity) > (y[high] ?? -Infinity)) high = at;
    }
    kept.push(...(low === high ? [low] : low < high ? [low, high] : [high, low]));
  }
  kept.push(last - 1);
  return { x: kept.map((at) => x[at]), y: kept.map((at) => y[at]) };
}

/** Stretches of a whole run whose means are drawn: bursts of a packet or two say nothing of a rate. */
const MEANS = 120;

/** Means over intervals that end at `x`, as steps that hold from the beginning of each: of several intervals where there are many. */
function averaged(x: readonly number[], y: readonly (number | null)[], range: Range | null): { x: number[]; y: (number | null)[]; over: number } {
  if (x.length < 2) return { x: [...x], y: [...y], over: 0 };
  const edges = [2 * x[0] - x[1], ...x];
  const inside = range ? x.filter((at) => at >= range[0] && at <= range[1]).length : x.length;
  const each = Math.max(1, Math.ceil(inside / MEANS));
  const found: { x: number[]; y: (number | null)[]; over: number } = { x: [], y: [], over: each * (x[1] - x[0]) };
  for (let from = 0; from < x.length; from += each) {
    const to = Math.min(x.length, from + each);
    let sum = 0;
    for (let at = from; at < to; at++) sum += (y[at] ?? 0) * (edges[at + 1] - edges[at]);
    found.x.push(edges[from]);
    found.y.push(sum / (edges[to] - edges[from]));
  }
  found.x.push(x[x.length - 1]);
  found.y.push(found.y[found.y.length - 1]);
  return found;
}

/** Marks of events, each flow in a row of its own from the row `first` on. */
function marks(tables: Tables, flows: readonly string[], prefix: string, first: number): Series[] {
  const table = tableOf(tables, "events");
  if (table === undefined) return [];
  const [time, flow, event] = [numbersOf(table, "time_s"), columnOf(table, "flow"), columnOf(table, "event")];
  if (!flow?.texts || !event?.texts) return [];
  return Object.entries(EVENTS).flatMap(([name, [label, marker]]): Series[] => {
    const [x, lane]: [number[], number[]] = [[], []];
    for (let row = 0; row < table.rows; row++) {
      const at = flows.indexOf(flow.texts![flow.values[row] as number]);
      if (at < 0 || event.texts![event.values[row] as number] !== name) continue;
      x.push(time[row]);
      lane.push(first + at);
    }
    if (!x.length) return [];
    return [{ ...NEUTRAL, label: prefix + label, kind: "marks", marker, x, y: x.map(() => null), lane }];
  });
}

/** The figures of runs laid over each other. With a range, the points of that stretch of time in full detail. */
export function figuresOf(variants: readonly Variant[], range: Range | null = null): Figure[] {
  const figures = panelsOf(variants, range);
  if (range) return figures;
  // One instant is at one place in all figures.
  const ends = figures.flatMap(({ series }) => series.flatMap(({ x }) => [x as number[]].flatMap((all) => (all.length ? [all[0], all[all.length - 1]] : []))));
  return figures.map((figure) => ({ ...figure, x_range: [Math.min(...ends), Math.max(...ends)] as const }));
}

/** A colour for each flow and link of each variant, the same in all figures. Of more than there are colours, variants differ in their dashes alone. */
function painter(variants: readonly Variant[]): (name: string, number: number) => Colour {
  const of = (kind: "flow" | "link"): string[] => {
    const tables = PANELS.filter(({ by }) => by === kind).flatMap(({ table }) => variants.flatMap(({ tables }) => tableOf(tables, table) ?? []));
    return [...new Set(tables.flatMap((table) => namesOf(table, kind)))];
  };
  const [flows, links] = [of("flow").slice(0, MOST_FLOWS), of("link").includes("bottleneck") ? ["bottleneck"] : of("link").slice(0, MOST_FLOWS)];
  const names = [flows, links].flatMap((some) => (variants.length * (flows.length + links.length) <= COLOURS.length ? variants.flatMap((_, number) => some.map((name) => `${number} ${name}`)) : some));
  return (name, number) => COLOURS[Math.max(0, names.indexOf(name), names.indexOf(`${number} ${name}`)) % COLOURS.length];
}

function panelsOf(variants: readonly Variant[], range: Range | null): Figure[] {
  const colourOf = painter(variants);
  return PANELS.flatMap((panel): Figure[] => {
    const series: Series[] = [];
    let over = 0;
    const names = [...new Set(variants.flatMap(({ tables }) => {
      const table = tableOf(tables, panel.table);
      return table ? namesOf(table, panel.by) : [];
    }))]; // prettier-ignore
    const wanted = panel.by === "link" && names.includes("bottleneck") ? ["bottleneck"] : names;
    const shown = wanted.slice(0, MOST_FLOWS);
    const prefixOf = (variant: string): string => (variant ? `${variant}: ` : "");
    variants.forEach(({ name: variant, tables }, number) => {
      const table = tableOf(tables, panel.table);
      if (table === undefined) return;
      const by = columnOf(table, panel.by)!;
      const time = numbersOf(table, panel.x ?? "time_s");
      const prefix = prefixOf(variant);
      for (const line of panel.lines) {
        const values = numbersOf(table, line.column);
        shown.forEach((name) => {
          const own = by.texts!.indexOf(name);
          const [x, y]: [number[], (number | null)[]] = [[], []];
          for (let row = 0; row < table.rows; row++) {
            if (by.values[row] !== own) continue;
            x.push(time[row]);
            y.push(Number.isFinite(values[row]) ? values[row] / line.unit : null);
          }
          if (!y.some((value) => value !== null)) return;
          const dash = line.dotted ? [1.2, 1.2] : number ? [6, 3] : undefined;
          const means = panel.means ? averaged(x, y, range) : { x, y, over };
          over = Math.max(over, means.over);
          const label = [prefix + name, line.name].filter(Boolean).join(" ");
          series.push({ ...colourOf(name, number), label, kind: "step", marker: "o", ...thinned(means.x, means.y, range), dash });
        });
      }
      if (panel.events) series.push(...marks(tables, shown, prefix, number * shown.length));
    });
    if (!series.length) return [];
    const left = wanted.length - shown.length;
    const note = [
      left > 0 ? `The first ${shown.length} of ${wanted.length} ${panel.by}s are drawn.` : "",
      over ? `Means over ${Number((1000 * over).toPrecision(3))} ms. Data that waited for a lost packet reach the application together, above the rate of the link.` : "",
    ].filter(Boolean).join(" "); // prettier-ignore
    const lanes = panel.events ? variants.flatMap(({ name }, number) => shown.map((label) => ({ label: prefixOf(name) + label, ...colourOf(label, number) }))) : undefined;
    return [{ title: panel.title, x_label: "time (s)", y_label: panel.y_label, series, tall: panel.tall, from_zero: true, note, lanes }];
  });
}
