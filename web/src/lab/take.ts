// The files and commands that take a run out of the page.

import { byId, make } from "../dom";
import { download } from "../save";
import type { State } from "./link";
import { NAMES } from "./results";
import type { Checked, Override, Traced } from "./simulate";
import { columnOf, csvOf, type Tables, tableOf } from "./tables";
import { shell, written } from "./words";

/** A run of one variant. */
export interface Run {
  readonly text: string;
  readonly seed: number;
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

/** Runs a variant again for a trace, and saves the file under a name that begins so. */
export type Tracing = (run: Run, what: Traced, name: string) => Promise<void>;

/** Bytes of a capture and of logs for each packet, about. */
const OF_CAPTURE = 120;
const OF_LOGS = 1200;
/** Bytes of a trace that a tab is expected to have room for. */
const LARGEST = 4e8;
/** Flows whose hosts are offered as places of a capture. */
const MOST_FLOWS = 50;

/** Buttons that save traces of a run, in the words of the command line. */
function traces(run: Run, name: string, tracing: Tracing): HTMLElement {
  const flow = columnOf(tableOf(run.tables, "flows")!, "flow")!;
  const hosts = flow.texts!.slice(0, MOST_FLOWS).flatMap((one) => [`${one}.source`, `${one}.sink`]);
  const place = make("select", { ariaLabel: "Where packets are captured" }, ...["bottleneck", ...hosts].map((value) => make("option", { value, textContent: value })));
  const row = make("p", { className: "controls" });
  const saver = (words: string, of_packet: number, what: () => Traced): HTMLButtonElement => {
    const button = make("button", { type: "button", textContent: words });
    const size = of_packet * run.checked.packets;
    button.disabled = size > LARGEST;
    button.addEventListener("click", () => {
      const all = row.querySelectorAll("button");
      all.forEach((one) => (one.disabled = true));
      void tracing(run, what(), name).finally(() => all.forEach((one) => (one.disabled = false)));
    });
    if (button.disabled) button.title = `About ${written(Number((size / 1e9).toPrecision(2)))} GB are too much for a page: use the command.`;
    return button;
  };
  row.append(
    make("label", {}, "Packets at ", place),
    saver("pcapng", OF_CAPTURE, () => ({ captures: [place.value], qlog: false })),
    saver("qlog (ZIP)", OF_LOGS, () => ({ captures: [], qlog: true })),
    make("span", { className: "source" }, "For Wireshark and qvis. The command makes the same bytes with ", make("code", { textContent: "--pcap bottleneck --qlog" }), "."),
  );
  return row;
}

/** Shows what can be taken along of an experiment and of the runs of its variants, which may be missing. */
export function take(state: State, found: readonly Run[], tracing: Tracing): void {
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
        const code = (textContent: string): HTMLElement => make("code", { textContent });
        parts.push(make("p", { className: "source" }, "The command line takes congestion controls in Python and Rust: write the rules into the file that ", code("ackclock new cc mine"), " makes, and add ", code("--load mine.py"), ". The same rules give the same bytes."));
      }
      if (run) {
        const tables = run.tables.map((table) => {
          const save = saver(`${name(at)}-${table.name}.csv`, "text/csv", () => csvOf(table));
          save.textContent = `${table.name}.csv`;
          return save;
        });
        files.append(make("span", { className: "controls" }, ...tables));
        parts.push(traces(run, name(at), tracing));
        const digests = Object.entries(run.digests ?? {}).map(([table, digest]) => make("li", {}, `${table} `, make("code", { textContent: digest })));
        const facts = make("p", { className: "source" }, `Scenario ${run.checked.hash} without what is set in the command; seed ${run.seed}.`);
        const list = make("details", {}, make("summary", { textContent: "SHA-256 of each table, as in a pack" }), make("ul", { className: "digests" }, ...digests));
        parts.push(facts, list);
      }
      const head = state.texts.length > 1 ? [make("h3", { textContent: `Variant ${NAMES[at]}` })] : [];
      return make("div", { className: "taken" }, ...head, ...parts);
    }),
  );
}
