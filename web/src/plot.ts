// Draws a figure with uPlot. It takes figures as data and knows no server.

import uPlot from "uplot";
import { below, drawBands, drawBars, drawIntervals, drawMarkers, drawMarks, drawSpans, LANE, type Shade } from "./layers";
import { glyphOf } from "./markers";
import { type Colour, type Drawable, drawable, type Figure, type Line } from "./model";

export interface Options {
  /** Plots of one key show the same place under the mouse, and zoom together. */
  readonly sync?: string;
  /** Is told the range of x that was zoomed to, or null for all of it. */
  readonly zoomed?: (range: [number, number] | null) => void;
}

export interface Theme {
  readonly dark: boolean;
  readonly ink: string;
  readonly line: string;
  readonly font: string;
}

const night = matchMedia("(prefers-color-scheme: dark)");
const plots = new Set<Plot>();
night.addEventListener("change", () => plots.forEach((plot) => plot.redraw()));

const variable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The page's colours as they are now. */
const PAGE = (): Theme => ({
  dark: night.matches,
  ink: variable("--ink"),
  line: variable("--line"),
  font: "12px system-ui, sans-serif",
});

/** The colours of what is saved, for paper. */
export const PAPER = (): Theme => ({ dark: false, ink: "#1b1f24", line: "#d5dae0", font: "12px Helvetica, Arial, sans-serif" });

/**
 * The place of the value that holds at a place where another series has a point: the last one of steps, the nearest one
 * of everything else. In a gap there is none.
 */
function nearest(u: uPlot, index: number, at: number, isStep: boolean): number {
  const x = u.data[0];
  const y = u.data[index];
  const known = (value: number | null | undefined): boolean => value !== undefined;
  if (index === 0 || known(y[at])) return at;
  let left = at;
  let right = at;
  while (left >= 0 && !known(y[left])) left--;
  while (right < y.length && !known(y[right])) right++;
  if (left < 0 && right >= y.length) return at;
  if (right >= y.length || (isStep && left >= 0)) return left;
  if (left < 0) return right;
  return x[at] - x[left] <= x[right] - x[at] ? left : right;
}

/** A range of y for all that is in view. */
function yRange(figure: Drawable): uPlot.Range.Function {
  const lanes = figure.series.some((line) => line.kind === "marks" || line.kind === "spans") ? (figure.lanes?.length ?? 1) : 0;
  return (u, given, end) => {
    if (figure.y_names) return [-0.5, figure.y_names.length - 0.5];
    let [low, high] = [given ?? Infinity, end ?? -Infinity];
    const [from, to] = [u.scales.x.min ?? -Infinity, u.scales.x.max ?? Infinity];
    const take = (value: number | null | undefined): void => {
      if (value == null) return;
      low = Math.min(low, value);
      high = Math.max(high, value);
    };
    for (const line of figure.series) {
      const first = below(line.x, from);
      // Steps hold their last value.
      if (line.kind === "step") take(line.y[first - 1]);
      if (line.low === undefined) continue;
      for (let at = first; at < line.x.length && line.x[at] <= to; at++) {
        take(line.low[at]);
        take(line.high?.[at]);
      }
    }
    if (low > high) return [0, 1];
    const isWhole = figure.x_range !== undefined && from <= figure.x_range[0] && to >= figure.x_range[1];
    if (isWhole && figure.y_top !== undefined) high = Math.max(high, figure.y_top);
    if (figure.from_zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
    const pad = 0.05 * (high - low || Math.abs(high) || 1);
    // What is never below zero has no room there.
    const bottom = low >= 0 ? Math.max(0, low - pad) : low - pad;
    const top = figure.from_zero && high === 0 && low < 0 && !lanes ? 0 : high + pad;
    // Rows of events have room of their own.
    const share = Math.min(0.5, (lanes * LANE) / Math.max(80, u.height - 70));
    return [bottom, top + ((top - bottom) * share) / (1 - share)];
  };
}

/**
 * The whole range, with room for marks at its ends, or what was zoomed to: uPlot asks again whenever it draws, and gives
 * what it has been told before.
 */
function xRange(figure: Drawable): uPlot.Range.Function {
  const marked = figure.series.some((line) => ["interval", "points", "band"].includes(line.kind));
  // Panels that share a range share it to the pixel.
  const pad = marked && figure.x_range === undefined ? 0.02 : 0;
  return (u, low, high) => {
    const all = u.data[0];
    if (low == null) return [0, 1];
    if (low !== all[0] || high !== all[all.length - 1]) return [low, high];
    const [from, to] = figure.x_range ?? [low, high];
    return [from - pad * (to - from || 1), to + pad * (to - from || 1)];
  };
}

/**
 * A value holds until the next; null begins a gap, and undefined is where only other series have a point. uPlot's own
 * steps leave out what holds up to a gap.
 */
const steps: uPlot.Series.PathBuilder = (u, index, first, last) => {
  const [x, y] = [u.data[0], u.data[index] as (number | null | undefined)[]];
  const stroke = new Path2D();
  const fill = new Path2D();
  const floor = u.valToPos(0, "y", true);
  // What holds at the edges of the view may have begun, or may end, beyond them.
  while (first > 0 && y[first] === undefined) first--;
  while (last < y.length - 1 && y[last] === undefined) last++;
  let held: number | null = null;
  let right = 0;
  for (let at = first; at <= last; at++) {
    const value = y[at];
    if (value === undefined) continue;
    right = u.valToPos(x[at], "x", true);
    const level: number | null = value === null ? null : u.valToPos(value, "y", true);
    if (held !== null) {
      stroke.lineTo(right, held);
      fill.lineTo(right, held);
    }
    if (level !== null) {
      if (held === null) {
        stroke.moveTo(right, level);
        fill.moveTo(right, floor);
      } else stroke.lineTo(right, level);
      fill.lineTo(right, level);
    } else if (held !== null) fill.lineTo(right, floor);
    held = level;
  }
  if (held !== null) fill.lineTo(right, floor);
  return { stroke, fill: u.series[index].fill ? fill : null };
};

const noPath: uPlot.Series.PathBuilder = () => null;

const rounded = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));
const written = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 }).format;

