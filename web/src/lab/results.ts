// What the page shows of runs: figures, numbers, and means over seeds.

import { make } from "../dom";
import { Lines } from "../lines";
import type { Figure, Values } from "../model";
import { saveTable } from "../save";
import { figuresOf, type Range, type Variant } from "./figures";
import { type Measured, measuresOf } from "./measures";
import { type Estimate, estimate } from "./statistics";
import type { Tables } from "./tables";
import { interval, written } from "./words";

export const NAMES = ["A", "B"] as const;

/** The tables of a variant, by its number, with all records of a stretch of time. */
export type Detail = (variant: number, range: Range) => Promise<Tables>;

/** The figures of one variant or two, laid over each other or side by side. All of them show the same time. */
export class Figures {
  private readonly columns: { readonly place: HTMLElement; readonly lines: Lines }[] = [];
  private shown: readonly (readonly Variant[])[] = [];

  constructor(
    private readonly place: HTMLElement,
    private readonly detail: Detail,
  ) {}

  show(runs: readonly Tables[], view: "over" | "beside"): void {
    const variants = runs.map((tables, at): Variant => ({ name: runs.length > 1 ? NAMES[at] : "", tables }));
    this.shown = view === "beside" ? variants.map((one) => [one]) : [variants];
    this.place.classList.toggle("beside", this.shown.length > 1);
    while (this.columns.length > this.shown.length) {
      const { place, lines } = this.columns.pop()!;
      lines.clear();
      place.remove();
    }
    while (this.columns.length < this.shown.length) this.columns.push(this.made(this.columns.length));
    const all = levelled(this.shown.map((some) => figuresOf(some)));
    all.forEach((figures, at) => {
      const { lines } = this.columns[at];
      if (!lines.update(figures)) lines.show(figures);
    });
  }

  private made(at: number): { place: HTMLElement; lines: Lines } {
    const place = make("div");
    this.place.append(place);
    const fetch = async (range: Range): Promise<Figure[]> => {
      const variants = this.shown[at].map(async (one, number) => ({ ...one, tables: await this.detail(at + number, range) }));
      return figuresOf(await Promise.all(variants), range);
    };
    return { place, lines: new Lines(place, fetch, { failed: (error) => console.error(error), zoomed: () => {} }) };
  }
}

const headed = (...names: string[]): HTMLElement =>
  make("thead", {}, make("tr", {}, ...names.map((textContent, at) => make("th", { textContent, scope: "col", className: at > 1 ? "number" : "" }))));

const told = ({ mean, half }: Estimate): string => interval(mean, half);

const cell = (textContent: string): HTMLElement => make("td", { textContent, className: "number" });

/** Milliseconds, per cent and so on below which a link is idle. */
const IDLE = 0.01;

/** Figures side by side with one scale: those of one title have room for the highest value of all. */
function levelled(columns: readonly (readonly Figure[])[]): Figure[][] {
  if (columns.length < 2) return columns.map((figures) => [...figures]);
  const highest = ({ series }: Figure): number => series.reduce((top, { y }) => (y as Values).reduce((most: number, value) => Math.max(most, value ?? -Infinity), top), -Infinity);
  const tops = new Map<string, number>();
  for (const figure of columns.flat()) tops.set(figure.title, Math.max(tops.get(figure.title) ?? -Infinity, highest(figure)));
  return columns.map((figures) => figures.map((figure) => ({ ...figure, y_top: tops.get(figure.title) })));
}

interface Row {
  readonly what: string;
  /** The measure with its unit. */
  readonly name: string;
  /** The values of each variant, one for each run. */
  readonly values: readonly (readonly number[])[];
}

/** The rows of tables of numbers, from the runs of each variant. */
function rowsOf(runs: readonly (readonly Tables[])[]): Row[] {
  const key = ({ what, measure }: Measured): string => `${what}\n${measure}`;
  const measured = runs.map((some) => some.map((tables) => new Map(measuresOf(tables).map((one) => [key(one), one]))));
  // All rows of a flow stand together.
  const every = measured.flat().flatMap((one) => [...one]);
  const order = [...new Set(every.map(([, { what }]) => what))];
  const all = new Map(order.flatMap((name) => every.filter(([, { what }]) => what === name)));
  return [...all].flatMap(([of, { what, measure, unit }]): Row[] => {
    const values = measured.map((some) => some.map((one) => one.get(of)?.value ?? NaN));
    // A link that carries ACKs alone has nothing to say.
    const isIdle = what.endsWith(".reverse") && values.flat().every((value) => !(Math.abs(value) >= IDLE));
    if (isIdle || !values.flat().some(Number.isFinite)) return [];
    return [{ what, name: unit ? `${measure} (${unit})` : measure, values }];
  });
}

const named = ({ what, name }: Row): HTMLElement[] => [make("td", { textContent: what }), make("td", { textContent: name })];

/** The numbers of the runs, one column for each variant. */
export function numbers(place: HTMLElement, runs: readonly Tables[]): void {
  const rows = rowsOf(runs.map((one) => [one])).map((row) => make("tr", {}, ...named(row), ...row.values.map(([value]) => cell(written(value)))));
  const table = make("table", {}, headed("flow or link", "measure", ...(runs.length > 1 ? NAMES.slice(0, runs.length) : ["value"])), make("tbody", {}, ...rows));
  const scroll = make("div", { className: "scroll" }, table);
  place.replaceChildren(scroll);
  saveTable(table);
}

/** Means over seeds with 95 % intervals; of two variants, also the difference of the runs with the same seed. */
export function means(place: HTMLElement, runs: readonly (readonly Tables[])[], first: number): void {
  const all = rowsOf(runs);
  const rows = all.map((row) => {
    const { values } = row;
    const cells = values.map((some) => cell(told(estimate(some))));
    if (values.length > 1) {
      const difference = estimate(values[0].map((value, at) => values[1][at] - value));
      const isClear = difference.count > 1 && Math.abs(difference.mean) > difference.half;
      const words = isClear ? (difference.mean > 0 ? "B is higher" : "B is lower") : "no clear difference";
      cells.push(cell(told(difference)), make("td", { textContent: words, className: isClear ? "clear" : "" }));
    }
    return make("tr", {}, ...named(row), ...cells);
  });
  const count = runs[0].length;
  const compared = runs.length > 1 ? [...NAMES, "B − A", ""] : ["mean"];
  const isDrawn = all.some(({ values }) => values.some((some) => some.some((value) => Number.isFinite(value) && value !== some[0])));
  const words = `Means over ${count} seeds, from ${first} to ${first + count - 1}, with 95 % intervals (Student's t).`;
  const caption = isDrawn ? words : `All ${count} seeds give the same numbers, because this scenario draws nothing at random. A field such as start_jitter of a flow, or random loss, makes runs differ.`;
  const table = make("table", {}, make("caption", { textContent: caption }), headed("flow or link", "measure", ...compared), make("tbody", {}, ...rows));
  place.replaceChildren(make("div", { className: "scroll" }, table));
  saveTable(table);
}
