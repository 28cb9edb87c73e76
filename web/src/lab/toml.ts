// Places in the text of a scenario: where the value of a path is, how it is set, and what the cursor is in. The engine reads the text;
// this file knows only where its parts begin and end.

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A key with its value, such as `bottleneck.queue` or `flows[0].cc`. */
export interface Entry {
  readonly path: string;
  readonly key: Span;
  readonly value: Span;
}

/** A header, such as `[bottleneck]` or the second `[[flows]]`, or the top of the text. */
export interface Section {
  readonly path: string;
  readonly header: Span;
  /** End of the last entry, or of the header: further entries begin after this place. */
  end: number;
}

export interface Outline {
  readonly entries: readonly Entry[];
  readonly sections: readonly Section[];
}

/** The end of a string that begins at a place. */
function stringEnd(text: string, from: number): number {
  const quote = text[from];
  const long = text.startsWith(quote.repeat(3), from);
  const close = long ? quote.repeat(3) : quote;
  let at = from + close.length;
  while (at < text.length) {
    if (quote === '"' && text[at] === "\\") at += 2;
    else if (text.startsWith(close, at)) return at + close.length;
    else if (!long && text[at] === "\n") return at;
    else at++;
  }
  return text.length;
}

const lineEnd = (text: string, from: number): number => {
  const found = text.indexOf("\n", from);
  return found < 0 ? text.length : found;
};

/** The end of the value that begins at a place: brackets are balanced, and the end of the line or a comment ends it. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let last = from;
  for (let at = from; at < text.length; ) {
    const char = text[at];
    if (char === '"' || char === "'") at = last = stringEnd(text, at);
    else if (char === "#") {
      if (!depth) return last;
      at = lineEnd(text, at);
    } else if (char === "\n" && !depth) return last;
    else {
      if (char === "[" || char === "{") depth++;
      if (char === "]" || char === "}") depth--;
      at++;
      if (/\S/.test(char)) last = at;
    }
  }
  return last;
}

const bare = (key: string): string => key.trim().replace(/\s*\.\s*/g, ".").replace(/["']/g, "");

export function outlineOf(text: string): Outline {
  const entries: Entry[] = [];
  const sections: Section[] = [{ path: "", header: { from: 0, to: 0 }, end: 0 }];
  const counts = new Map<string, number>();
  let section = sections[0];
  /** The path of a header with the number of each table of an array that it is in. */
  const placed = (name: string): string => {
    const steps = name.split(".");
    return steps.reduce((path, step) => {
      const here = path ? `${path}.${step}` : step;
      return counts.has(here) ? `${here}[${counts.get(here)! - 1}]` : here;
    }, "");
  };
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    const head = /^[^\S\n]*(\[\[?)([^\]\n]*)\]\]?/.exec(text.slice(at, end));
    const pair = /^[^\S\n]*((?:"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_.\- ])+?)[^\S\n]*=[^\S\n]*/.exec(text.slice(at, end));
    if (head) {
      const name = bare(head[2]);
      if (head[1] === "[[") {
        const parent = name.includes(".") ? `${placed(name.slice(0, name.lastIndexOf(".")))}.` : "";
        const whole = parent + name.slice(name.lastIndexOf(".") + 1);
        counts.set(whole, (counts.get(whole) ?? 0) + 1);
      }
      section = { path: placed(name), header: { from: at, to: at + head[0].length }, end: at + head[0].length };
      sections.push(section);
      at = end + 1;
    } else if (pair) {
      const from = at + pair[0].length;
      const key = at + pair[0].indexOf(pair[1]);
      const to = valueEnd(text, from);
      const path = section.path ? `${section.path}.${bare(pair[1])}` : bare(pair[1]);
      entries.push({ path, key: { from: key, to: key + pair[1].length }, value: { from, to } });
      section.end = lineEnd(text, to);
      at = section.end + 1;
    } else at = end + 1;
  }
  return { entries, sections };
}

/** Sets the value of a path, as it is to be written. A key that is missing is added to its section. */
export function set(text: string, path: string, value: string): string {
  const { entries, sections } = outlineOf(text);
  const entry = entries.find((one) => one.path === path);
  if (entry) return text.slice(0, entry.value.from) + value + text.slice(entry.value.to);
  const cut = path.lastIndexOf(".");
  const [inside, key] = [path.slice(0, Math.max(0, cut)), path.slice(cut + 1)];
  const section = sections.find((one) => one.path === inside);
  if (section === undefined) return `${text.trimEnd()}\n\n[${inside}]\n${key} = ${value}\n`;
  // Above the first header, where the text has no key of its own yet.
  if (!inside && !section.end) return `${key} = ${value}\n${text}`;
  return `${text.slice(0, section.end)}\n${key} = ${value}${text.slice(section.end)}`;
}

/** Removes a key with its line. */
export function remove(text: string, path: string): string {
  const entry = outlineOf(text).entries.find((one) => one.path === path);
  if (entry === undefined) return text;
  const from = text.lastIndexOf("\n", entry.key.from - 1) + 1;
  return text.slice(0, from) + text.slice(lineEnd(text, entry.value.to) + 1);
}

/** The value of a path as it is written; undefined if the text does not have the key. */
export function get(text: string, path: string): string | undefined {
  const entry = outlineOf(text).entries.find((one) => one.path === path);
  return entry && text.slice(entry.value.from, entry.value.to);
}

/** The place that a mistake is marked at: the value of its path, else its line, else the nearest part around it. */
export function placeOf(text: string, path: string, line: number | null, isKey: boolean): Span {
  const { entries, sections } = outlineOf(text);
  const entry = entries.find((one) => one.path === path);
  if (entry) return isKey ? entry.key : entry.value;
  if (line !== null) {
    const starts = text.split("\n");
    const from = starts.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const words = starts[line - 1] ?? "";
    return { from: Math.min(text.length, from + words.search(/\S|$/)), to: Math.min(text.length, from + words.trimEnd().length) };
  }
  for (let around = path; around; around = around.slice(0, Math.max(around.lastIndexOf("."), around.lastIndexOf("["), 0))) {
    const found = entries.find((one) => one.path === around)?.value ?? sections.find((one) => one.path === around)?.header;
    if (found) return found;
  }
  return { from: 0, to: lineEnd(text, 0) };
}

export interface Context {
  /** Path of the table that the place is in. */
  readonly table: string;
  /** The key before the place on its line, if the place is in a value. */
  readonly key: string | null;
  /** Where the word begins that is being written. */
  readonly from: number;
}

/** What is written at a place. */
export function contextAt(text: string, at: number): Context {
  const { sections } = outlineOf(text.slice(0, at));
  const begin = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(begin, at);
  const equals = line.indexOf("=");
  const table = sections[sections.length - 1].path;
  if (equals < 0) return { table, key: null, from: at - /[A-Za-z0-9_]*$/.exec(line)![0].length };
  return { table, key: bare(line.slice(0, equals)), from: at - /["'A-Za-z0-9_+.-]*$/.exec(line.slice(equals + 1))![0].length };
}