const isEvent = (line: Line): boolean => line.kind === "marks" || line.kind === "spans";

/** A value in the legend: nothing while no place is pointed at, and a dash where the series has none. */
function told(figure: Drawable, line: Line): uPlot.Series["value"] {
  return (_u: uPlot, value: number | null | undefined, _series: number, place?: number | null) => {
    if (place == null || isEvent(line)) return "";
    if (value == null) return "-";
    return figure.y_names?.[value] ?? rounded(value, 5);
  };
}

/**
 * The places of the values between two gaps, which no line shows. null is a gap, and undefined is where only other series
 * have a point.
 */
const alone: uPlot.Series.Points.Filter = (u, index) => {
  const y = u.data[index] as (number | null | undefined)[];
  const places: number[] = [];
  let before: number | null = null;
  let last = -1;
  y.forEach((value, at) => {
    if (value === undefined) return;
    if (value === null && last >= 0 && before === null) places.push(last);
    before = value === null ? null : last >= 0 ? y[last]! : null;
    last = value === null ? -1 : at;
  });
  if (last >= 0 && before === null) places.push(last);
  return places;
};

function seriesOptions(figure: Drawable, line: Line, shade: Shade): uPlot.Series {
  const options: uPlot.Series = {
    label: line.label,
    stroke: () => shade(line),
    width: line.faint || line.filled ? 1 : 2,
    dash: line.dash as number[] | undefined,
    value: told(figure, line),
    points: line.kind === "line" ? { show: true, size: 4, filter: alone } : { show: false },
  };
  if (line.filled) options.fill = () => `${shade(line)}30`;
  if (line.kind === "points" || line.kind === "bars" || isEvent(line)) options.paths = noPath;
  if (line.kind === "step") options.paths = steps;
  return options;
}

function axis(theme: () => Theme, label: uPlot.Axis.Label, extra: Partial<uPlot.Axis>): uPlot.Axis {
  return {
    label,
    font: theme().font,
    labelFont: `bold ${theme().font}`,
    stroke: () => theme().ink,
    values: (_u, splits) => splits.map((value) => (value == null ? "" : written(value))),
    grid: { stroke: () => theme().line, width: 1 },
    ticks: { stroke: () => theme().line, width: 1 },
    ...extra,
  };
}

/** The width of a letter of a bold label, in CSS pixels, and what is above and below the axis. */
const [LETTER, AROUND] = [7, 70];

/** The label of the y axis where it has room, and else its unit: the title says the rest. */
function fitting(label: string): uPlot.Axis.Label {
  const [, unit] = /\(([^()]+)\)$/.exec(label) ?? [];
  return (u) => (unit === undefined || LETTER * label.length < u.height - AROUND ? label : unit);
}

/** Where a logarithm is drawn, marks are at the numbers themselves, as far as they have room. */
function logarithmic(figure: Drawable): Partial<uPlot.Axis> {
  const places = [...new Set(figure.series.flatMap((line) => line.x))].sort((a, b) => a - b);
  return {
    splits: (u) => {
      let last = -Infinity;
      return places.filter((place) => {
        const x = u.valToPos(place, "x");
        if (x - last < 36) return false;
        last = x;
        return true;
      });
    },
    values: (_u, splits) => splits.map((place) => rounded(10 ** place, 4)),
  };
}

