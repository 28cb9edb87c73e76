// What is drawn over uPlot's axes besides lines: bands, intervals, bars, marked points, and events above the lines.

import type uPlot from "uplot";
import { addMarker } from "./markers";
import type { Colour, Drawable, Kind, Line } from "./model";

/** Height of a row of events, in CSS pixels. */
export const LANE = 11;

export type Shade = (colour: Colour) => string;

/** Draws within the axes' rectangle. `pixels` is the number of the canvas's pixels in one of CSS. */
function clipped(u: uPlot, draw: (context: CanvasRenderingContext2D, pixels: number) => void): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, devicePixelRatio);
  ctx.restore();
}

function eachShown(u: uPlot, figure: Drawable, kinds: readonly Kind[], draw: (line: Line) => void): void {
  figure.series.forEach((line, index) => {
    if (kinds.includes(line.kind) && u.series[index + 1].show) draw(line);
  });
}

/** The number of values below a limit, in order. */
export function below(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Places of the points that are in view, and of one more on each side. */
export function inView(u: uPlot, x: readonly number[]): [number, number] {
  const { min, max } = u.scales.x;
  return [Math.max(0, below(x, min ?? -Infinity) - 1), Math.min(x.length, below(x, max ?? Infinity) + 2)];
}

/** A band's points from gap to gap, each with its lower and its upper end. */
function stretches(line: Line): [number, number, number][][] {
  const found: [number, number, number][][] = [];
  let open = false;
  line.x.forEach((x, at) => {
    const [low, high] = [line.low![at], line.high![at]];
    if (low == null || high == null) {
      open = false;
      return;
    }
    if (!open) found.push([]);
    found[found.length - 1].push([x, low, high]);
    open = true;
  });
  return found;
}

export function drawBands(u: uPlot, figure: Drawable, shade: Shade): void {
  clipped(u, (context) =>
    eachShown(u, figure, ["band"], (line) => {
      context.fillStyle = shade(line);
      context.globalAlpha = 0.18;
      context.beginPath();
      for (const ends of stretches(line)) {
        ends.forEach(([x, low], at) => {
          const place = [u.valToPos(x, "x", true), u.valToPos(low, "y", true)] as const;
          if (at) context.lineTo(...place);
          else context.moveTo(...place);
        });
        for (const [x, , high] of ends.reverse()) context.lineTo(u.valToPos(x, "x", true), u.valToPos(high, "y", true));
        context.closePath();
      }
      context.fill();
    }),
  );
}

function segments(
  u: uPlot,
  line: Line,
  context: CanvasRenderingContext2D,
  add: (x: number, low: number, high: number) => void,
): void {
  context.beginPath();
  const [from, to] = inView(u, line.x);
  for (let at = from; at < to; at++) {
    const [low, high] = [line.low![at], line.high![at]];
    if (low == null || high == null) continue;
    add(u.valToPos(line.x[at], "x", true), u.valToPos(low, "y", true), u.valToPos(high, "y", true));
  }
  context.stroke();
}

export function drawIntervals(u: uPlot, figure: Drawable, shade: Shade): void {
  clipped(u, (context, pixels) =>
    eachShown(u, figure, ["interval"], (line) => {
      context.lineWidth = 2 * pixels;
      context.strokeStyle = shade(line);
      segments(u, line, context, (x, low, high) => {
        context.moveTo(x, low);
        context.lineTo(x, high);
        for (const end of [low, high]) {
          context.moveTo(x - 4 * pixels, end);
          context.lineTo(x + 4 * pixels, end);
        }
      });
    }),
  );
}

export function drawBars(u: uPlot, figure: Drawable, shade: Shade): void {
  clipped(u, (context, pixels) =>
    eachShown(u, figure, ["bars"], (line) => {
      context.lineWidth = pixels;
      context.strokeStyle = shade(line);
      segments(u, line, context, (x, low, high) => {
        context.moveTo(x, low);
        context.lineTo(x, high);
      });
    }),
  );
}

export function drawMarkers(u: uPlot, figure: Drawable, shade: Shade): void {
  clipped(u, (context, pixels) =>
    eachShown(u, figure, ["band", "points", "interval"], (line) => {
      const size = (line.faint ? 1.5 : line.marker === "*" ? 6.5 : 4.5) * pixels;
      context.fillStyle = shade(line);
      const [from, to] = inView(u, line.x);
      let [lastX, lastY] = [NaN, NaN];
      for (let at = from; at < to; at++) {
        const value = line.y[at];
        if (value == null) continue;
        const x = u.valToPos(line.x[at], "x", true);
        const y = u.valToPos(value, "y", true);
        // Thousands of points may share a pixel.
        if (Math.abs(x - lastX) < 0.5 && Math.abs(y - lastY) < 0.5) continue;
        [lastX, lastY] = [x, y];
        if (line.faint) context.fillRect(x - size, y - size, 2 * size, 2 * size);
        else {
          context.beginPath();
          addMarker(context, line.marker, x, y, size);
          context.fill();
        }
      }
    }),
  );
}

/** Stretches of time: a bar in the row of each, and a pale area below where there is one row only. */
export function drawSpans(u: uPlot, figure: Drawable, shade: Shade): void {
  clipped(u, (context, pixels) =>
    eachShown(u, figure, ["spans"], (line) => {
      line.x.forEach((from, at) => {
        const to = line.to![at];
        const left = u.valToPos(from, "x", true);
        // A stretch without an end goes on.
        const right = to == null ? u.bbox.left + u.bbox.width : u.valToPos(to, "x", true);
        const lane = line.lane?.[at] ?? 0;
        const width = Math.max(pixels, right - left);
        context.fillStyle = shade(figure.lanes?.[lane] ?? line);
        context.globalAlpha = 0.45;
        const top = u.bbox.top + (lane * LANE + 2) * pixels;
        context.fillRect(left, top, width, (LANE - 4) * pixels);
        // The edge has the contrast that the pale bar lacks.
        context.globalAlpha = 1;
        context.fillRect(left, top + (LANE - 5) * pixels, width, pixels);
        if ((figure.lanes?.length ?? 1) === 1) {
          context.globalAlpha = 0.1;
          context.fillRect(left, u.bbox.top, width, u.bbox.height);
        }
      });
    }),
  );
}

/** Between the middles of two marks of one kind in one row, in CSS pixels: a mark that is closer is not drawn. */
const APART = 6;

/** Events: a marker in the row of each, and a thin line down to the axis where there are few. */
export function drawMarks(u: uPlot, figure: Drawable, shade: Shade): void {
  clipped(u, (context, pixels) =>
    eachShown(u, figure, ["marks"], (line) => {
      const [from, to] = inView(u, line.x);
      const few = to - from <= 40;
      const lanes = figure.lanes?.length ?? 1;
      const last: number[] = [];
      for (let at = from; at < to; at++) {
        const lane = line.lane?.[at] ?? 0;
        const x = u.valToPos(line.x[at], "x", true);
        if (x - (last[lane] ?? -Infinity) < APART * pixels) continue;
        last[lane] = x;
        const y = u.bbox.top + (lane + 0.5) * LANE * pixels;
        context.fillStyle = context.strokeStyle = shade(figure.lanes?.[lane] ?? line);
        if (few) {
          context.globalAlpha = 0.35;
          context.lineWidth = pixels;
          context.beginPath();
          context.moveTo(x, u.bbox.top + lanes * LANE * pixels);
          context.lineTo(x, u.bbox.top + u.bbox.height);
          context.stroke();
        }
        context.globalAlpha = 1;
        context.beginPath();
        addMarker(context, line.marker, x, y, 4 * pixels);
        context.fill();
      }
    }),
  );
}
