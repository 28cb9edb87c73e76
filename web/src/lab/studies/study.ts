// A study in the page: what was published, what the study on record measured, and a shortened run with a slider for what is unknown.

import type { Tables } from "../tables";

/** A number of a claim on record, with its 95 % interval over replications. */
export interface Recorded {
  readonly statement: string;
  readonly published: number | string;
  readonly unit: string;
  readonly measured: number;
  readonly ci: readonly [number, number];
  readonly n: number;
  readonly verdict: string;
}

/** What the study's folder has: the text of its scenario, and its claims. */
export interface Sources {
  readonly scenario: string;
  readonly claims: Readonly<Record<string, Recorded>>;
}

/** A setting that the source does not state. */
export interface Unknown {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly step: number;
  /** What is known of the setting. */
  readonly about: string;
}

/** A run: the place of its text among those of the study, its seed, and its tables. */
export interface Done {
  readonly text: number;
  readonly seed: number;
  readonly tables: Tables;
}

export interface Study {
  readonly slug: string;
  readonly title: string;
  readonly source: string;
  readonly question: string;
  /** What is shorter here than in the study. */
  readonly shortened: string;
  readonly unknown: Unknown;
  readonly seeds: number;
  /** The tables that the measures need. */
  readonly tables: readonly string[];
  /** Every scenario of the study in the page. */
  readonly texts: (scenario: string, value: number) => readonly string[];
  /** The places of the two that the figures show. */
  readonly shown: readonly [number, number];
  readonly variants: readonly [string, string];
  /** The numbers of each claim, one for each seed. */
  readonly claims: Readonly<Record<string, (done: readonly Done[]) => readonly number[]>>;
  readonly digits?: number;
}
