// Scenes of what a page shows: of a plot, drawn anew for paper, and of figures that are HTML or SVG.

import uPlot from "uplot";
import { addLegend } from "./legend";
import { addRectangle, CLOSE, CURVE, LINE, MOVE, type Outline, record } from "./path";
import { dataOf, optionsOf, PAPER, type Plot } from "./plot";
import { faded, fontOf, NO_CLIP, paintOf, Recorder, type Scene, type Text } from "./scene";

const WIDTH = 720;

/** A plot with its legend, with the zoom and the series that are shown, on white. */
export async function sceneOfPlot(plot: Plot): Promise<Scene> {
  const figure = plot.visible;
  const scene: Scene = { title: figure.title, width: WIDTH, height: Math.round(360 * (figure.tall ?? 1)), items: [] };
  const options = optionsOf(figure, { width: WIDTH, height: scene.height }, PAPER);
  delete options.cursor!.sync;
  options.legend = { show: false };
  let recorder: Recorder | undefined;
  options.hooks!.init = [(u) => void (recorder = new Recorder(u.ctx, devicePixelRatio))];
  options.hooks!.drawClear = [() => recorder!.clear()];
  record(true);
  const drawn = new uPlot(options, dataOf(figure));
  try {
    const range = plot.range;
    if (range) drawn.setScale("x", { min: range[0], max: range[1] });
    // uPlot draws in a microtask.
    await Promise.resolve();
    await new Promise((done) => setTimeout(done));
  } finally {
    record(false);
    drawn.destroy();
  }
  scene.items.push(...recorder!.items);
  addLegend(scene, figure);
  return scene;
}

/** A circle as four curves. */
function circle(x: number, y: number, radius: number): Outline {
  const k = 0.5523 * radius;
  const [left, right, top, bottom] = [x - radius, x + radius, y - radius, y + radius];
  return [
    MOVE, right, y, CURVE, right, y + k, x + k, bottom, x, bottom, CURVE, x - k, bottom, left, y + k, left, y,
    CURVE, left, y - k, x - k, top, x, top, CURVE, x + k, top, right, y - k, right, y, CLOSE,
  ]; // prettier-ignore
}

/** The outline of an SVG element in its own coordinates. Paths have straight lines in absolute coordinates. */
function outlineOfShape(element: SVGElement): Outline {
  const number = (name: string): number => Number(element.getAttribute(name) ?? 0);
  switch (element.tagName) {
    case "line":
      return [MOVE, number("x1"), number("y1"), LINE, number("x2"), number("y2")];
    case "circle":
      return circle(number("cx"), number("cy"), number("r"));
    case "rect": {
      const outline: Outline = [];
      addRectangle(outline, number("x"), number("y"), number("width"), number("height"));
      return outline;
    }
    case "polygon":
    case "polyline": {
      const values = element.getAttribute("points")!.trim().split(/[\s,]+/).map(Number);
      const outline: Outline = [];
      for (let at = 0; at < values.length; at += 2) outline.push(at ? LINE : MOVE, values[at], values[at + 1]);
      return element.tagName === "polygon" ? [...outline, CLOSE] : outline;
    }
    case "path": {
      const outline: Outline = [];
      for (const [, operation, rest] of (element.getAttribute("d") ?? "").matchAll(/([MLZ])([^MLZ]*)/g)) {
        const values = rest.trim().split(/[\s,]+/).filter(Boolean).map(Number);
        if (operation === "Z") outline.push(CLOSE);
        for (let at = 0; at < values.length; at += 2) {
          outline.push(operation === "M" && !at ? MOVE : LINE, values[at], values[at + 1]);
        }
      }
      return outline;
    }
    default:
      return [];
  }
}

/** Draws elements as the browser has laid them out. */
class Walker {
  constructor(
    private readonly scene: Scene,
    private readonly left: number,
    private readonly top: number,
  ) {}

