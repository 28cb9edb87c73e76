// A drawing as a list of paths and texts, and the recorder that makes one of what is drawn on a canvas.

import { addRectangle, CLOSE, CURVE, LINE, MOVE, type Outline, Path } from "./path";

/** Red, green and blue from 0 to 255, and opacity from 0 to 1. */
export type Paint = readonly [number, number, number, number];

/** Outlines that together limit what is painted. */
export type Clip = readonly Outline[];

export interface Shape {
  readonly outline: Outline;
  readonly fill?: Paint;
  readonly stroke?: Paint;
  readonly width: number;
  readonly dash: readonly number[];
  readonly clip: Clip;
}

export interface Text {
  readonly text: string;
  /** The baseline's begin, middle or end. */
  readonly x: number;
  readonly y: number;
  readonly angle: number;
  readonly size: number;
  readonly bold: boolean;
  readonly anchor: "start" | "middle" | "end";
  readonly fill: Paint;
}

export interface Scene {
  title: string;
  width: number;
  height: number;
  readonly items: (Shape | Text)[];
}

export const NO_CLIP: Clip = [];

let scratch: CanvasRenderingContext2D | undefined;
const paints = new Map<string, Paint>();

/** A colour of CSS as numbers. */
export function paintOf(colour: string): Paint {
  const known = paints.get(colour);
  if (known) return known;
  scratch ??= Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
    willReadFrequently: true,
  })!;
  scratch.fillStyle = "#000000";
  scratch.fillStyle = colour;
  const text = scratch.fillStyle;
  let paint: Paint;
  if (text.startsWith("#")) {
    paint = [parseInt(text.slice(1, 3), 16), parseInt(text.slice(3, 5), 16), parseInt(text.slice(5, 7), 16), 1];
  } else {
    const [red, green, blue, alpha] = text.match(/[\d.]+/g)!.map(Number);
    paint = [red, green, blue, alpha];
  }
  paints.set(colour, paint);
  return paint;
}

export function faded(paint: Paint, alpha: number): Paint {
  return alpha === 1 ? paint : [paint[0], paint[1], paint[2], paint[3] * alpha];
}

/** The size in pixels and the weight of a font of CSS. */
export function fontOf(font: string): { size: number; bold: boolean } {
  const size = /([\d.]+)px/.exec(font);
  return { size: size ? Number(size[1]) : 12, bold: /\bbold\b|\b[6-9]00\b/.test(font) };
}

/** How far below a line of this kind the baseline is, in sizes of Helvetica. */
const BASELINES: Record<string, number> = {
  top: 0.77,
  hanging: 0.72,
  middle: 0.36,
  alphabetic: 0,
  ideographic: -0.2,
  bottom: -0.21,
};

export function baseline(kind: string): number {
  return BASELINES[kind] ?? 0;
}

interface State {
  matrix: [number, number, number, number, number, number];
  clip: Clip;
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  dash: number[];
}

const STYLES = ["fillStyle", "strokeStyle", "lineWidth", "globalAlpha", "font", "textAlign", "textBaseline"] as const;

/** Records what is drawn on a context, in CSS pixels. The context draws as well. */
export class Recorder {
  readonly items: (Shape | Text)[] = [];
  private state: State;
  private stack: State[] = [];
  private outline: Outline = [];

