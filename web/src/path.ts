// A Path2D that can tell what it was made of. The bundler puts it in the place of Path2D, in uPlot too.

export const MOVE = 0;
export const LINE = 1;
export const CURVE = 2;
export const CLOSE = 3;

/** Operations, each followed by its coordinates. */
export type Outline = number[];

let recording = 0;

/** Paths that are made while anybody records keep their operations. */
export function record(on: boolean): void {
  recording += on ? 1 : -1;
}

export function addRectangle(outline: Outline, x: number, y: number, width: number, height: number): void {
  outline.push(MOVE, x, y, LINE, x + width, y, LINE, x + width, y + height, LINE, x, y + height, CLOSE);
}

export class Path extends globalThis.Path2D {
  readonly outline: Outline = [];

  constructor(path?: Path2D | string) {
    super(path);
    if (recording && path instanceof Path) this.outline.push(...path.outline);
  }

  override moveTo(x: number, y: number): void {
    super.moveTo(x, y);
    if (recording) this.outline.push(MOVE, x, y);
  }

  override lineTo(x: number, y: number): void {
    super.lineTo(x, y);
    if (recording) this.outline.push(this.outline.length ? LINE : MOVE, x, y);
  }

  override bezierCurveTo(a: number, b: number, c: number, d: number, x: number, y: number): void {
    super.bezierCurveTo(a, b, c, d, x, y);
    if (recording) this.outline.push(CURVE, a, b, c, d, x, y);
  }

  override rect(x: number, y: number, width: number, height: number): void {
    super.rect(x, y, width, height);
    if (recording) addRectangle(this.outline, x, y, width, height);
  }

  override closePath(): void {
    super.closePath();
    if (recording) this.outline.push(CLOSE);
  }
}
