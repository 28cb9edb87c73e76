// What runs record over time for the figures, besides what their scenarios record.

import type { Checked, Override } from "./simulate";

/** Rows of a figure's line, for scenarios that do not state the interval of their probes. */
const ROWS = 1000;

/** What the figures need besides what the scenario records. */
export function probesOf({ canonical, duration_s }: Checked): Override[] {
  const probes = (canonical.probes ?? {}) as Record<string, unknown>;
  const names = ["window", "rates", "queues"].filter((name) => probes[name] !== true);
  const found = names.map((name): Override => [`probes.${name}`, "true"]);
  if (names.length === 3) found.push(["probes.interval", `${Math.max(1, Math.ceil((1000 * duration_s) / ROWS))}ms`]);
  return found;
}

/** Tables that a zoom shows in detail. Goodput over less than some round-trip times would be bursts alone. */
export const FINE = ["window", "events", "queues"];

/** The same run with all that happens in a stretch of time, and a little more on both sides. */
export function stretchOf(overrides: readonly Override[], from: number, to: number, end: number): Override[] {
  const margin = 0.05 * (to - from);
  const ns = (seconds: number): string => `${Math.round(1e9 * Math.min(end, Math.max(0, seconds)))}ns`;
  const kept = overrides.filter(([path]) => path !== "probes.interval");
  const interval = `${Math.max(1, Math.floor((1e9 * (to - from)) / ROWS))}ns`;
  const probes: Override[] = [["probes.window", "true"], ["probes.queues", "true"], ["probes.rates", "false"]];
  return [...kept, ...probes, ["probes.interval", interval], ["probes.from", ns(from - margin)], ["probes.to", ns(to + margin)]];
}
