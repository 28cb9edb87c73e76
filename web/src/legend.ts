// The legend of a saved figure, below its axes.

import type { Colour, Drawable, Line } from "./model";
import { addRectangle, LINE, MOVE, type Outline } from "./path";
import { widthOf } from "./pdf";
import { faded, NO_CLIP, type Paint, paintOf, type Scene, type Shape, type Text } from "./scene";
import { outlineOf } from "./markers";

const SIZE = 12;
const ROW = 19;
const SAMPLE = 26;
const GAP = 20;

const INK = "#1b1f24";

function sample(line: Line, x: number, y: number): Shape[] {
  const paint = paintOf(line.colour);
  const shape = (outline: Outline, ink: { fill?: Paint; stroke?: Paint }, width = 1): Shape => ({
    outline,
    ...ink,
    width,
    dash: line.dash ?? [],
    clip: NO_CLIP,
  });
  const area = (paint: Paint, height: number): Shape => {
    const outline: Outline = [];
    addRectangle(outline, x, y - height / 2, SAMPLE - 6, height);
    return shape(outline, { fill: paint });
  };
  const middle = x + (SAMPLE - 6) / 2;
  const marker = shape(outlineOf(line.marker, middle, y, line.faint ? 2 : 4), { fill: paint });
  switch (line.kind) {
    case "points":
    case "marks":
      return [marker];
    case "spans":
      return [area(faded(paint, 0.45), 7)];
    case "bars":
      return [shape([MOVE, middle, y - 6, LINE, middle, y + 6], { stroke: paint }, 1.5)];
    default: {
      const width = line.faint || line.filled ? 1 : 2;
      const stroke = shape([MOVE, x, y, LINE, x + SAMPLE - 6, y], { stroke: paint }, width);
      const under = line.kind === "band" || line.filled ? [area(faded(paint, 0.18), 10)] : [];
      return [...under, stroke, ...(line.kind === "band" || line.kind === "interval" ? [marker] : [])];
    }
  }
}

/** A sample of a row of events: words in its colour would have too little contrast. */
const rowOf = (lane: Colour): Line => ({ ...lane, label: "", kind: "points", marker: "s", x: [], y: [] });

/** Adds a name and a sample of each series, in rows, and of each row of events its name with a square in its colour. */
export function addLegend(scene: Scene, figure: Drawable): void {
  const left = 20;
  let x = left;
  let y = scene.height + 6;
  const text = (words: string, at: number): Text => ({
    text: words,
    x: at,
    y: y + 0.36 * SIZE,
    angle: 0,
    size: SIZE,
    bold: false,
    anchor: "start",
    fill: paintOf(INK),
  });
  const events = figure.series.some((line) => line.kind === "marks" || line.kind === "spans");
  const lanes = events && (figure.lanes?.length ?? 1) > 1 ? figure.lanes! : [];
  const entries = [
    ...figure.series.map((line) => ({ line, words: line.label })),
    ...lanes.map((lane, at) => ({ line: rowOf(lane), words: `row ${at + 1}: ${lane.label}` })),
  ];
  for (const { line, words } of entries) {
    // The font that a browser has for Helvetica may be wider.
    const width = SAMPLE + 1.12 * SIZE * widthOf(words);
    if (x > left && x + width > scene.width - 6) {
      x = left;
      y += ROW;
    }
    scene.items.push(...sample(line, x, y), text(words, x + SAMPLE));
    x += width + GAP;
  }
  scene.height = Math.ceil(y + ROW / 2 + 4);
}
