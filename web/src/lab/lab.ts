// The laboratory: an experiment as text, controls and a link, and its runs as figures and numbers.

import { byId, make } from "../dom";
import { download } from "../save";
import { Bookshelf } from "./bookshelf";
import { ControlError } from "./control";
import { Course } from "./course";
import { Editor, scenario as scenarios } from "./editor";
import type { Range } from "./figures";
import gallery from "./gallery.json";
import { Knobs } from "./knobs";
import { LinkError, read, type State, write } from "./link";
import { MEASURED } from "./measures";
import { Own, TEMPLATE } from "./own";
import { Ended, Pool, Program } from "./pool";
import { FINE, probesOf, stretchOf } from "./probes";
import { Figures, means, NAMES, numbers } from "./results";
import type { Schema } from "./schema";
import { type Checked, type Override, ScenarioError, type Traced } from "./simulate";
import type { Done } from "./studies/study";
import { type Tables, tableOf } from "./tables";
import { type Run, take } from "./take";
import { aboutOf, subjectOf, written } from "./words";
import type { About } from "./worker";

export { COLOURS, NEUTRAL } from "./figures";
export { LESSONS } from "./lessons";
export { STUDIES } from "./studies";
export * from "./link";
export { studentT } from "./statistics";
export { placeOf, remove, set } from "./toml";

export const GALLERY: Readonly<Record<string, string>> = gallery;
const FIRST = "bufferbloat";
/** The scenario of a congestion control that the reader writes. */
const OWN = "your-own";
/** Events of a run between two signs of life, where rules of the reader are called. */
const EVENTS = 1000;
const SEEDS = 30;
/** Milliseconds without a further change, after which an experiment is run. */
const SETTLED = 250;
/** Packets of a run that starts by itself: some seconds of work. */
const MANY = 5e6;
/** Bytes of memory that a tab is expected to have for a run. */
const LARGEST = 1.5e9;

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

function tell(words: string, isError = false, ...more: Node[]): void {
  status.className = isError ? "error" : "";
  status.replaceChildren(words, ...more);
}

function progress(done: number | null): void {
  const bar = byId("progress") as HTMLProgressElement;
  bar.hidden = byId("stop").hidden = done === null;
  bar.value = done ?? 0;
}

interface Parts {
  readonly threads: Pool;
  readonly checker: Pool;
  readonly editor: Editor;
  readonly knobs: Knobs;
  readonly own: Own;
  readonly course: Course;
  readonly figures: Figures;
}

