// A scene as PNG, at twice the size of its pixels.

import { CLOSE, CURVE, LINE, type Outline } from "./path";
import { type Clip, NO_CLIP, type Paint, type Scene } from "./scene";

const SCALE = 2;

function trace(context: CanvasRenderingContext2D, outline: Outline): void {
  context.beginPath();
  for (let at = 0; at < outline.length; ) {
    const operation = outline[at++];
    const [a, b, c, d, x, y] = outline.slice(at, at + 6);
    if (operation === CLOSE) context.closePath();
    else if (operation === CURVE) context.bezierCurveTo(a, b, c, d, x, y);
    else if (operation === LINE) context.lineTo(a, b);
    else context.moveTo(a, b);
    at += operation === CLOSE ? 0 : operation === CURVE ? 6 : 2;
  }
}

const css = (paint: Paint): string => `rgba(${paint.join(",")})`;

export function pngOf(scene: Scene): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(SCALE * scene.width);
  canvas.height = Math.round(SCALE * scene.height);
  const context = canvas.getContext("2d")!;
  context.scale(SCALE, SCALE);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, scene.width, scene.height);
  context.lineJoin = "round";
  let inside: Clip = NO_CLIP;
  const clipTo = (clip: Clip): void => {
    if (clip === inside) return;
    if (inside.length) context.restore();
    inside = clip;
    if (clip.length) context.save();
    for (const outline of clip) {
      trace(context, outline);
      context.clip();
    }
  };
  for (const item of scene.items) {
    if ("text" in item) {
      clipTo(NO_CLIP);
      context.save();
      context.translate(item.x, item.y);
      context.rotate(item.angle);
      context.font = `${item.bold ? "bold " : ""}${item.size}px Helvetica, Arial, sans-serif`;
      context.textAlign = item.anchor === "middle" ? "center" : item.anchor;
      context.fillStyle = css(item.fill);
      context.fillText(item.text, 0, 0);
      context.restore();
      continue;
    }
    clipTo(item.clip);
    trace(context, item.outline);
    if (item.fill) {
      context.fillStyle = css(item.fill);
      context.fill();
    }
    if (item.stroke) {
      context.strokeStyle = css(item.stroke);
      context.lineWidth = item.width;
      context.setLineDash([...item.dash]);
      context.stroke();
    }
  }
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the browser made no PNG"))), "image/png"),
  );
}
