// The server of a store: what it answers.

import type { Colour, Figure } from "./model";

export interface Run {
  readonly run: string;
  readonly seed: number;
  /** The values of what was varied, in the order of the names. */
  readonly values: readonly string[];
  /** Numbers of the sweeps that asked for the run. */
  readonly sweeps: readonly number[];
}

export interface State {
  readonly version: string;
  readonly store: string;
  readonly asked: number;
  readonly finished: number;
  readonly failed: number;
  readonly done: number;
  /** What was varied, by its path and in words. */
  readonly names: readonly string[];
  readonly titles: readonly string[];
  readonly sweeps: readonly string[];
  readonly runs: readonly Run[];
  /** The runs to show first. */
  readonly opening: readonly string[];
  readonly tables: readonly string[];
  readonly most: number;
  readonly measures: readonly { readonly measure: string; readonly label: string }[];
}

export interface IntervalRow extends Colour {
  readonly group: string | null;
  readonly label: string;
  readonly hover: string;
  /** Places on the axis, from 0 to 100. */
  readonly at: number;
  readonly bar: readonly [number, number] | null;
  readonly value: string;
  readonly ends: string;
}

export interface Intervals {
  readonly rows: readonly IntervalRow[];
  readonly ticks: readonly { readonly at: number; readonly value: number }[];
  readonly references: readonly (Colour & { readonly at: number; readonly label: string })[];
  readonly x_label: string;
}

export interface Option {
  readonly name: string;
  readonly plot?: Figure;
  readonly intervals?: Intervals;
}

export interface Point {
  readonly values: readonly string[];
  /** The mean of each measure with its interval. */
  readonly numbers: readonly string[];
  readonly runs: readonly { readonly run: string; readonly seed: number }[];
}

/** The question's view of a sweep. */
export interface Question {
  readonly question: string;
  readonly answer: readonly string[];
  readonly details: readonly string[];
  readonly note: string;
  readonly figure: { readonly title: string; readonly caption: string; readonly what: string; readonly options: readonly Option[] } | null;
  readonly axes: readonly string[];
  readonly measures: readonly { readonly measure: string; readonly label: string }[];
  readonly points: readonly Point[];
  /** Points that are not listed. */
  readonly more: number;
}

export interface Bars {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly (number | null)[];
}

async function fetched<T>(address: string): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(address);
  } catch {
    throw new Error("The server does not answer. It may have ended: start `ackclock serve` again, and open the address that it prints.");
  }
  const text = await answer.text();
  if (answer.status === 403) throw new Error(`The server refuses this page: ${text.trim()}.`);
  let content: T & { error?: string };
  try {
    content = JSON.parse(text) as T & { error?: string };
  } catch {
    throw new Error(`The server failed with status ${answer.status}. The terminal of \`ackclock serve\` says why.`);
  }
  if (!answer.ok) throw new Error(content.error);
  return content;
}

/** The state of the store; null if it is the version that is known. */
export async function stateAfter(known: string): Promise<State | null> {
  const state = await fetched<State>(`api/runs?known=${encodeURIComponent(known)}`);
  return "runs" in state ? state : null;
}

export const queryOf = (runs: readonly Run[]): string => `runs=${runs.map((run) => run.run).join(",")}`;

export const barsOf = (runs: readonly Run[], measure: string): Promise<Bars> =>
  fetched(`api/bars?${queryOf(runs)}&of=${encodeURIComponent(measure)}`);

export const questionOf = (sweep: number): Promise<Question> => fetched(`api/question?sweep=${sweep}`);

/** Runs these runs again, with probes. */
export const againOf = (runs: readonly Run[]): Promise<unknown> => fetched(`api/again?${queryOf(runs)}`);

export interface Overlay {
  readonly figures: readonly Figure[];
  /** The flows of all of the runs. */
  readonly flows: readonly string[];
}

/** Lines over all time, or over a stretch of it in more detail, of all flows or of one. */
export const linesOf = (
  runs: readonly Run[],
  range: readonly [number, number] | null,
  flow: string | null,
): Promise<Overlay> => {
  const part = range ? `&from=${range[0]}&to=${range[1]}` : "";
  const one = flow === null ? "" : `&flow=${encodeURIComponent(flow)}`;
  return fetched(`api/lines?${queryOf(runs)}${part}${one}`);
};