function engineOf({ threads, checker, editor, knobs, own, course, figures }: Parts) {
  let loaded = "";

  /** Loads the program of the reader into the threads. */
  function load(code: string): void {
    if (code === loaded) return;
    const program = code ? new Program(code) : null;
    [threads, checker].forEach((pool) => pool.use(program));
    loaded = code;
  }

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
    const { code = "", seed } = state;
    if (code && !own.allows(code)) {
      tell("This link has a program of somebody else, which is shown below. Read it, and run it if you trust it.", true);
      progress(null);
      return take(state, [], traced);
    }
    load(code);
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
      return take(state, [], traced);
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
        const answer = await threads.ask({ kind: "run", text, overrides, seed, digests: true, ...(code && { events: EVENTS }) }, (part) => {
          done[at] = part;
          progress(done.reduce((sum, one) => sum + one, 0) / done.length);
        });
        if (answer.kind !== "tables") throw new Error("the engine gave another answer");
        return { text, seed, checked: checks[at], overrides, tables: answer.tables, digests: answer.digests, took_ms: answer.took_ms };
      }),
    );
    if (number !== asked) return;
    progress(null);
    if (code) own.mark(null);
    runs = found;
    const took = Math.max(...found.map((one) => one.took_ms));
    tell(`Done in ${written(Number((took / 1000).toPrecision(2)))} s: about ${written(Number(packets.toPrecision(2)))} packets.`);
    figures.show(found.map((one) => one.tables), state.view);
    numbers(byId("numbers"), found.map((one) => one.tables));
    take(state, found, traced);
    course.ran(state, found.map((one) => one.tables));
    document.body.dataset.ran = String(number);
  }

  /** Runs the experiment anew. What runs is ended. */
  function begin(): void {
    const number = ++asked;
    clearTimeout(timer);
    threads.end();
    byId("means").replaceChildren();
    void link(course);
    run(number).catch((error: unknown) => {
      if (error instanceof Ended || number !== asked) return;
      progress(null);
      if (error instanceof ControlError) return mistaken(error);
      tell(`The engine stopped: ${(error as Error).message}. Change the scenario, or load the page again.`, true);
    });
  }

  function mistaken(error: ControlError): void {
    own.mark(error);
    tell("The program of the congestion control has a mistake. The figures show the last run.", true);
  }

  /** Runs every text with a number of seeds from the first on. What runs is ended, and a later run ends this one. */
  async function many(texts: readonly string[], seeds: number, tables: readonly string[], first = 1): Promise<Done[]> {
    const number = ++asked;
    clearTimeout(timer);
    threads.end();
    const { code = "" } = state;
    const total = seeds * texts.length;
    tell(`Running ${total} times.`);
    progress(0);
    const off = ["window", "rates", "queues", "packets", "timeouts"].map((name): Override => [`probes.${name}`, "false"]);
    let done = 0;
    const requests = texts.flatMap((text, at) => Array.from({ length: seeds }, (_, seed) => ({ at, text, seed: first + seed })));
    const found = await Promise.all(
      requests.map(async ({ at, text, seed }): Promise<Done> => {
        const question = { kind: "run", text, overrides: off, seed, digests: false, tables, ...(code && { events: EVENTS }) } as const;
        const answer = await threads.ask(question);
        if (number === asked) progress(++done / total);
        return { text: at, seed, tables: answer.kind === "tables" ? answer.tables : [] };
      }),
    );
    if (number !== asked) throw new Ended();
    progress(null);
    tell(total === 1 ? "The run is done." : `${total} runs are done.`);
    return found;
  }

  /** Runs a variant again, and records all that happens in a stretch of time. Where that is ended, what is known has to do. */
  async function detail(variant: number, [from, to]: Range): Promise<Tables> {
    const { text, checked, overrides, tables, seed } = runs[variant];
    const { code = "" } = state;
    const finer = stretchOf(overrides, from, to, checked.duration_s);
    try {
      const answer = await threads.ask({ kind: "run", text, overrides: finer, seed, digests: false, tables: FINE, ...(code && { events: EVENTS }) }, progress);
      progress(null);
      tell(`The figures show ${written(from)} s to ${written(to)} s in full detail. A double click shows all again.`);
      return answer.kind === "tables" ? tables.map((one) => tableOf(answer.tables, one.name) ?? one) : tables;
    } catch (error) {
      failed(error);
      return tables;
    }
  }

  /** Runs a variant again for a trace, and saves the file. What is shown stays. */
  async function traced({ text, overrides, seed }: Run, what: Traced, name: string): Promise<void> {
    const { code = "" } = state;
    try {
      tell("Running for the trace.");
      const answer = await threads.ask({ kind: "trace", text, overrides, seed, ...what, ...(code && { events: EVENTS }) }, progress);
      if (answer.kind !== "file") throw new Error("the engine gave another answer");
      progress(null);
      download(new Blob([answer.bytes], { type: "application/octet-stream" }), `${name}-${answer.name}`);
      tell(`${name}-${answer.name} is saved.`);
    } catch (error) {
      failed(error);
    }
  }

  /** Says why runs failed, unless they were ended. */
  function failed(error: unknown): void {
    if (error instanceof Ended) return;
    progress(null);
    if (error instanceof ControlError) return mistaken(error);
    tell((error as Error).message, true);
  }

  async function seeds(): Promise<void> {
    const { texts, seed: first } = state;
    try {
      const found = await many(texts, SEEDS, MEASURED, first);
      means(byId("means"), texts.map((_, at) => found.filter((one) => one.text === at).map((one) => one.tables)), first);
    } catch (error) {
      failed(error);
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

  /** Ends what runs, while a lesson waits for a prediction. */
  function wait(): void {
    stop();
    tell("The run begins after your prediction.");
  }

  return { begin, detail, failed, later, many, seeds, stop, wait };
}

async function link(course: Course): Promise<void> {
  const fragment = course.link(state) ?? (await write(state, GALLERY, about));
  history.replaceState(null, "", fragment);
  byId("length").textContent = `${location.href.length} characters`;
}

/** A scenario of the gallery. That of a congestion control of the reader has a program. */
const picked = (base: string) => ({ base, texts: [GALLERY[base]], code: base === OWN ? state.code || TEMPLATE : undefined });

function notice(...words: (Node | string)[]): void {
  byId("notice").append(make("p", {}, ...words));
  byId("notice").hidden = false;
}

async function opened(course: Course, bookshelf: Bookshelf): Promise<void> {
  course.close();
  bookshelf.close();
  if (course.open(location.hash) || bookshelf.open(location.hash)) return;
  if (location.hash.length < 2) return;
  const named = location.hash.slice(1);
  if (Object.hasOwn(GALLERY, named)) {
    state = { ...state, ...picked(named) };
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
  if (location.protocol === "file:") {
    tell("Browsers do not run this page from a file on a disk. Open it with the command `ackclock lab`, or from a server of static files.", true);
    return;
  }
  tell("Loading the engine.");
  const [answer, worker] = await Promise.all(["engine_bg.wasm", "worker.js"].map((name) => fetch(name)));
  for (const one of [answer, worker]) if (!one.ok) throw new Error(`the engine is missing at ${one.url}`);
  const [module, script] = [await WebAssembly.compile(await answer.arrayBuffer()), new Program(await worker.text())];
  const cores = Math.max(1, Math.min(8, navigator.hardwareConcurrency || 1));
  const [threads, checker] = [new Pool(module, script, cores), new Pool(module, script, 1)];
  const found = await checker.start();
  about = found.about;
  const schema = JSON.parse(found.schema) as Schema;
  byId("about").textContent = `ackclock ${about.version}, engine ${about.engine.slice(0, 8)}. Runs happen in this page: nothing is sent to a server.`;

  const editor = new Editor(byId("editor"), scenarios(() => schema), (text) => rewritten(text));
  const own = new Own(
    (code) => {
      state = { ...state, code };
      byId("trust").hidden = true;
      engine.later();
    },
    () => (leave(), go({ ...state, base: OWN, texts: [GALLERY[OWN]], code: TEMPLATE })),
  );
  const figures = new Figures(byId("figures"), (variant, range) => engine.detail(variant, range));
  const course = new Course((experiment) => {
    if (experiment.code) own.trust(experiment.code);
    go(experiment);
  });
  const knobs = new Knobs(byId("knobs"), schema, () => state.texts[shown], (text) => {
    editor.show(text);
    rewritten(text);
  }); // prettier-ignore
  const bookshelf = new Bookshelf({ many: (...given) => engine.many(...given), failed: (error) => engine.failed(error) }, (experiment) => go(experiment));
  const engine = engineOf({ threads, checker, editor, knobs, own, course, figures });

  /** Closes what guides through an experiment. */
  function leave(): void {
    course.close();
    bookshelf.close();
  }

  function rewritten(text: string): void {
    state = { ...state, texts: state.texts.map((one, at) => (at === shown ? text : one)) };
    entitle();
    engine.later();
  }

  /** Shows the question of the experiment, which is at the top of its text. */
  function entitle(): void {
    byId("question").textContent = subjectOf(state.texts[0]) || "An experiment of your own";
    byId("watch").textContent = aboutOf(state.texts[0]);
  }

  /** Shows the state in every control. */
  function show(): void {
    shown = Math.min(shown, state.texts.length - 1);
    const text = state.texts[shown];
    editor.show(text);
    own.show(state.code);
    scenario.value = state.base;
    seed.value = String(state.seed);
    entitle();
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
  scenario.append(make("option", { value: "", textContent: "Choose an experiment", disabled: true }));
  scenario.append(...names.map((value) => make("option", { value, textContent: `${value}: ${subjectOf(GALLERY[value])}` })));
  scenario.addEventListener("change", () => {
    leave();
    go({ ...state, ...picked(scenario.value), seed: 1 });
  });
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
      void link(course);
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
  async function arrive(): Promise<void> {
    await opened(course, bookshelf);
    if (course.waits || bookshelf.isOpen) scenario.value = "";
    if (course.waits) return engine.wait();
    if (bookshelf.isOpen) return;
    show();
    engine.begin();
  }

  addEventListener("hashchange", () => void arrive());
  await arrive();
  byId("lab").hidden = false;
}

start().catch((error: unknown) => tell(`The laboratory does not start: ${(error as Error).message}. Load the page again.`, true));