  constructor(
    context: CanvasRenderingContext2D,
    private readonly pixels: number,
  ) {
    this.state = {
      matrix: [1 / pixels, 0, 0, 1 / pixels, 0, 0],
      clip: NO_CLIP,
      fillStyle: "#000000",
      strokeStyle: "#000000",
      lineWidth: 1,
      globalAlpha: 1,
      font: "12px sans-serif",
      textAlign: "start",
      textBaseline: "alphabetic",
      dash: [],
    };
    const own = this.methods();
    for (const [name, act] of Object.entries(own)) {
      const drawn = (context as unknown as Record<string, (...given: unknown[]) => unknown>)[name].bind(context);
      Object.defineProperty(context, name, {
        configurable: true,
        value: (...given: unknown[]) => {
          (act as (...given: unknown[]) => void)(...given);
          return drawn(...given);
        },
      });
    }
    for (const name of STYLES) {
      const style = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, name)!;
      Object.defineProperty(context, name, {
        configurable: true,
        get: () => style.get!.call(context) as unknown,
        set: (value: unknown) => {
          style.set!.call(context, value);
          (this.state as unknown as Record<string, unknown>)[name] = style.get!.call(context);
        },
      });
    }
  }

  /** Forgets what was drawn so far. */
  clear(): void {
    this.items.length = 0;
  }

  private place(x: number, y: number): [number, number] {
    const [a, b, c, d, e, f] = this.state.matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }

  private placed(outline: Outline): Outline {
    const found: Outline = [];
    for (let at = 0; at < outline.length; ) {
      const operation = outline[at++];
      found.push(operation);
      const points = operation === CLOSE ? 0 : operation === CURVE ? 3 : 1;
      for (let point = 0; point < points; point++, at += 2) found.push(...this.place(outline[at], outline[at + 1]));
    }
    return found;
  }

  private taken(path: unknown): Outline {
    return this.placed(path instanceof Path ? path.outline : this.outline);
  }

  private add(outline: Outline, ink: { fill?: Paint; stroke?: Paint }): void {
    if (!outline.length) return;
    const { lineWidth, dash, clip } = this.state;
    const width = lineWidth / this.pixels;
    this.items.push({ outline, ...ink, width, dash: dash.map((length) => length / this.pixels), clip });
  }

  private filled(): Paint {
    return faded(paintOf(this.state.fillStyle), this.state.globalAlpha);
  }

  private methods(): Partial<Record<keyof CanvasRenderingContext2D, unknown>> {
    return {
      save: () => this.stack.push({ ...this.state }),
      restore: () => {
        this.state = this.stack.pop() ?? this.state;
      },
      translate: (x: number, y: number) => {
        const [e, f] = this.place(x, y);
        const [a, b, c, d] = this.state.matrix;
        this.state.matrix = [a, b, c, d, e, f];
      },
      rotate: (angle: number) => {
        const [a, b, c, d, e, f] = this.state.matrix;
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        this.state.matrix = [a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f];
      },
      beginPath: () => {
        this.outline = [];
      },
      moveTo: (x: number, y: number) => this.outline.push(MOVE, x, y),
      lineTo: (x: number, y: number) => this.outline.push(this.outline.length ? LINE : MOVE, x, y),
      rect: (x: number, y: number, width: number, height: number) => addRectangle(this.outline, x, y, width, height),
      closePath: () => this.outline.push(CLOSE),
      clip: (path?: unknown) => {
        this.state.clip = [...this.state.clip, this.taken(path)];
      },
      setLineDash: (dash: number[]) => {
        this.state.dash = [...dash];
      },
      fill: (path?: unknown) => this.add(this.taken(path), { fill: this.filled() }),
      stroke: (path?: unknown) =>
        this.add(this.taken(path), { stroke: faded(paintOf(this.state.strokeStyle), this.state.globalAlpha) }),
      fillRect: (x: number, y: number, width: number, height: number) => {
        const outline: Outline = [];
        addRectangle(outline, x, y, width, height);
        this.add(this.placed(outline), { fill: this.filled() });
      },
      fillText: (text: string, x: number, y: number) => {
        const { size, bold } = fontOf(this.state.font);
        const [left, top] = this.place(x, y + baseline(this.state.textBaseline) * size);
        const anchor = { center: "middle", right: "end", end: "end" }[this.state.textAlign] ?? "start";
        const [a, b] = this.state.matrix;
        this.items.push({
          text: String(text),
          x: left,
          y: top,
          angle: Math.atan2(b, a),
          size: size / this.pixels,
          bold,
          anchor: anchor as Text["anchor"],
          fill: this.filled(),
        });
      },
    };
  }
}
