// A thread that runs scenarios. The page ends a run by ending its thread, so that nothing here waits for a message.

import { archive } from "./bytes";
import { ControlError, expect, registered } from "./control";
import { digestsOf } from "./digest";
import { engine } from "./module";
import { check, type Checked, type Override, type Problem, type Request, ScenarioError, simulate, trace, type Traced } from "./simulate";
import type { Tables } from "./tables";

export { check, digestsOf, expect, registered, simulate, trace };
// What the program of a congestion control uses.
export { congestion_control, parameter, WindowRules } from "./control";

export type Question =
  | { readonly kind: "load"; readonly script: string; readonly module: WebAssembly.Module }
  /** The program of a congestion control: its text, and the address of a script with the same text. */
  | { readonly kind: "control"; readonly text: string; readonly address: string }
  | { readonly kind: "check"; readonly text: string; readonly overrides: readonly Override[] }
  | ({ readonly kind: "run"; readonly digests: boolean } & Request)
  | ({ readonly kind: "trace" } & Request & Traced);

export interface About {
  readonly version: string;
  readonly engine: string;
}

export type Answer =
  | { readonly kind: "loaded"; readonly about: About; readonly schema: string }
  | { readonly kind: "registered"; readonly names: readonly string[] }
  | { readonly kind: "checked"; readonly checked: Checked }
  | { readonly kind: "progress"; readonly done: number }
  | { readonly kind: "tables"; readonly tables: Tables; readonly digests: Record<string, string> | null; readonly took_ms: number }
  /** One file as it is, several as a ZIP archive. */
  | { readonly kind: "file"; readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] }
  | { readonly kind: "mistake"; readonly message: string; readonly line: number | null }
  /** After an error of the engine its module cannot be used. */
  | { readonly kind: "failed"; readonly message: string };

function buffersOf(tables: Tables): ArrayBuffer[] {
  const columns = tables.flatMap((table) => table.columns);
  return columns.flatMap(({ values, valid }) => [values, ...(valid ? [valid] : [])].map((one) => one.buffer as ArrayBuffer));
}

const load = (address: string): void => (globalThis as unknown as { importScripts(address: string): void }).importScripts(address);

async function answer(question: Question, tell: (answer: Answer, transfer?: ArrayBuffer[]) => void): Promise<void> {
  switch (question.kind) {
    case "load":
      load(question.script);
      engine().initSync({ module: question.module });
      tell({ kind: "loaded", about: { version: engine().version(), engine: engine().engine() }, schema: engine().schema() });
      break;
    case "control":
      tell({ kind: "registered", names: registered() });
      break;
    case "check":
      tell({ kind: "checked", checked: check(question.text, question.overrides) });
      break;
    case "run": {
      const began = performance.now();
      const tables = simulate(question, (done) => tell({ kind: "progress", done }));
      const took_ms = performance.now() - began;
      const digests = question.digests ? await digestsOf(tables) : null;
      tell({ kind: "tables", tables, digests, took_ms }, buffersOf(tables));
      break;
    }
    case "trace": {
      const files = trace(question, question, (done) => tell({ kind: "progress", done }));
      const [first] = files.keys();
      const [name, bytes] = question.qlog ? ["qlog.zip", archive(files)] : [first, files.get(first)!];
      tell({ kind: "file", name, bytes }, [bytes.buffer]);
    }
  }
}

if ("importScripts" in globalThis) {
  const tell = (given: Answer, transfer: ArrayBuffer[] = []): void => {
    (globalThis as unknown as Worker).postMessage(given, transfer);
  };
  globalThis.addEventListener("message", (event: MessageEvent<Question>) => {
    // An exception of the program is not caught: the browser tells the page its message and its line.
    if (event.data.kind === "control") {
      expect(event.data.text, event.data.address);
      load(event.data.address);
    }
    answer(event.data, tell).catch((error: unknown) => {
      if (error instanceof ScenarioError) tell({ kind: "problems", problems: error.problems });
      else if (error instanceof ControlError) tell({ kind: "mistake", message: error.message, line: error.line });
      else tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    });
  });
}
