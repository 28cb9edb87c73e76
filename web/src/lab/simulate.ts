// One run of a scenario, from its text to its tables.

import { joined } from "./bytes";
import { failed } from "./control";
import { engine, type Part, type Simulation } from "./module";
import type { Column, Kind, Table, Tables } from "./tables";

export interface Problem {
  /** Path of the field; empty if the text could not be parsed at all. */
  readonly path: string;
  readonly line: number | null;
  readonly message: string;
}

/** What is known of a scenario before its run. */
export interface Checked {
  readonly canonical: Record<string, unknown>;
  readonly hash: string;
  readonly seed: number;
  readonly duration_s: number;
  readonly packets: number;
  readonly rows: number;
  /** Bytes that a run is expected to take. */
  readonly memory: number;
}

export type Override = readonly [path: string, value: string];

export interface Request {
  readonly text: string;
  readonly overrides: readonly Override[];
  readonly seed: number;
  /** Names of the tables that are wanted; all of them if it is absent. */
  readonly tables?: readonly string[];
  /** Events between two looks at the clock; fewer where rules of the reader are called. */
  readonly events?: number;
}

/** Mistakes in a scenario. */
export class ScenarioError extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map((one) => one.message).join("; "));
  }
}

/** Events between two looks at the clock: some milliseconds of work. */
const EVENTS = 20_000;

/** Milliseconds between two reports of progress. */
const REPORTED = 100;

/** The engine throws texts: problems in JSON, or the message of a panic. */
function told<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof engine().Failure) throw failed(error);
    if (typeof error !== "string") throw error;
    if (!error.startsWith('{"problems"')) throw new Error(error);
    throw new ScenarioError((JSON.parse(error) as { problems: Problem[] }).problems);
  }
}

export function check(text: string, overrides: readonly Override[]): Checked {
  return told(() => JSON.parse(engine().check(text, JSON.stringify(overrides))) as Checked);
}

/** Handles all events of a run, and gives its results. `between` is called from time to time. */
function finished(run: Simulation, { events }: Request, between: () => void): ReturnType<Simulation["finish"]> {
  let reported = performance.now();
  while (run.step(events ?? EVENTS)) {
    const now = performance.now();
    if (now - reported < REPORTED) continue;
    between();
    reported = now;
  }
  return run.finish();
}

export function simulate(request: Request, progress: (done: number) => void): Tables {
  return told(() => {
    const run = new (engine().Simulation)(request.text, JSON.stringify(request.overrides), BigInt(request.seed));
    const results = finished(run, request, () => progress(run.done()));
    const listed = JSON.parse(results.tables()) as { name: string; rows: number; columns: { name: string; kind: Kind }[] }[];
    const found = listed
      .filter(({ name }) => request.tables?.includes(name) ?? true)
      .map(({ name, rows, columns }): Table => {
        const filled = columns.map((column): Column => ({ ...column, ...results.column(name, column.name) }));
        return { name, rows, columns: filled };
      });
    results.free();
    return found;
  });
}

/** What is traced: packets at places by name, as pcapng, and each end of each connection, as qlog. */
export interface Traced {
  readonly captures: readonly string[];
  readonly qlog: boolean;
}

/** Runs a scenario for its traces: the files, by their names. */
export function trace(request: Request, { captures, qlog }: Traced, progress: (done: number) => void): Map<string, Uint8Array<ArrayBuffer>> {
  return told(() => {
    const { text, overrides, seed } = request;
    const run = engine().Simulation.traced(text, JSON.stringify(overrides), BigInt(seed), captures, qlog);
    const parts = new Map<string, Uint8Array[]>();
    const take = (from: { take_traces(): readonly Part[] }): void => {
      for (const [file, bytes] of from.take_traces()) {
        const known = parts.get(file);
        if (known) known.push(bytes);
        else parts.set(file, [bytes]);
      }
    };
    const results = finished(run, request, () => {
      take(run);
      progress(run.done());
    });
    take(results);
    results.free();
    return new Map([...parts].map(([file, given]) => [file, joined(given)] as const));
  });
}
