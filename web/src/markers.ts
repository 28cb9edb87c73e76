// Markers as matplotlib names them: corners around the middle.

import { CLOSE, LINE, MOVE, type Outline } from "./path";

type Corners = readonly (readonly [number, number])[];

const polygon = (corners: number, turn: number, inner = 1): Corners =>
  Array.from({ length: corners }, (_, at) => {
    const angle = turn + (2 * Math.PI * at) / corners;
    const radius = at % 2 ? inner : 1;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)] as const;
  });

const cross: Corners = [
  [-0.4, -1], [0.4, -1], [0.4, -0.4], [1, -0.4], [1, 0.4], [0.4, 0.4], [0.4, 1], [-0.4, 1], [-0.4, 0.4], [-1, 0.4],
  [-1, -0.4], [-0.4, -0.4],
]; // prettier-ignore

const MARKERS: Record<string, Corners> = {
  o: polygon(16, 0),
  "^": polygon(3, 0),
  ">": polygon(3, Math.PI / 2),
  v: polygon(3, Math.PI),
  "<": polygon(3, -Math.PI / 2),
  s: polygon(4, Math.PI / 4),
  D: polygon(4, 0),
  d: polygon(4, 0).map(([x, y]) => [0.6 * x, y] as const),
  p: polygon(5, 0),
  h: polygon(6, 0),
  "*": polygon(10, 0, 0.4),
  P: cross,
  X: cross.map(([x, y]) => [0.7 * (x - y), 0.7 * (x + y)] as const),
};

/** Characters that look like the markers, for the legend. */
const GLYPHS: Record<string, string> = { o: "\u25cf", "^": "\u25b2", v: "\u25bc", "<": "\u25c0", ">": "\u25b6", s: "\u25a0", D: "\u25c6", d: "\u25c6", X: "\u2715", P: "\u271a", "*": "\u2605" }; // prettier-ignore

export const glyphOf = (marker: string): string => GLYPHS[marker] ?? "\u25cf";

/** A marker as an outline. */
export function outlineOf(marker: string, x: number, y: number, size: number): Outline {
  const corners = MARKERS[marker] ?? MARKERS.o;
  return [...corners.flatMap(([right, down], at) => [at ? LINE : MOVE, x + size * right, y + size * down]), CLOSE];
}

/** Adds a marker to the context's path. */
export function addMarker(context: CanvasRenderingContext2D, marker: string, x: number, y: number, size: number): void {
  const corners = MARKERS[marker] ?? MARKERS.o;
  corners.forEach(([right, down], at) => {
    if (at) context.lineTo(x + size * right, y + size * down);
    else context.moveTo(x + size * right, y + size * down);
  });
  context.closePath();
}
