// A lesson: a question with numbers that the reader chooses, a prediction, a run, and the explanation with these numbers.

import type { Tables } from "../tables";

/** A number that the reader chooses before the run. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
}

export type Given = Readonly<Record<string, number>>;

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

export interface Explanation {
  /** What theory says and what the run gave, beside the prediction. */
  readonly rows: readonly Row[];
  readonly words: readonly string[];
}

export interface Lesson {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** What has to be known for a prediction. */
  readonly about: readonly string[];
  readonly fields: readonly Field[];
  /** The number that is predicted. */
  readonly guess: { readonly label: string; readonly unit: string; readonly least: number; readonly most: number };
  /** The scenarios of the run, one or two. */
  readonly texts: (given: Given) => readonly string[];
  /** The program of the congestion control that the scenarios name. */
  readonly code?: (given: Given) => string;
  readonly explain: (runs: readonly Tables[], given: Given) => Explanation;
  /** What to change next. */
  readonly next: readonly string[];
}
