// What lessons read of a run.

import { cellOf, columnOf, numbersOf, type Tables, tableOf } from "../tables";

/** Times and values of a flow's column, in the order of time. */
export function over(tables: Tables, name: string, flow: string, column: string): { time: number[]; value: number[] } {
  const table = tableOf(tables, name);
  const found = { time: [] as number[], value: [] as number[] };
  if (table === undefined) return found;
  const [flows, times, values] = [columnOf(table, "flow")!, numbersOf(table, "time_s"), numbersOf(table, column)];
  for (let row = 0; row < table.rows; row++) {
    if (cellOf(flows, row) !== flow) continue;
    found.time.push(times[row]);
    found.value.push(values[row]);
  }
  return found;
}

/** A number of a flow or a link over the whole run. */
export function of(tables: Tables, name: "flows" | "links", key: string, column: string): number {
  const table = tableOf(tables, name)!;
  const keys = columnOf(table, name === "flows" ? "flow" : "link")!;
  const row = Array.from({ length: table.rows }, (_, at) => cellOf(keys, at)).indexOf(key);
  return row < 0 ? NaN : numbersOf(table, column)[row];
}

/** Mbit/s of a flow between two times; needs the table `rates`. */
export function goodput(tables: Tables, flow: string, from: number, to: number): number {
  const { time, value } = over(tables, "rates", flow, "bytes_delivered");
  // A row counts the bytes since the row before it.
  const bytes = value.filter((_, at) => time[at] > from && time[at] <= to).reduce((sum, one) => sum + one, 0);
  return (8 * bytes) / (to - from) / 1e6;
}

/** Times at which a flow had an event. */
export function times(tables: Tables, flow: string, event: string): number[] {
  const table = tableOf(tables, "events");
  if (table === undefined) return [];
  const [flows, events, at] = [columnOf(table, "flow")!, columnOf(table, "event")!, numbersOf(table, "time_s")];
  return Array.from(at).filter((_, row) => cellOf(flows, row) === flow && cellOf(events, row) === event);
}

/** Bytes of a full packet on the wire. */
export const PACKET = 1500;
/** Bytes of payload in it: 40 of headers, and 12 of timestamps. */
export const PAYLOAD = 1448;

/** The bandwidth-delay product in packets, of Mbit/s and milliseconds. */
export const bdp = (rate: number, rtt: number): number => (rate * 1e6 * rtt * 1e-3) / 8 / PACKET;
