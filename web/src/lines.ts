// Lines over time of the chosen runs: panels that zoom together, and ask for more detail of where they are zoomed to.

import { make } from "./dom";
import type { Figure } from "./model";
import { Plot } from "./plot";
import { saveable } from "./save";
import { steerable } from "./steer";

type Range = [number, number];

interface Told {
  /** Is told why figures did not come. */
  readonly failed: (error: unknown) => void;
  /** Is told what is zoomed to, or null for all. */
  readonly zoomed: (range: Range | null) => void;
}

/** Milliseconds without a further zoom, after which the detail is asked for. */
const SETTLED = 120;

/** The identifier of a panel, which links lead to. */
export const panelOf = (title: string): string => `panel-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;

export class Lines {
  private readonly plots = new Map<string, Plot>();
  private readonly notes = new Map<string, { element: HTMLElement; whole: string }>();
  private range: Range | null = null;
  private timer = 0;
  private asked = 0;

  /** `fetch` gives the figures of a stretch of time; null if there is no more detail than what is shown. */
  constructor(
    private readonly place: HTMLElement,
    private readonly fetch: ((range: Range) => Promise<readonly Figure[]>) | null,
    private readonly told: Told,
  ) {}

  /** Removes all panels. What is zoomed to is kept for those to come. */
  clear(...instead: Node[]): void {
    this.asked++;
    this.plots.forEach((plot) => plot.remove());
    this.plots.clear();
    this.notes.clear();
    this.place.replaceChildren(...instead);
  }

  show(figures: readonly Figure[]): void {
    // The page keeps its height, so that it does not scroll.
    this.place.style.minHeight = `${this.place.offsetHeight}px`;
    const range = this.range;
    this.clear();
    for (const figure of figures) {
      const element = make("div", { className: "plot" });
      const note = make("p", { className: "source", textContent: figure.note ?? "" });
      const id = panelOf(figure.title);
      this.place.append(make("div", { className: "panel", id }, make("h4", { textContent: figure.title }), element, note));
      const plot = new Plot(element, figure, { sync: "time", zoomed: (now) => this.zoomed(now) });
      saveable(element, plot);
      steerable(element, plot, figure.title);
      if (range) plot.zoom(range);
      this.plots.set(figure.title, plot);
      this.notes.set(figure.title, { element: note, whole: figure.note ?? "" });
    }
    this.place.style.minHeight = "";
    if (range) this.zoomed(range);
  }

  /** Takes newer data of the panels that are shown. Returns whether it could: they have to be the same figures. */
  update(figures: readonly Figure[]): boolean {
    const same = figures.length === this.plots.size && figures.every((one) => this.plots.get(one.title)?.isLike(one));
    if (same) figures.forEach((one) => this.plots.get(one.title)!.update(one));
    return same;
  }

  /** Shows all times again in every panel. */
  whole(): void {
    this.plots.forEach((plot) => plot.zoom(null));
  }

  private zoomed(range: Range | null): void {
    this.range = range;
    this.told.zoomed(range);
    clearTimeout(this.timer);
    if (this.fetch) this.timer = setTimeout(() => void this.refine(), SETTLED);
  }

  private async refine(): Promise<void> {
    const number = ++this.asked;
    const range = this.range;
    if (range === null) {
      this.plots.forEach((plot) => plot.refine(null));
      this.notes.forEach(({ element, whole }) => (element.textContent = whole));
      return;
    }
    let figures: readonly Figure[];
    try {
      figures = await this.fetch!(range);
    } catch (error) {
      this.told.failed(error);
      return;
    }
    if (number !== this.asked) return;
    for (const figure of figures) {
      this.plots.get(figure.title)?.refine(figure);
      const note = this.notes.get(figure.title);
      if (note) note.element.textContent = figure.note ?? "";
    }
  }
}
