// An experiment in the address of the page: what differs from a scenario of the gallery, the seed, and the view. The text after # stays
// in the browser: no server sees it.

import TEMPLATE from "./template.txt";

export interface State {
  /** The scenario of the gallery that the texts are written as changes of; empty for a text of its own. */
  readonly base: string;
  /** The text of each variant, one or two. */
  readonly texts: readonly string[];
  readonly seed: number;
  readonly view: "over" | "beside";
  /** The program of a congestion control; absent where there is none. */
  readonly code?: string;
}

/** A change of lines: the first line, how many are replaced, and what replaces them. */
type Change = readonly [first: number, removed: number, ...added: string[]];

interface Packed {
  readonly v: string;
  readonly e: string;
  readonly g?: string;
  readonly t: readonly (readonly Change[])[];
  readonly s: number;
  readonly w?: 1;
  /** The program, as changes of the template. */
  readonly c?: readonly Change[];
}

/** The link cannot be read; the message says why. */
export class LinkError extends Error {}

/** Characters of a link that are read, and bytes that it may have unpacked: what has more is no experiment. */
const LONGEST = 200_000;
const MOST = 2_000_000;

/** The changes that make one text another: a longest common subsequence of lines. */
export function changesOf(from: string, to: string): Change[] {
  const [a, b] = [from.split("\n"), to.split("\n")];
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const found: [number, number, ...string[]][] = [];
  let [i, j] = [0, 0];
  let open: [number, number, ...string[]] | null = null;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      open = null;
      i++;
      j++;
      continue;
    }
    if (open === null) found.push((open = [i, 0]));
    if (j < b.length && (i >= a.length || common[i][j + 1] >= common[i + 1][j])) open.push(b[j++]);
    else {
      open[1]++;
      i++;
    }
  }
  return found;
}

export function changed(from: string, changes: readonly Change[]): string {
  let lines = from.split("\n");
  for (const [first, removed, ...added] of [...changes].reverse()) {
    if (!Number.isInteger(first) || !Number.isInteger(removed) || first < 0 || removed < 0 || first + removed > lines.length)
      throw new LinkError("it changes lines that the scenario does not have");
    // Not splice: a function has no place for a hundred thousand arguments.
    lines = [...lines.slice(0, first), ...added, ...lines.slice(first + removed)];
  }
  return lines.join("\n");
}

/** Changes as a link may hold them: lists of two numbers, and of texts behind them. Their lines are looked at where they are made. */
function areChanges(found: unknown): found is readonly Change[] {
  return Array.isArray(found) && found.every((one) => Array.isArray(one) && one.length >= 2 && one.slice(2).every((line) => typeof line === "string"));
}

async function through(bytes: Uint8Array, kind: CompressionStream | DecompressionStream, most = Infinity): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(kind as ReadableWritablePair<Uint8Array, Uint8Array>);
  let left = most;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      left -= part.length;
      if (left < 0) controller.error(new LinkError("it is too large"));
      else controller.enqueue(part);
    },
  });
  return new Uint8Array(await new Response(stream.pipeThrough(bounded)).arrayBuffer());
}

export async function write(state: State, texts: Readonly<Record<string, string>>, about: { version: string; engine: string }): Promise<string> {
  const base = texts[state.base] ?? "";
  const packed: Packed = {
    v: about.version,
    e: about.engine.slice(0, 8),
    ...(state.base in texts ? { g: state.base } : {}),
    t: state.texts.map((text, at) => changesOf(at ? state.texts[0] : base, text)),
    s: state.seed,
    ...(state.view === "beside" ? { w: 1 } : {}),
    ...(state.code ? { c: changesOf(TEMPLATE, state.code) } : {}),
  };
  const bytes = await through(new TextEncoder().encode(JSON.stringify(packed)), new CompressionStream("deflate-raw"));
  const text = btoa(String.fromCharCode(...bytes));
  return `#1${text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The experiment of a link, and the version and engine that wrote it. */
export async function read(fragment: string, texts: Readonly<Record<string, string>>): Promise<{ state: State; version: string; engine: string }> {
  if (fragment.length > LONGEST) throw new LinkError("it is too long");
  if (!/^#1[A-Za-z0-9_-]+$/.test(fragment)) throw new LinkError("it is cut off, or has characters that links do not have");
  let packed: Partial<Record<keyof Packed, unknown>> | null;
  try {
    const text = fragment.slice(2).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    packed = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), MOST)));
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError("it is cut off or damaged");
  }
  const { v: version, e: engine, g: base = "", t: changes, s: seed, w: beside, c: program } = packed ?? {};
  const isNamed = typeof version === "string" && typeof engine === "string" && typeof base === "string";
  const isSeed = typeof seed === "number" && Number.isSafeInteger(seed) && seed >= 0;
  const isWhole = Array.isArray(changes) && [1, 2].includes(changes.length) && changes.every(areChanges);
  if (!isNamed || !isSeed || !isWhole || (program !== undefined && !areChanges(program))) throw new LinkError("it holds no experiment");
  if (base && !Object.hasOwn(texts, base)) throw new LinkError(`this version has no scenario ${shown(base)}`);
  const first = changed(base ? texts[base] : "", changes[0]);
  const all = changes.length > 1 ? [first, changed(first, changes[1])] : [first];
  const code = program && changed(TEMPLATE, program);
  return { state: { base, texts: all, seed, view: beside ? "beside" : "over", code }, version: shown(version), engine: shown(engine) };
}

/** A short text of somebody else: control characters, and those that turn the direction of writing, as escapes. */
function shown(text: string): string {
  return text.slice(0, 40).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}