/** An axis of names, as wide as the longest. */
function named(names: readonly string[]): Partial<uPlot.Axis> {
  return {
    size: Math.min(150, 34 + 7 * Math.max(...names.map((name) => name.length))),
    splits: () => names.map((_, at) => at),
    values: (_u, splits) => splits.map((at) => names[at] ?? ""),
  };
}

/** The character that stands for a series in the legend; nothing for lines, which have a frame that is drawn as they are. */
function signOf(line: Line): string {
  if (line.kind === "points" || line.kind === "marks") return glyphOf(line.marker);
  return line.kind === "spans" ? "\u25ac" : line.kind === "bars" ? "\u2503" : "";
}

function frameOf(line: Line): { width: number; dash: string } {
  const dash = line.dash === undefined ? "solid" : line.dash[0] < 4 ? "dotted" : "dashed";
  return { width: signOf(line) ? 0 : line.faint ? 1 : 2, dash };
}

/** The options of uPlot for a figure. */
export function optionsOf(figure: Drawable, size: { width: number; height: number }, theme: () => Theme): uPlot.Options {
  const shade: Shade = (colour: Colour) => (theme().dark ? colour.dark : colour.colour);
  const held = [false, ...figure.series.map((line) => line.kind === "step")];
  const back = figure.x_log ? (value: number) => 10 ** value : (value: number) => value;
  const frame = (index: number) => (index ? frameOf(figure.series[index - 1]) : { width: 0, dash: "solid" });
  return {
    ...size,
    scales: { x: { time: false, range: xRange(figure) }, y: { range: yRange(figure) } },
    axes: [
      axis(theme, figure.x_label, figure.x_log ? logarithmic(figure) : {}),
      axis(theme, fitting(figure.y_label), figure.y_names ? named(figure.y_names) : { size: 64 }),
    ],
    series: [
      {
        label: figure.x_label,
        value: (_u: uPlot, value: number | null) => (value == null ? "" : rounded(back(value), 6)),
      },
      ...figure.series.map((line) => seriesOptions(figure, line, shade)),
    ],
    cursor: { dataIdx: (u, index, at) => nearest(u, index, at, held[index]), points: { size: 7 } },
    legend: {
      markers: {
        width: (_u: uPlot, index: number) => frame(index).width,
        dash: (_u: uPlot, index: number) => frame(index).dash,
      } as uPlot.Legend.Markers,
    },
    hooks: {
      drawAxes: [(u) => drawSpans(u, figure, shade), (u) => drawBands(u, figure, shade)],
      draw: [
        (u) => drawBars(u, figure, shade),
        (u) => drawIntervals(u, figure, shade),
        (u) => drawMarkers(u, figure, shade),
        (u) => drawMarks(u, figure, shade),
      ],
    },
  };
}

/** The same x, each larger than the one before: of two points at one x uPlot keeps the last, and draws no drop. */
function growing(x: readonly number[]): number[] {
  let last = -Infinity;
  return x.map((at) => (last = at > last ? at : last + 2 ** -48 * Math.max(1, Math.abs(last))));
}

export function dataOf(figure: Drawable): uPlot.AlignedData {
  const empty = (line: Line): (number | null)[] => (line.y.length ? line.y : line.x.map(() => null));
  return uPlot.join(figure.series.map((line) => [growing(line.x), empty(line)] as unknown as uPlot.AlignedData));
}

function sizeOf(element: HTMLElement, tall: number | undefined): { width: number; height: number } {
  const width = Math.max(240, element.clientWidth);
  return { width, height: Math.round(Math.min(400, Math.max(240, 0.5 * width)) * (tall ?? 1)) };
}

/** A figure on the page. */
export class Plot {
  private readonly u: uPlot;
  private readonly figure: Drawable;
  private readonly whole: Drawable;
  private told = "null";
  private readonly observer: ResizeObserver;

  constructor(
    private readonly element: HTMLElement,
    given: Figure,
    private readonly options: Options = {},
  ) {
    this.whole = drawable(given);
    this.figure = { ...this.whole };
    this.u = this.made();
    this.observer = new ResizeObserver(() => {
      const wanted = sizeOf(element, this.figure.tall);
      if (element.clientWidth && wanted.width !== this.u.width) this.u.setSize(wanted);
    });
    this.observer.observe(element);
    this.sign();
    plots.add(this);
  }

  private made(): uPlot {
    const options = optionsOf(this.figure, sizeOf(this.element, this.figure.tall), PAGE);
    const { sync, zoomed } = this.options;
    if (sync !== undefined) options.cursor!.sync = { key: sync, scales: ["x", null] };
    if (zoomed) {
      const tell = (key: string): void => {
        // uPlot tells of every time that it draws with new data, too.
        const now = JSON.stringify(this.range);
        if (key !== "x" || now === this.told) return;
        this.told = now;
        zoomed(this.range);
      };
      options.hooks!.setScale = [(_u, key) => this.u && tell(key)];
    }
    return new uPlot(options, dataOf(this.figure), this.element);
  }

