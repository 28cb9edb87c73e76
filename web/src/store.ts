// The server of a store: what it answers.

import type { Figure } from "./model";

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
  readonly names: readonly string[];
  readonly sweeps: readonly string[];
  readonly runs: readonly Run[];
  /** The runs to show first. */
  readonly opening: readonly string[];
  readonly tables: readonly string[];
  readonly most: number;
  readonly measures: readonly string[];
}

export interface Bars {
  readonly unit: string;
  readonly values: readonly (number | null)[];
}

async function fetched<T>(address: string): Promise<T> {
  const answer = await fetch(address);
  const content = (await answer.json()) as T & { error?: string };
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
