// The question's view of a store: the question of a sweep, its answer, the first figure, and its points with their runs.

import { byId, make } from "./dom";
import { Plot } from "./plot";
import { saveable, saveTable } from "./save";
import { steerable } from "./steer";
import { failure, type Waiting } from "./waiting";
import { type IntervalRow, type Intervals, type Option, type Point, type Question, questionOf, type State } from "./store";

const both = ({ colour, dark }: { colour: string; dark: string }): string => `light-dark(${colour}, ${dark})`;
const percent = (at: number): string => `${at.toFixed(3)}%`;

function rowOf(row: IntervalRow, { ticks, references }: Intervals): HTMLElement[] {
  const track = make("span", { className: "track" });
  for (const { at } of ticks) track.append(placed("i", "tick", at));
  for (const one of references) {
    const line = placed("i", "reference", one.at);
    line.style.borderColor = both(one);
    track.append(line);
  }
  if (row.bar) {
    const bar = placed("b", "bar", row.bar[0]);
    bar.style.right = `calc(100% - ${percent(row.bar[1])})`;
    bar.style.background = both(row);
    track.append(bar);
  }
  const dot = placed("b", "dot", row.at);
  dot.style.background = both(row);
  track.append(dot);
  const value = make("span", { className: "value" }, `${row.value} `, make("small", { textContent: row.ends }));
  const line = make("div", { className: "row", title: row.hover }, make("span", { className: "label", textContent: row.label }), track, value);
  return row.group ? [make("h4", { className: "group", textContent: row.group }), line] : [line];
}

function placed(kind: "i" | "b" | "span", className: string, at: number): HTMLElement {
  const element = make(kind, { className });
  element.style.left = percent(at);
  return element;
}

/** Intervals one below the other, as in a report. */
function intervalsOf(data: Intervals): HTMLElement {
  const axis = make("span", { className: "track" });
  for (const { at, value } of data.ticks) {
    const tick = placed("span", "", at);
    tick.textContent = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 }).format(value);
    axis.append(tick);
  }
  return make(
    "div",
    { className: "intervals" },
    ...data.rows.flatMap((row) => rowOf(row, data)),
    make("div", { className: "row axis" }, make("span"), axis, make("span")),
    make("p", { className: "axis-label", textContent: data.x_label }),
  );
}

export class Questions {
  private readonly place = byId("question");
  private sweep = -1;
  private shown = "";
  private asked = 0;
  private plots: Plot[] = [];

  /** `choose` shows the runs of a point. */
  constructor(
    private readonly choose: (runs: readonly string[]) => void,
    private readonly waiting: Waiting,
  ) {}

  /** Shows the question of the sweep that was chosen, or of the last one. A version that is shown is not asked for again. */
  follow(state: State): void {
    if (!state.sweeps.length || !state.done) return;
    if (this.sweep < 0 || this.sweep >= state.sweeps.length) this.sweep = state.sweeps.length - 1;
    const key = `${state.version} ${this.sweep}`;
    if (key === this.shown) return;
    this.shown = key;
    this.list(state);
    const number = ++this.asked;
    const count = `${state.done} ${state.done === 1 ? "run" : "runs"}`;
    this.waiting.until(`Computing the means and intervals of ${count}.`, questionOf(this.sweep)).then(
      (question) => number === this.asked && this.show(question),
      (error: unknown) => {
        if (number !== this.asked) return;
        this.shown = "";
        byId("failed").replaceChildren(failure(error, () => this.follow(state)));
      },
    );
  }

  private list(state: State): void {
    const select = make("select", {}, ...state.sweeps.map((textContent, at) => make("option", { value: String(at), textContent })));
    select.value = String(this.sweep);
    select.addEventListener("change", () => {
      this.sweep = Number(select.value);
      this.follow(state);
    });
    byId("sweeps").replaceChildren(...(state.sweeps.length > 1 ? [make("label", {}, "sweep ", select)] : []));
  }

  private show(question: Question): void {
    byId("failed").replaceChildren();
    this.place.hidden = false;
    byId("asked").textContent = question.question;
    const { answer, details, note } = question;
    const told: HTMLElement[] = answer.length > 1 ? [make("ul", {}, ...answer.map((textContent) => make("li", { textContent })))] : answer.map((textContent) => make("p", { textContent }));
    if (details.length) told.push(make("details", {}, make("summary", { textContent: "Each setting" }), make("ul", {}, ...details.map((textContent) => make("li", { textContent })))));
    byId("answer").replaceChildren(...told);
    byId("certain").replaceChildren(...(note ? [make("p", { className: "source", textContent: note })] : []));
    this.draw(question);
    this.points(question);
  }

  private draw({ figure }: Question): void {
    const place = byId("first");
    this.plots.forEach((plot) => plot.remove());
    this.plots = [];
    if (!figure || !figure.options.length) return place.replaceChildren();
    const body = make("div");
    const option = (one: Option): void => {
      this.plots.forEach((plot) => plot.remove());
      this.plots = [];
      if (one.intervals) return body.replaceChildren(intervalsOf(one.intervals));
      const element = make("div", { className: "plot" });
      body.replaceChildren(element);
      const plot = new Plot(element, one.plot!);
      saveable(element, plot);
      steerable(element, plot, figure.title);
      this.plots = [plot];
    };
    const select = make("select", {}, ...figure.options.map(({ name }) => make("option", { textContent: name })));
    select.addEventListener("change", () => option(figure.options[select.selectedIndex]));
    const choice = figure.options.length > 1 ? [make("p", { className: "controls" }, make("label", {}, `${figure.what} `, select))] : [];
    place.replaceChildren(make("h3", { textContent: figure.title }), ...choice, body, make("div", { className: "caption" }, make("p", { textContent: figure.caption })));
    option(figure.options[0]);
  }

  private points({ axes, measures, points, more }: Question): void {
    const heads = [...(axes.length ? axes : ["point"]), "runs", ...measures.map((one) => one.label)];
    const row = (point: Point): HTMLElement => {
      const name = point.values.join(", ") || "all";
      const button = make("button", { type: "button", textContent: String(point.runs.length), disabled: !point.runs.length });
      button.ariaLabel = `Show the ${point.runs.length} runs of ${name}`;
      button.addEventListener("click", () => this.choose(point.runs.map((one) => one.run)));
      const values = (point.values.length ? point.values : ["all"]).map((textContent) => make("td", { textContent }));
      return make("tr", {}, ...values, make("td", {}, button), ...point.numbers.map((textContent) => make("td", { className: "number", textContent })));
    };
    const top = make("tr", {}, ...heads.map((textContent, at) => make("th", { textContent, scope: "col", className: at > axes.length ? "number" : "" })));
    const table = make("table", {}, make("thead", {}, top), make("tbody", {}, ...points.map(row)));
    byId("points").replaceChildren(table, ...(more ? [make("p", { className: "source", textContent: `${more} further points are not listed.` })] : []));
    saveTable(table);
  }
}