  /** Puts signs in the legend, in the page's colours as they are now. */
  private sign(): void {
    const { dark } = PAGE();
    this.element.querySelectorAll<HTMLElement>(".u-legend .u-series").forEach((row, index) => {
      const marker = row.querySelector<HTMLElement>(".u-marker");
      const line = this.figure.series[index - 1];
      if (marker === null) return;
      if (line === undefined) marker.hidden = true;
      else if (signOf(line)) {
        marker.textContent = signOf(line);
        marker.style.color = dark ? line.dark : line.colour;
      }
    });
  }

  private get ends(): readonly [number, number] {
    const all = this.whole.series.flatMap((line) => (line.x.length ? [line.x[0], line.x[line.x.length - 1]] : []));
    return this.whole.x_range ?? [Math.min(...all), Math.max(...all)];
  }

  /** What was zoomed to; null if all is shown. */
  get range(): [number, number] | null {
    const { min, max } = this.u.scales.x;
    const [from, to] = this.ends;
    return min == null || max == null || (min <= from && max >= to) ? null : [min, max];
  }

  /** Whether a series is shown, by its label. */
  shown(label: string): boolean {
    const index = this.figure.series.findIndex((line) => line.label === label);
    return this.u.series[index + 1]?.show ?? false;
  }

  /** What is drawn, with its hidden series left out. */
  get visible(): Drawable {
    return { ...this.figure, series: this.figure.series.filter((_, index) => this.u.series[index + 1].show) };
  }

  /** Zooms to a range of x, or shows all with null. */
  zoom(range: [number, number] | null): void {
    const all = this.u.data[0];
    this.u.setScale("x", range ? { min: range[0], max: range[1] } : { min: all[0], max: all[all.length - 1] });
  }

  /** Moves the pointer by a part of the width, in all figures that show the same instant. */
  point(part: number): void {
    const { clientWidth: width, clientHeight: height } = this.u.over;
    const at = this.u.cursor.left ?? -1;
    const left = (at < 0 ? width / 2 : at) + part * width;
    // uPlot's types lack the last argument, by which the other figures follow.
    const set = this.u.setCursor as (place: { left: number; top: number }, tell: boolean, follow: boolean) => void;
    set({ left: Math.min(width, Math.max(0, left)), top: height / 2 }, true, true);
  }

  /** Shows a stretch that is so many times as long, around the pointer, in all figures that zoom together. */
  magnify(factor: number): void {
    const { min, max } = this.u.scales.x;
    if (min == null || max == null) return;
    const [from, to] = this.ends;
    const left = this.u.cursor.left ?? -1;
    const at = left < 0 ? (min + max) / 2 : this.u.posToVal(left, "x");
    const range: [number, number] = [Math.max(from, at - factor * (at - min)), Math.min(to, at + factor * (max - at))];
    const wanted = range[0] <= from && range[1] >= to ? null : range;
    const { sync } = this.options;
    for (const one of plots) if (one === this || (sync !== undefined && one.options.sync === sync)) one.zoom(wanted);
  }

  /** Hides a line, or shows it again. */
  toggle(number: number): void {
    const series = this.u.series[number + 1];
    if (series) this.u.setSeries(number + 1, { show: !series.show });
  }

  /** Draws finer data of a part of the figure in its place, or the figure itself again with null. The view stays. */
  refine(part: Figure | null): void {
    const finer = part && drawable(part);
    const found = new Map(finer?.series.map((line) => [line.label, line]));
    const none = { x: [], y: [], low: undefined, high: undefined, to: undefined, lane: undefined };
    const series = this.whole.series.map((line) => (finer ? { ...line, ...none, ...found.get(line.label) } : line));
    const range = this.range;
    // uPlot's options hold the figure.
    Object.assign(this.figure, { series });
    this.u.setData(dataOf(this.figure), false);
    this.zoom(range);
  }

  /** Whether a figure has the series of this one. */
  isLike(given: Figure): boolean {
    const labels = given.series.map((line) => line.label).join("\n");
    return labels === this.whole.series.map((line) => line.label).join("\n");
  }

  /** Draws newer data of the same series. What is zoomed to stays; else all is shown. */
  update(given: Figure): void {
    const range = this.range;
    const now = drawable(given);
    Object.assign(this.whole, now);
    Object.assign(this.figure, now);
    this.u.setData(dataOf(this.figure), false);
    this.zoom(range);
  }

  redraw(): void {
    this.u.redraw();
    this.sign();
  }

  remove(): void {
    this.observer.disconnect();
    plots.delete(this);
    this.u.destroy();
  }
}

export function plot(element: HTMLElement, figure: Figure, sync?: string): Plot {
  return new Plot(element, figure, { sync });
}
