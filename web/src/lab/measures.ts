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

/** Rows of a table that are measured. */
const MOST = 8;

const KINDS = [["flows", "flow", OF_FLOWS], ["links", "link", OF_LINKS]] as const; // prettier-ignore

export const MEASURED = KINDS.map(([name]) => name);

export function measuresOf(tables: Tables): Measured[] {
  return KINDS.flatMap(([name, by, measures]) => {
    const table = tableOf(tables, name);
    if (table === undefined) return [];
    const names = columnOf(table, by)!;
    const rows = Array.from({ length: Math.min(table.rows, MOST) }, (_, row) => cellOf(names, row));
    const columns = measures.map(({ value }) => value(table));
    // The way back of a link that carries ACKs alone is seldom a question.
    return rows.flatMap((what, row) => measures.map(({ measure, unit }, at) => ({ what, measure, unit, value: columns[at][row] })));
  });
}
