// Lines over time of the chosen runs: panels that zoom together, and ask for more detail of where they are zoomed to.

import { make } from "./dom";
import type { Figure } from "./model";
import { Plot } from "./plot";
import { saveable } from "./save";

type Range = [number, number];

/** Milliseconds without a further zoom, after which the detail is asked for. */
const SETTLED = 120;

export class Lines {
  private readonly plots = new Map<string, Plot>();
  private readonly notes = new Map<string, { element: HTMLElement; whole: string }>();
  private range: Range | null = null;
  private timer = 0;
  private asked = 0;

  /** `fetch` gives the figures of a stretch of time; `failed` is told why it did not. */
  constructor(
    private readonly place: HTMLElement,
    private readonly fetch: (range: Range) => Promise<readonly Figure[]>,
    private readonly failed: (error: unknown) => void,
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
      this.place.append(make("div", { className: "panel" }, make("h4", { textContent: figure.title }), element, note));
      const plot = new Plot(element, figure, { sync: "time", zoomed: (now) => this.zoomed(now) });
      saveable(element, plot);
      if (range) plot.zoom(range);
      this.plots.set(figure.title, plot);
      this.notes.set(figure.title, { element: note, whole: figure.note ?? "" });
    }
    this.place.style.minHeight = "";
    if (range) this.zoomed(range);
  }

  private zoomed(range: Range | null): void {
    this.range = range;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refine(), SETTLED);
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
      figures = await this.fetch(range);
    } catch (error) {
      this.failed(error);
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
