// What the page shows of runs: figures, numbers, and means over seeds.

import { make } from "../dom";
import { Lines } from "../lines";
import { saveTable } from "../save";
import { figuresOf, type Variant } from "./figures";
import { measuresOf } from "./measures";
import { type Estimate, estimate } from "./statistics";
import type { Tables } from "./tables";
import { written } from "./words";

export const NAMES = ["A", "B"] as const;

/** The figures of one variant or two, laid over each other or side by side. All of them show the same time. */
export class Figures {
  private readonly columns: { readonly place: HTMLElement; readonly lines: Lines }[] = [];
  private shown: readonly (readonly Variant[])[] = [];

  constructor(private readonly place: HTMLElement) {}

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
    this.shown.forEach((some, at) => {
      const figures = figuresOf(some);
      const { lines } = this.columns[at];
      if (!lines.update(figures)) lines.show(figures);
    });
  }

  private made(at: number): { place: HTMLElement; lines: Lines } {
    const place = make("div");
    this.place.append(place);
    const fetch = (range: readonly [number, number]) => Promise.resolve(figuresOf(this.shown[at], range));
    return { place, lines: new Lines(place, fetch, { failed: (error) => console.error(error), zoomed: () => {} }) };
  }
}

const headed = (...names: string[]): HTMLElement =>
  make("thead", {}, make("tr", {}, ...names.map((textContent, at) => make("th", { textContent, scope: "col", className: at > 1 ? "number" : "" }))));

const cell = (textContent: string): HTMLElement => make("td", { textContent, className: "number" });

/** The numbers of the runs, one column for each variant. */
export function numbers(place: HTMLElement, runs: readonly Tables[]): void {
  const measured = runs.map(measuresOf);
  const all = new Map(measured.flat().map((one) => [`${one.what}\n${one.measure}`, one]));
  const rows = [...all.entries()].flatMap(([key, { what, measure, unit }]) => {
    const values = measured.map((some) => some.find((one) => `${one.what}\n${one.measure}` === key)?.value ?? NaN);
    if (!values.some(Number.isFinite)) return [];
    const name = unit ? `${measure} (${unit})` : measure;
    return [make("tr", {}, make("td", { textContent: what }), make("td", { textContent: name }), ...values.map((value) => cell(written(value))))];
  });
  const table = make("table", {}, headed("of", "measure", ...(runs.length > 1 ? NAMES.slice(0, runs.length) : ["value"])), make("tbody", {}, ...rows));
  const scroll = make("div", { className: "scroll" }, table);
  place.replaceChildren(scroll);
  saveTable(table);
}

/** A mean with its interval, of which two digits are enough. */
function interval({ mean, half }: Estimate): string {
  return half > 0 ? `${written(mean)} ± ${written(Number(half.toPrecision(2)))}` : written(mean);
}

/** Means over seeds with 95 % intervals; of two variants, also the difference of the runs with the same seed. */
export function means(place: HTMLElement, runs: readonly (readonly Tables[])[], first: number): void {
  const measured = runs.map((seeds) => seeds.map(measuresOf));
  const all = new Map(measured.flat(2).map((one) => [`${one.what}\n${one.measure}`, one]));
  const rows = [...all.entries()].flatMap(([key, { what, measure, unit }]) => {
    const of = (some: ReturnType<typeof measuresOf>): number => some.find((one) => `${one.what}\n${one.measure}` === key)?.value ?? NaN;
    const values = measured.map((seeds) => seeds.map(of));
    if (!values.flat().some(Number.isFinite)) return [];
    const cells = values.map((some) => cell(interval(estimate(some))));
    if (values.length > 1) {
      const difference = estimate(values[0].map((value, at) => values[1][at] - value));
      const isClear = difference.count > 1 && Math.abs(difference.mean) > difference.half;
      const words = isClear ? (difference.mean > 0 ? "B is higher" : "B is lower") : "no clear difference";
      cells.push(cell(interval(difference)), make("td", { textContent: words, className: isClear ? "clear" : "" }));
    }
    const name = unit ? `${measure} (${unit})` : measure;
    return [make("tr", {}, make("td", { textContent: what }), make("td", { textContent: name }), ...cells)];
  });
  const count = runs[0].length;
  const compared = runs.length > 1 ? [...NAMES, "B − A", ""] : ["mean"];
  const isDrawn = measured.some((seeds) => seeds.some((some) => some.some(({ value }, at) => Number.isFinite(value) && value !== seeds[0][at]?.value)));
  const words = `Means over ${count} seeds, from ${first} to ${first + count - 1}, with 95 % intervals (Student's t).`;
  const caption = isDrawn ? words : `All ${count} seeds give the same numbers, because this scenario draws nothing at random.`;
  const table = make("table", {}, make("caption", { textContent: caption }), headed("of", "measure", ...compared), make("tbody", {}, ...rows));
  place.replaceChildren(make("div", { className: "scroll" }, table));
  saveTable(table);
}
