// The laboratory: an experiment as text, controls and a link, and its runs as figures and numbers.

import { byId, make } from "../dom";
import { download } from "../save";
import { Editor } from "./editor";
import gallery from "./gallery.json";
import { Knobs } from "./knobs";
import { LinkError, read, type State, write } from "./link";
import { MEASURED } from "./measures";
import { Ended, Pool } from "./pool";
import { Figures, means, NAMES, numbers } from "./results";
import type { Schema } from "./schema";
import { type Checked, type Override, ScenarioError } from "./simulate";
import { csvOf, type Tables } from "./tables";
import { aboutOf, shell, subjectOf, written } from "./words";
import type { About } from "./worker";

export * from "./link";
export { studentT } from "./statistics";
export { placeOf, remove, set } from "./toml";

const GALLERY: Readonly<Record<string, string>> = gallery;
const FIRST = "bufferbloat";
const SEEDS = 30;
/** Milliseconds without a further change, after which an experiment is run. */
const SETTLED = 250;
/** Packets of a run that starts by itself: some seconds of work. */
const MANY = 5e6;
/** Bytes of memory that a tab is expected to have for a run. */
const LARGEST = 1.5e9;
/** Rows of a figure's line, for scenarios that do not state the interval of their probes. */
const ROWS = 1000;

interface Run {
  readonly text: string;
  readonly checked: Checked;
  readonly overrides: readonly Override[];
  readonly tables: Tables;
  readonly digests: Record<string, string> | null;
  readonly took_ms: number;
}

let state: State = { base: FIRST, texts: [GALLERY[FIRST]], seed: 1, view: "over" };
/** The variant that the editor and the controls show. */
let shown = 0;
let about: About;
let runs: readonly Run[] = [];
let asked = 0;
let timer = 0;
/** The text that somebody has asked to run although it takes long. */
let allowed = "";

const status = byId("status");
const seed = byId("seed") as HTMLInputElement;
const scenario = byId("scenario") as HTMLSelectElement;
const figures = new Figures(byId("figures"));

function tell(words: string, isError = false, ...more: Node[]): void {
  status.className = isError ? "error" : "";
  status.replaceChildren(words, ...more);
}

function progress(done: number | null): void {
  const bar = byId("progress") as HTMLProgressElement;
  bar.hidden = byId("stop").hidden = done === null;
  bar.value = done ?? 0;
}

/** What the figures need besides what the scenario records. */
function probesOf({ canonical, duration_s }: Checked): Override[] {
  const probes = (canonical.probes ?? {}) as Record<string, unknown>;
  const names = ["window", "rates", "queues"].filter((name) => probes[name] !== true);
  const found = names.map((name): Override => [`probes.${name}`, "true"]);
  if (names.length === 3) found.push(["probes.interval", `${Math.max(1, Math.ceil((1000 * duration_s) / ROWS))}ms`]);
  return found;
}

