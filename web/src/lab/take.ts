// The files and commands that take a run out of the page.

import { byId, make } from "../dom";
import { download } from "../save";
import type { State } from "./link";
import { NAMES } from "./results";
import type { Checked, Override } from "./simulate";
import { csvOf, type Tables } from "./tables";
import { shell } from "./words";

/** A run of one variant. */
export interface Run {
  readonly text: string;
  readonly checked: Checked;
  readonly overrides: readonly Override[];
  readonly tables: Tables;
  readonly digests: Record<string, string> | null;
  readonly took_ms: number;
}

function saver(name: string, type: string, content: () => string): HTMLButtonElement {
  const button = make("button", { type: "button", textContent: name });
  button.addEventListener("click", () => download(new Blob([content()], { type }), name));
  return button;
}

/** Shows what can be taken along of an experiment and of the runs of its variants, which may be missing. */
export function take(state: State, found: readonly Run[]): void {
  const name = (at: number): string => `${state.base || "scenario"}${state.texts.length > 1 ? `-${NAMES[at].toLowerCase()}` : ""}`;
  byId("take").replaceChildren(
    ...state.texts.map((text, at) => {
      const files = make("p", { className: "controls" }, saver(`${name(at)}.toml`, "application/toml", () => text));
      const run = found[at];
      const settings = run?.overrides.flatMap(([path, value]) => ["--set", `${path}=${value}`]) ?? [];
      const command = ["ackclock", "run", `${name(at)}.toml`, "--seed", String(state.seed), ...settings, "--out", name(at)].map(shell).join(" ");
      const parts: Node[] = [files, make("pre", {}, make("code", { textContent: command }))];
      if (state.code) {
        files.append(saver("congestion-control.js", "text/javascript", () => state.code!));
        const words = "The command line takes congestion controls in Python and Rust: write the rules into the file that `ackclock new cc mine` makes, and add --load mine.py. The same rules give the same bytes.";
        parts.push(make("p", { className: "source", textContent: words }));
      }
      if (run) {
        const tables = run.tables.map((table) => {
          const save = saver(`${name(at)}-${table.name}.csv`, "text/csv", () => csvOf(table));
          save.textContent = `${table.name}.csv`;
          return save;
        });
        files.append(make("span", { className: "controls" }, ...tables));
        const digests = Object.entries(run.digests ?? {}).map(([table, digest]) => make("li", {}, `${table} `, make("code", { textContent: digest })));
        const facts = make("p", { className: "source" }, `Scenario ${run.checked.hash} without what is set in the command; seed ${state.seed}.`);
        const list = make("details", {}, make("summary", { textContent: "SHA-256 of each table, as in a pack" }), make("ul", { className: "digests" }, ...digests));
        parts.push(facts, list);
      }
      const head = state.texts.length > 1 ? [make("h3", { textContent: `Variant ${NAMES[at]}` })] : [];
      return make("div", { className: "taken" }, ...head, ...parts);
    }),
  );
}