  visit(element: Element, alpha: number): void {
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility === "hidden") return;
    const own = alpha * Number(style.opacity);
    if (element instanceof SVGGraphicsElement && !(element instanceof SVGSVGElement)) this.shape(element, style, own);
    else if (!(element instanceof SVGElement)) this.box(element, style, own);
    for (const child of element.childNodes) {
      if (child instanceof Element) this.visit(child, own);
      else if (child instanceof globalThis.Text && !(element instanceof SVGElement)) this.words(child, style);
    }
  }

  private box(element: Element, style: CSSStyleDeclaration, alpha: number): void {
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left - this.left, box.top - this.top];
    const background = faded(paintOf(style.backgroundColor), alpha);
    if (background[3] > 0 && box.width && box.height) {
      const outline: Outline = [];
      if (style.borderTopLeftRadius === "50%") outline.push(...circle(x + box.width / 2, y + box.height / 2, box.width / 2));
      else addRectangle(outline, x, y, box.width, box.height);
      this.scene.items.push({ outline, fill: background, width: 0, dash: [], clip: NO_CLIP });
    }
    const sides = [
      ["Left", x, y, 0, box.height], ["Top", x, y, box.width, 0],
      ["Right", x + box.width, y, 0, box.height], ["Bottom", x, y + box.height, box.width, 0],
    ] as const; // prettier-ignore
    for (const [side, x1, y1, dx, dy] of sides) {
      const width = parseFloat(style[`border${side}Width`]);
      const kind = style[`border${side}Style`];
      if (!width || kind === "none") continue;
      const stroke = faded(paintOf(style[`border${side}Color`]), alpha);
      const dash = kind === "dashed" ? [3 * width, 3 * width] : [];
      this.scene.items.push({ outline: [MOVE, x1, y1, LINE, x1 + dx, y1 + dy], stroke, width, dash, clip: NO_CLIP });
    }
  }

  private shape(element: SVGGraphicsElement, style: CSSStyleDeclaration, alpha: number): void {
    const matrix = element.getScreenCTM();
    if (matrix === null) return;
    const place = (x: number, y: number): [number, number] => [
      matrix.a * x + matrix.c * y + matrix.e - this.left,
      matrix.b * x + matrix.d * y + matrix.f - this.top,
    ];
    const scale = Math.hypot(matrix.a, matrix.b);
    if (element instanceof SVGTextElement) {
      const [x, y] = place(Number(element.getAttribute("x")), Number(element.getAttribute("y")));
      this.scene.items.push({
        text: element.textContent ?? "",
        x,
        y,
        angle: Math.atan2(matrix.b, matrix.a),
        size: scale * fontOf(style.fontSize).size,
        bold: Number(style.fontWeight) >= 600,
        anchor: style.textAnchor as Text["anchor"],
        fill: faded(paintOf(style.fill), alpha),
      });
      return;
    }
    const outline = outlineOfShape(element);
    const placed: Outline = [];
    for (let at = 0; at < outline.length; ) {
      const operation = outline[at++];
      placed.push(operation);
      const points = operation === CLOSE ? 0 : operation === CURVE ? 3 : 1;
      for (let point = 0; point < points; point++, at += 2) placed.push(...place(outline[at], outline[at + 1]));
    }
    if (!placed.length) return;
    const fill = style.fill === "none" ? undefined : faded(paintOf(style.fill), alpha * Number(style.fillOpacity));
    const stroke = style.stroke === "none" ? undefined : faded(paintOf(style.stroke), alpha * Number(style.strokeOpacity));
    this.scene.items.push({ outline: placed, fill, stroke, width: scale * parseFloat(style.strokeWidth), dash: [], clip: NO_CLIP });
  }

  /** The lines of a text, each where the browser has put it. */
  private words(node: globalThis.Text, style: CSSStyleDeclaration): void {
    const range = document.createRange();
    const { size } = fontOf(style.fontSize);
    let line = "";
    let box: DOMRect | undefined;
    const end = (): void => {
      const words = line.trim();
      if (box && words) {
        // Centred text stays so in a font of another width.
        const anchor = style.textAlign === "center" ? "middle" : ["right", "end"].includes(style.textAlign) ? "end" : "start";
        const x = anchor === "middle" ? (box.left + box.right) / 2 : anchor === "end" ? box.right : box.left;
        this.scene.items.push({
          text: words,
          x: x - this.left,
          y: (box.top + box.bottom) / 2 + 0.34 * size - this.top,
          angle: 0,
          size,
          bold: Number(style.fontWeight) >= 600,
          anchor,
          fill: paintOf(style.color),
        });
      }
      line = "";
      box = undefined;
    };
    for (const match of node.data.matchAll(/\s+|\S+/g)) {
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const [next] = range.getClientRects();
      if (next === undefined) continue;
      if (box && next.top > box.bottom - 2) end();
      line += match[0].trim() ? match[0] : " ";
      const [left, right] = [Math.min(box?.left ?? next.left, next.left), Math.max(box?.right ?? next.right, next.right)];
      if (match[0].trim() || !box) box = new DOMRect(left, next.top, right - left, next.height);
    }
    end();
  }
}

/** A figure that is HTML or SVG, laid out anew on white, as wide as a desk. */
export function sceneOfElement(element: Element, title: string): Scene {
  const frame = document.createElement("div");
  frame.className = "paper";
  // A table is as wide as its cells.
  frame.style.width = element.classList.contains("heat") ? "max-content" : `${WIDTH}px`;
  frame.append(element.cloneNode(true));
  document.body.append(frame);
  try {
    const box = frame.getBoundingClientRect();
    const scene: Scene = { title, width: box.width, height: box.height, items: [] };
    const walker = new Walker(scene, box.left, box.top);
    walker.visit(frame.firstElementChild!, 1);
    return scene;
  } finally {
    frame.remove();
  }
}
