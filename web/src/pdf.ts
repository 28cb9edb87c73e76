// A scene as PDF 1.7: one page with vectors, in Helvetica, which every reader of PDF brings.

import { CLOSE, CURVE, LINE, type Outline } from "./path";
import { type Clip, NO_CLIP, type Paint, type Scene, type Text } from "./scene";
import { short } from "./svg";

/** Widths of Helvetica's characters from space to "~", in thousandths of the size (Adobe's core font metrics). */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];

/** Characters that Helvetica's encoding (Windows-1252) has elsewhere than Unicode. */
const WINDOWS: Record<string, number> = {
  "\u20ac": 128, "\u2026": 133, "\u2018": 145, "\u2019": 146, "\u201c": 147, "\u201d": 148, "\u2022": 149,
  "\u2013": 150, "\u2014": 151,
}; // prettier-ignore

/** Characters of the font Symbol. */
const SYMBOLS: Record<string, number> = {
  "\u2191": 0xad, "\u2192": 0xae, "\u2193": 0xaf, "\u2190": 0xac, "\u2265": 0xb3, "\u2264": 0xa3, "\u2212": 0x2d,
  "\u0394": 0x44, "\u03b1": 0x61, "\u03b2": 0x62, "\u03bb": 0x6c, "\u03bc": 0x6d, "\u03c3": 0x73, "\u2248": 0xbb,
}; // prettier-ignore

interface Run {
  symbol: boolean;
  codes: number[];
  width: number;
}

/** A text as runs of one font, with their widths in sizes. */
function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  for (const character of text) {
    const point = character.codePointAt(0)!;
    const symbol = SYMBOLS[character];
    const plain = (point >= 32 && point < 127) || (point >= 160 && point < 256);
    const code = symbol ?? WINDOWS[character] ?? (plain ? point : 63);
    let run = runs.at(-1);
    if (run === undefined || run.symbol !== (symbol !== undefined)) {
      run = { symbol: symbol !== undefined, codes: [], width: 0 };
      runs.push(run);
    }
    run.codes.push(code);
    run.width += (run.symbol ? 600 : (WIDTHS[code - 32] ?? 556)) / 1000;
  }
  return runs;
}

export function widthOf(text: string): number {
  return runsOf(text).reduce((sum, run) => sum + run.width, 0);
}

const hex = (codes: number[]): string => `<${codes.map((code) => code.toString(16).padStart(2, "0")).join("")}>`;

const fine = (value: number): string => String(Math.round(value * 1e4) / 1e4);

function pathOf(outline: Outline): string {
  let data = "";
  for (let at = 0; at < outline.length; ) {
    const operation = outline[at++];
    if (operation === CLOSE) {
      data += "h ";
      continue;
    }
    const count = operation === CURVE ? 6 : 2;
    data += `${outline.slice(at, at + count).map(short).join(" ")} ${operation === CURVE ? "c" : operation === LINE ? "l" : "m"} `;
    at += count;
  }
  return data;
}

/** The operators of a page. */
class Content {
  /** Entries of graphics states, for fills and for strokes. */
  readonly alphas: string[] = [];
  private readonly lines: string[] = [];
  private clip: Clip = NO_CLIP;
  private set = new Map<string, string>();

  constructor(scene: Scene) {
    // CSS pixels from the top become points from the bottom.
    this.lines.push(`.75 0 0 -.75 0 ${short(0.75 * scene.height)} cm 1 j`);
    for (const item of scene.items) {
      if ("text" in item) {
        this.clipTo(NO_CLIP);
        this.text(item);
        continue;
      }
      this.clipTo(item.clip);
      if (item.fill) this.paint("rg", item.fill);
      if (item.stroke) {
        this.paint("RG", item.stroke);
        this.change("w", `${short(item.width)} w`);
        this.change("d", `[${item.dash.map(short).join(" ")}] 0 d`);
      }
      this.lines.push(`${pathOf(item.outline)}${item.fill ? (item.stroke ? "B" : "f") : "S"}`);
    }
    this.clipTo(NO_CLIP);
  }

  toString(): string {
    return this.lines.join("\n");
  }

  private change(what: string, operators: string): void {
    if (this.set.get(what) === operators) return;
    this.set.set(what, operators);
    this.lines.push(operators);
  }

  private clipTo(clip: Clip): void {
    if (clip === this.clip) return;
    if (this.clip.length) this.lines.push("Q");
    this.set.clear();
    this.clip = clip;
    if (clip.length) this.lines.push("q", ...clip.map((outline) => `${pathOf(outline)}W n`));
  }

  private paint(operator: "rg" | "RG", paint: Paint): void {
    const alpha = `${operator === "rg" ? "/ca" : "/CA"} ${fine(paint[3])}`;
    let number = this.alphas.indexOf(alpha);
    if (number < 0) number = this.alphas.push(alpha) - 1;
    this.change(`${operator} alpha`, `/A${number} gs`);
    this.change(operator, `${paint.slice(0, 3).map((one) => fine(one / 255)).join(" ")} ${operator}`);
  }

  private text(item: Text): void {
    const runs = runsOf(item.text);
    const width = runs.reduce((sum, run) => sum + run.width, 0) * item.size;
    const [cos, sin] = [Math.cos(item.angle), Math.sin(item.angle)];
    const back = item.anchor === "middle" ? width / 2 : item.anchor === "end" ? width : 0;
    this.paint("rg", item.fill);
    const place = [item.x - back * cos, item.y - back * sin].map(short).join(" ");
    const shown = runs.map((run) => `/F${run.symbol ? 2 : item.bold ? 1 : 0} ${short(item.size)} Tf ${hex(run.codes)} Tj`);
    this.lines.push(`BT ${fine(cos)} ${fine(sin)} ${fine(sin)} ${fine(-cos)} ${place} Tm ${shown.join(" ")} ET`);
  }
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

async function deflated(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function pdfOf(scene: Scene): Promise<Blob> {
  const content = new Content(scene);
  const stream = await deflated(content.toString());
  const alphas = content.alphas.map((alpha, number) => `/A${number} << ${alpha} >>`).join(" ");
  const font = (name: string, encoding = "/Encoding /WinAnsiEncoding"): string =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} ${encoding} >>`;
  const title = [0xfe, 0xff];
  for (let at = 0; at < scene.title.length; at++) {
    const code = scene.title.charCodeAt(at);
    title.push(code >> 8, code & 255);
  }
  const objects: (string | Uint8Array<ArrayBuffer>)[][] = [
    ["<< /Type /Catalog /Pages 2 0 R >>"],
    ["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${short(0.75 * scene.width)} ${short(0.75 * scene.height)}] /Contents 4 0 R ` +
        `/Resources << /Font << /F0 5 0 R /F1 6 0 R /F2 7 0 R >> /ExtGState << ${alphas} >> >> >>`,
    ],
    [`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`, stream, "\nendstream"],
    [font("Helvetica")],
    [font("Helvetica-Bold")],
    [font("Symbol", "")],
    [`<< /Title ${hex(title)} /Producer (ackclock) >>`],
  ];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const add = (part: string | Uint8Array<ArrayBuffer>): void => {
    const bytes = typeof part === "string" ? bytesOf(part) : part;
    parts.push(bytes);
    length += bytes.length;
  };
  add("%PDF-1.7\n");
  const places = objects.map((object, number) => {
    const place = length;
    add(`${number + 1} 0 obj\n`);
    object.forEach(add);
    add("\nendobj\n");
    return place;
  });
  const table = length;
  const entries = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 8 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(parts, { type: "application/pdf" });
}