function engineOf(threads: Pool, editor: Editor, knobs: Knobs, checker: Pool) {
  async function checked(text: string): Promise<Checked> {
    const plain = await checker.ask({ kind: "check", text, overrides: [] });
    if (plain.kind !== "checked") throw new Error("the engine gave another answer");
    return plain.checked;
  }

  function problems(found: ScenarioError["problems"]): void {
    editor.mark(found);
    byId("problems").replaceChildren(
      ...found.map((one) => {
        const button = make("button", { type: "button", textContent: `${one.path || "text"}: ${one.message}` });
        button.addEventListener("click", () => editor.go(one));
        return make("li", {}, button);
      }),
    );
  }

  async function run(number: number): Promise<void> {
    const checks: Checked[] = [];
    for (const [at, text] of state.texts.entries()) {
      try {
        const found = await checked(text);
        if (number !== asked) return;
        checks.push(found);
        if (at === shown) {
          problems([]);
          knobs.show(text, found);
        }
      } catch (error) {
        if (!(error instanceof ScenarioError) || number !== asked) throw error;
        if (at === shown) problems(error.problems);
        const where = state.texts.length > 1 ? ` of ${NAMES[at]}` : "";
        tell(`The scenario${where} has ${error.problems.length === 1 ? "a mistake" : `${error.problems.length} mistakes`}. The figures show the last run.`, true);
        return progress(null);
      }
    }
    const [memory, packets] = [Math.max(...checks.map((one) => one.memory)), checks.reduce((sum, one) => sum + one.packets, 0)];
    if (memory > LARGEST) {
      tell(`A run needs about ${written(memory / 1e9)} GB, which is too much for a page. Shorten it, or run it with the command below.`, true);
      progress(null);
      return take([]);
    }
    if (packets > MANY && allowed !== state.texts.join("\0")) {
      const button = make("button", { type: "button", textContent: "Run it" });
      button.addEventListener("click", () => {
        allowed = state.texts.join("\0");
        begin();
      });
      tell(`A run has about ${written(packets / 1e6)} million packets and takes about ${written(packets / 2e6)} s. `, false, button);
      return progress(null);
    }
    const done = state.texts.map(() => 0);
    tell("Running.");
    const found = await Promise.all(
      state.texts.map(async (text, at): Promise<Run> => {
        const overrides = probesOf(checks[at]);
        const answer = await threads.ask({ kind: "run", text, overrides, seed: state.seed, digests: true }, (part) => {
          done[at] = part;
          progress(done.reduce((sum, one) => sum + one, 0) / done.length);
        });
        if (answer.kind !== "tables") throw new Error("the engine gave another answer");
        return { text, checked: checks[at], overrides, tables: answer.tables, digests: answer.digests, took_ms: answer.took_ms };
      }),
    );
    if (number !== asked) return;
    progress(null);
    runs = found;
    const took = Math.max(...found.map((one) => one.took_ms));
    tell(`Done in ${written(Number((took / 1000).toPrecision(2)))} s: about ${written(Number(packets.toPrecision(2)))} packets.`);
    figures.show(found.map((one) => one.tables), state.view);
    numbers(byId("numbers"), found.map((one) => one.tables));
    take(found);
    document.body.dataset.ran = String(number);
  }

  /** Runs the experiment anew. What runs is ended. */
  function begin(): void {
    const number = ++asked;
    clearTimeout(timer);
    threads.end();
    byId("means").replaceChildren();
    void link();
    run(number).catch((error: unknown) => {
      if (error instanceof Ended || number !== asked) return;
      progress(null);
      tell(`The engine stopped: ${(error as Error).message}. Change the scenario, or load the page again.`, true);
    });
  }

  async function seeds(): Promise<void> {
    const number = ++asked;
    threads.end();
    let done = 0;
    const total = SEEDS * state.texts.length;
    tell(`Running ${SEEDS} seeds.`);
    progress(0);
    const off = ["window", "rates", "queues", "packets", "timeouts", "delays"].map((name): Override => [`probes.${name}`, "false"]);
    try {
      const found = await Promise.all(
        state.texts.map((text) =>
          Promise.all(
            Array.from({ length: SEEDS }, async (_, at) => {
              const answer = await threads.ask({ kind: "run", text, overrides: off, seed: state.seed + at, digests: false, tables: MEASURED });
              if (number === asked) progress(++done / total);
              return answer.kind === "tables" ? answer.tables : [];
            }),
          ),
        ),
      );
      if (number !== asked) return;
      progress(null);
      means(byId("means"), found, state.seed);
      tell(`${total} runs are done.`);
    } catch (error) {
      if (error instanceof Ended || number !== asked) return;
      progress(null);
      tell((error as Error).message, true);
    }
  }

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(begin, SETTLED);
  }

  function stop(): void {
    asked++;
    threads.end();
    progress(null);
    tell("The run was stopped. A change starts another.");
  }

  return { begin, later, seeds, stop };
}

async function link(): Promise<void> {
  const fragment = await write(state, GALLERY, about);
  history.replaceState(null, "", fragment);
  byId("length").textContent = `${location.href.length} characters`;
}

