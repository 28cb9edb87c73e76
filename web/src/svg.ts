// A scene as SVG.

import { CLOSE, CURVE, LINE, type Outline } from "./path";
import { type Clip, type Paint, type Scene } from "./scene";

const SVG = "http://www.w3.org/2000/svg";
const FONT = "Helvetica, Arial, sans-serif";

export const short = (value: number): string => String(Math.round(value * 100) / 100);

function pathData(outline: Outline): string {
  let data = "";
  for (let at = 0; at < outline.length; ) {
    const operation = outline[at++];
    if (operation === CLOSE) {
      data += "Z";
      continue;
    }
    const count = operation === CURVE ? 6 : 2;
    data += operation === CURVE ? "C" : operation === LINE ? "L" : "M";
    data += outline.slice(at, at + count).map(short).join(" ");
    at += count;
  }
  return data;
}

const colour = (paint: Paint): string => `#${paint.slice(0, 3).map((one) => Math.round(one).toString(16).padStart(2, "0")).join("")}`;

export function svgOf(scene: Scene): string {
  const text = document.implementation.createDocument(SVG, "svg", null);
  const make = (parent: Element, name: string, attributes: Record<string, string>): Element => {
    const element = text.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  };
  const root = text.documentElement;
  root.setAttribute("width", short(scene.width));
  root.setAttribute("height", short(scene.height));
  root.setAttribute("viewBox", `0 0 ${short(scene.width)} ${short(scene.height)}`);
  root.setAttribute("font-family", FONT);
  root.setAttribute("stroke-linejoin", "round");
  make(root, "title", {}).textContent = scene.title;
  const defs = make(root, "defs", {});
  const groups = new Map<Clip, string>();
  const clipped = (clip: Clip): string => {
    let name = groups.get(clip);
    if (name === undefined) {
      name = "";
      for (const outline of clip) {
        const next = `clip-${groups.size}-${defs.childElementCount}`;
        const element = make(defs, "clipPath", { id: next, ...(name && { "clip-path": `url(#${name})` }) });
        make(element, "path", { d: pathData(outline) });
        name = next;
      }
      groups.set(clip, name);
    }
    return name;
  };
  let group: Element = root;
  let inside = "";
  for (const item of scene.items) {
    const name = "text" in item ? "" : clipped(item.clip);
    if (name !== inside) {
      group = name ? make(root, "g", { "clip-path": `url(#${name})` }) : root;
      inside = name;
    }
    if ("text" in item) {
      const element = make(group, "text", { x: short(item.x), y: short(item.y), "font-size": short(item.size), fill: colour(item.fill) });
      if (item.anchor !== "start") element.setAttribute("text-anchor", item.anchor);
      if (item.bold) element.setAttribute("font-weight", "bold");
      if (item.angle) {
        element.setAttribute("transform", `rotate(${short((item.angle * 180) / Math.PI)} ${short(item.x)} ${short(item.y)})`);
      }
      element.textContent = item.text;
      continue;
    }
    const attributes: Record<string, string> = { d: pathData(item.outline), fill: item.fill ? colour(item.fill) : "none" };
    if (item.fill && item.fill[3] < 1) attributes["fill-opacity"] = short(item.fill[3]);
    if (item.stroke) {
      attributes.stroke = colour(item.stroke);
      attributes["stroke-width"] = short(item.width);
      if (item.stroke[3] < 1) attributes["stroke-opacity"] = short(item.stroke[3]);
      if (item.dash.length) attributes["stroke-dasharray"] = item.dash.map(short).join(" ");
    }
    make(group, "path", attributes);
  }
  return new XMLSerializer().serializeToString(text);
}
