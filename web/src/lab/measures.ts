// The few numbers of a run that the page compares, by flow and by link.

import { cellOf, columnOf, numbersOf, type Table, type Tables, tableOf } from "./tables";

export interface Measured {
  readonly what: string;
  readonly measure: string;
  readonly unit: string;
  readonly value: number;
}

interface Measure {
  readonly measure: string;
  readonly unit: string;
  readonly value: (table: Table) => Float64Array;
}

const column = (name: string, unit = 1) => (table: Table) => numbersOf(table, name).map((value) => value / unit);

const OF_FLOWS: readonly Measure[] = [
  { measure: "goodput", unit: "Mbit/s", value: column("goodput_bps", 1e6) },
  {
    measure: "retransmitted", unit: "%",
    value: (table) => {
      const sent = numbersOf(table, "data_segments_sent");
      return numbersOf(table, "retransmits").map((value, at) => (100 * value) / sent[at]);
    },
  },
  { measure: "timeouts", unit: "", value: column("timeouts") },
  { measure: "smoothed RTT at the end", unit: "ms", value: column("srtt_ms") },
]; // prettier-ignore

const OF_LINKS: readonly Measure[] = [
  { measure: "utilisation", unit: "%", value: column("utilisation", 0.01) },
  { measure: "dropped", unit: "%", value: column("drop_rate", 0.01) },
  { measure: "queueing delay, mean", unit: "ms", value: column("queue_delay_mean_ms") },
  { measure: "queueing delay, 95th percentile", unit: "ms", value: column("queue_delay_p95_ms") },
];

const OF_CALLS: readonly Measure[] = [
  { measure: "opinion score (1 to 4.4)", unit: "", value: column("mos") },
  { measure: "mouth-to-ear delay", unit: "ms", value: column("mouth_to_ear_ms") },
  { measure: "speech lost or late", unit: "%", value: column("loss", 0.01) },
];

const OF_VIDEO_CALLS: readonly Measure[] = [
  { measure: "frozen", unit: "s", value: column("freeze_s") },
  { measure: "freezes", unit: "", value: column("freezes") },
  { measure: "delay of frames, 95th percentile", unit: "ms", value: column("frame_delay_p95_ms") },
  { measure: "rate of the video", unit: "Mbit/s", value: column("received_bps", 1e6) },
];

const OF_VIDEOS: readonly Measure[] = [
  { measure: "video level, mean", unit: "Mbit/s", value: column("mean_level_bps", 1e6) },
  { measure: "stalls", unit: "", value: column("stalls") },
  { measure: "time stalled", unit: "s", value: column("stall_s") },
  { measure: "startup", unit: "s", value: column("startup_s") },
];

const OF_COMPLETIONS: readonly Measure[] = [
  { measure: "completion time, median", unit: "s", value: column("p50_s") },
  { measure: "completion time, 95th percentile", unit: "s", value: column("p95_s") },
];

const OF_DELAYS: readonly Measure[] = [
  { measure: "one-way delay, median", unit: "ms", value: column("p50_ms") },
  { measure: "one-way delay, 95th percentile", unit: "ms", value: column("p95_ms") },
];

/** Rows of a table that are measured. */
const MOST = 8;

/** Each table, the column that names a row, its measures, and the column of what a row counts, where a name has several. */
const KINDS: readonly (readonly [table: string, by: string, measures: readonly Measure[], kind?: string])[] = [
  ["voip", "flow", OF_CALLS], ["call", "flow", OF_VIDEO_CALLS], ["dash", "flow", OF_VIDEOS], ["completions", "flow", OF_COMPLETIONS, "what"],
  ["flows", "flow", OF_FLOWS], ["delays", "flow", OF_DELAYS], ["links", "link", OF_LINKS],
]; // prettier-ignore

export const MEASURED = KINDS.map(([name]) => name);

export function measuresOf(tables: Tables): Measured[] {
  return KINDS.flatMap(([name, by, measures, kind]) => {
    const table = tableOf(tables, name);
    if (table === undefined) return [];
    const [names, kinds] = [columnOf(table, by)!, kind ? columnOf(table, kind) : undefined];
    const columns = measures.map(({ value }) => value(table));
    return Array.from({ length: Math.min(table.rows, MOST) }, (_, row) => {
      const of = kinds ? `${cellOf(kinds, row)}: ` : "";
      return measures.map(({ measure, unit }, at) => ({ what: cellOf(names, row), measure: of + measure, unit, value: columns[at][row] }));
    }).flat();
  });
}
