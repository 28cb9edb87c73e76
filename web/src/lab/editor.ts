// Texts that are edited: CodeMirror with completion, and every mistake marked where it is. The scenario is completed from the JSON Schema,
// and the program of a congestion control from what its rules are told.

import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { HighlightStyle, StreamLanguage, type StreamParser, syntaxHighlighting } from "@codemirror/language";
import { javascript } from "@codemirror/legacy-modes/mode/javascript";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { keysAt, type Schema, valuesAt } from "./schema";
import type { Problem } from "./simulate";
import { contextAt, outlineOf, placeOf } from "./toml";

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)" },
  { tag: [tags.string, tags.number, tags.bool, tags.atom], color: "var(--value)" },
  { tag: [tags.propertyName, tags.definition(tags.variableName), tags.heading, tags.keyword], fontWeight: "600" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--page)", fontSize: "0.85rem", border: "1px solid var(--line)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-content": { caretColor: "var(--ink)", fontFamily: "ui-monospace, monospace" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--quiet)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--raised)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "rgb(128 160 220 / 35%)",
  },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", maxWidth: "30rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--page)" },
});

/** A kind of text. */
export interface Language {
  readonly label: string;
  readonly mode: StreamParser<unknown>;
  readonly complete: (context: CompletionContext) => CompletionResult | null;
}

/** A scenario; `schema` gives the schema as soon as it is known. */
export const scenario = (schema: () => Schema | null): Language => ({
  label: "Scenario as text",
  mode: toml,
  complete: (context) => completed(context, schema()),
});

export const program: Language = { label: "Program of the congestion control", mode: javascript, complete: ofProgram };

export class Editor {
  private readonly view: EditorView;
  private quiet = false;

  /** `changed` is told every text that somebody has written. */
  constructor(place: HTMLElement, { label, mode, complete }: Language, changed: (text: string) => void) {
    this.view = new EditorView({
      parent: place,
      extensions: [
        basicSetup,
        StreamLanguage.define(mode),
        syntaxHighlighting(colours),
        look,
        lintGutter(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        autocompletion({ override: [complete] }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !this.quiet) changed(this.text);
        }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Shows a text. Only what differs is replaced, so that the cursor stays. */
  show(text: string): void {
    const now = this.text;
    if (now === text) return;
    let from = 0;
    while (from < now.length && from < text.length && now[from] === text[from]) from++;
    let end = 0;
    while (end < Math.min(now.length, text.length) - from && now[now.length - 1 - end] === text[text.length - 1 - end]) end++;
    this.quiet = true;
    this.view.dispatch({ changes: { from, to: now.length - end, insert: text.slice(from, text.length - end) } });
    this.quiet = false;
  }

  mark(problems: readonly Problem[]): void {
    const text = this.text;
    const found = problems.map(({ path, line, message }): Diagnostic => {
      const place = placeOf(text, path, line, message.startsWith("unknown key"));
      return { ...place, severity: "error", message: path ? `${path}: ${message}` : message };
    });
    found.sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  /** Puts the cursor at a mistake. */
  go(problem: Problem): void {
    const { from, to } = placeOf(this.text, problem.path, problem.line, problem.message.startsWith("unknown key"));
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }
}

function completed(context: CompletionContext, schema: Schema | null): CompletionResult | null {
  if (schema === null) return null;
  const text = context.state.doc.toString();
  const place = contextAt(text, context.pos);
  if (place.from === context.pos && !context.explicit) return null;
  if (place.key === null) {
    const inside = place.table ? `${place.table}.` : "";
    const taken = new Set(outlineOf(text).entries.map((one) => one.path));
    const keys = keysAt(schema, place.table).filter(({ name }) => !taken.has(inside + name));
    const options = keys.map(({ name, about }) => ({ label: name, apply: `${name} = `, info: about, type: "property" }));
    return options.length ? { from: place.from, options } : null;
  }
  const path = place.table ? `${place.table}.${place.key}` : place.key;
  const options = valuesAt(schema, path).map(({ name, about }) => ({ label: name, info: about, type: "enum" }));
  return options.length ? { from: place.from, options } : null;
}

/** What `flow` has in the rules of a program. */
const OF_FLOW: Readonly<Record<string, string>> = {
  cwnd: "the congestion window, segments",
  ssthresh: "the slow-start threshold, segments",
  acked: "newly acknowledged, segments",
  flight_size: "between the highest acknowledged and the highest sent, segments",
  pipe: "in the network as far as the sender knows, segments",
  initial_window: "the initial window of the scenario, segments",
  now: "the simulated time, seconds",
  rtt: "the RTT sample of this acknowledgment, seconds; undefined if there is none",
  srtt: "the smoothed RTT, seconds; undefined before the first sample",
  min_rtt: "the smallest RTT sample, seconds; undefined before the first sample",
  idle: "time since the last segment was sent, seconds, in idle()",
  mss: "payload of a full segment, bytes",
  cause: '"loss", "ecn", "timeout" or "delay", in reduction() and timeout()',
  abe: "whether the scenario uses ABE (RFC 8511)",
};

function ofProgram(context: CompletionContext): CompletionResult | null {
  const found = context.matchBefore(/\bflow\.\w*/);
  if (!found) return null;
  const options = Object.entries(OF_FLOW).map(([label, info]) => ({ label, info, type: "property" }));
  return { from: found.from + "flow.".length, options };
}