/** The files and commands that take a run out of the page. */
function take(found: readonly Run[]): void {
  const name = (at: number): string => `${state.base || "scenario"}${state.texts.length > 1 ? `-${NAMES[at].toLowerCase()}` : ""}`;
  const place = byId("take");
  place.replaceChildren(
    ...state.texts.map((text, at) => {
      const button = make("button", { type: "button", textContent: `${name(at)}.toml` });
      button.addEventListener("click", () => download(new Blob([text], { type: "application/toml" }), `${name(at)}.toml`));
      const run = found[at];
      const settings = run?.overrides.flatMap(([path, value]) => ["--set", `${path}=${value}`]) ?? [];
      const command = ["ackclock", "run", `${name(at)}.toml`, "--seed", String(state.seed), ...settings, "--out", name(at)].map(shell).join(" ");
      const parts: Node[] = [make("p", { className: "controls" }, button), make("pre", {}, make("code", { textContent: command }))];
      if (run) {
        const tables = run.tables.map((table) => {
          const save = make("button", { type: "button", textContent: `${table.name}.csv` });
          save.addEventListener("click", () => download(new Blob([csvOf(table)], { type: "text/csv" }), `${name(at)}-${table.name}.csv`));
          return save;
        });
        parts[0].appendChild(make("span", { className: "controls" }, ...tables));
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

function notice(...words: (Node | string)[]): void {
  byId("notice").append(make("p", {}, ...words));
  byId("notice").hidden = false;
}

async function opened(): Promise<void> {
  if (location.hash.length < 2) return;
  const named = location.hash.slice(1);
  if (named in GALLERY) {
    state = { ...state, base: named, texts: [GALLERY[named]] };
    return;
  }
  try {
    const found = await read(location.hash, GALLERY);
    state = found.state;
    if (found.version !== about.version || found.engine !== about.engine.slice(0, 8)) {
      notice(`This link was made by version ${found.version} (engine ${found.engine}). Version ${about.version} (engine ${about.engine.slice(0, 8)}) may give other numbers.`);
    }
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    notice(`The link cannot be opened: ${error.message}. Ask for it again, or start with the experiment below.`);
  }
}

async function start(): Promise<void> {
  if (typeof WebAssembly !== "object") {
    tell("This browser has no WebAssembly, or it is switched off. Use another browser, or the command line: ackclock run bufferbloat.toml.", true);
    return;
  }
  tell("Loading the engine.");
  const answer = await fetch("engine_bg.wasm");
  if (!answer.ok) throw new Error(`the engine is missing at ${answer.url}`);
  const module = await WebAssembly.compile(await answer.arrayBuffer());
  const cores = Math.max(1, Math.min(8, navigator.hardwareConcurrency || 1));
  const [threads, checker] = [new Pool(module, cores), new Pool(module, 1)];
  const found = await checker.start();
  about = found.about;
  const schema = JSON.parse(found.schema) as Schema;
  byId("about").textContent = `ackclock ${about.version}, engine ${about.engine.slice(0, 8)}. Runs happen in this page: nothing is sent to a server.`;

  const editor = new Editor(byId("editor"), (text) => rewritten(text), () => schema);
  const knobs = new Knobs(byId("knobs"), schema, () => state.texts[shown], (text) => {
    editor.show(text);
    rewritten(text);
  }); // prettier-ignore
  const engine = engineOf(threads, editor, knobs, checker);

  function rewritten(text: string): void {
    state = { ...state, texts: state.texts.map((one, at) => (at === shown ? text : one)) };
    engine.later();
  }

  /** Shows the state in every control. */
  function show(): void {
    shown = Math.min(shown, state.texts.length - 1);
    const text = state.texts[shown];
    editor.show(text);
    scenario.value = state.base;
    seed.value = String(state.seed);
    byId("question").textContent = subjectOf(state.texts[0]);
    byId("watch").textContent = aboutOf(state.texts[0]);
    const two = state.texts.length > 1;
    byId("variants").hidden = !two;
    byId("compare").textContent = two ? "Drop B" : "Compare with a variant";
    document.querySelectorAll<HTMLInputElement>("[name=variant]").forEach((one) => (one.checked = Number(one.value) === shown));
    document.querySelectorAll<HTMLInputElement>("[name=view]").forEach((one) => (one.checked = one.value === state.view));
  }

  function go(next: State): void {
    state = next;
    show();
    engine.begin();
  }

  const names = Object.keys(GALLERY).sort();
  scenario.append(...names.map((value) => make("option", { value, textContent: `${value}: ${subjectOf(GALLERY[value])}` })));
  scenario.addEventListener("change", () => go({ ...state, base: scenario.value, texts: [GALLERY[scenario.value]], seed: 1 }));
  seed.addEventListener("change", () => {
    if (/^\d{1,15}$/.test(seed.value)) go({ ...state, seed: Number(seed.value) });
    else tell(`seed ${seed.value}: accepted: a whole number from 0 to 999999999999999`, true);
  });
  byId("compare").addEventListener("click", () => {
    const two = state.texts.length > 1;
    shown = two ? 0 : 1;
    go({ ...state, texts: two ? [state.texts[0]] : [state.texts[0], state.texts[0]] });
  });
  byId("variants").addEventListener("change", (event) => {
    const { name, value } = event.target as HTMLInputElement;
    if (name === "view") {
      state = { ...state, view: value as State["view"] };
      figures.show(runs.map((one) => one.tables), state.view);
      void link();
    }
    else {
      shown = Number(value);
      show();
      engine.begin();
    }
  });
  byId("seeds").addEventListener("click", () => void engine.seeds());
  byId("stop").addEventListener("click", engine.stop);
  byId("copy").addEventListener("click", () => {
    navigator.clipboard.writeText(location.href).then(
      () => (byId("length").textContent = "The link is copied."),
      () => (byId("length").textContent = "The browser does not allow it: copy the address of this page."),
    );
  });
  addEventListener("hashchange", () => void opened().then(() => (show(), engine.begin())));
  await opened();
  show();
  engine.begin();
  byId("lab").hidden = false;
}

start().catch((error: unknown) => tell(`The laboratory does not start: ${(error as Error).message}. Load the page again.`, true));
