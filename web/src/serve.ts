// The page of a store: runs to choose, what they are overlaid in, and what has finished since.

import { byId, make } from "./dom";
import { Jumps } from "./jumps";
import { Lines } from "./lines";
import { Questions } from "./question";
import { saveTable } from "./save";
import { failure, Waiting } from "./waiting";
import { againOf, barsOf, linesOf, queryOf, type Run, type State, stateAfter } from "./store";

export * from "./draw";

/** Milliseconds between two looks at the store, while a sweep runs and when all has finished. */
const [BUSY, QUIET] = [2000, 5000];

const chosen = new Set<string>();
const rows = new Map<string, HTMLTableRowElement>();
let state: State = {
  version: "", store: "", asked: 0, finished: 0, failed: 0, done: 0, names: [], titles: [], sweeps: [], runs: [], opening: [],
  tables: [], most: 1, measures: [],
}; // prettier-ignore
/** Whether somebody has chosen runs; before that the page follows what it would open with. */
let touched = false;
let asked = 0;

const measure = byId("measure") as HTMLInputElement;
const written = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 }).format;
const told = (error: unknown): HTMLElement => make("p", { className: "error", textContent: (error as Error).message });
const hint = (): HTMLElement => make("p", { textContent: "Choose runs above." });
const nameOf = (run: Run): string => [...run.values, `seed ${run.seed}`].join(", ");
const inOrder = (): Run[] => state.runs.filter((run) => chosen.has(run.run));
const jumps = new Jumps(byId("jumps"), () => lines.whole(), () => draw());
const lines = new Lines(byId("lines"), async (range) => (await linesOf(inOrder(), range, jumps.flow)).figures, {
  failed: tell,
  zoomed: (range) => jumps.zoomed(range),
});

const reading = new Waiting(byId("waits"));
const questions = new Questions((runs) => choose(runs), reading);
const [waitingForBars, waitingForLines] = ["waits-bars", "waits-lines"].map((id) => new Waiting(byId(id)));

/** Chooses runs instead of those that are chosen, and shows them over time. */
function choose(runs: readonly string[]): void {
  chosen.clear();
  runs.slice(0, state.most).forEach((run) => chosen.add(run));
  touched = true;
  draw();
  byId("time").scrollIntoView();
}

/** Says why the store is not read. */
function tell(error: unknown): void {
  byId("state").textContent = state.version ? "The page shows what it has read before." : "The store is not read.";
  // A message that stands there is not read aloud again.
  if (!byId("failed").textContent!.includes((error as Error).message)) byId("failed").replaceChildren(failure(error, () => void follow()));
  // What is told has to be told anew when the store is well again.
  state = { ...state, version: "" };
}

/** Puts children in an order, and moves only those that are elsewhere. */
function arrange(parent: Element, children: readonly Element[]): void {
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
  while (parent.children.length > children.length) parent.lastElementChild!.remove();
}

/** The texts that the column of a run is filtered by. */
function textsOf(run: Run): string[][] {
  const values = run.values.map((value) => [value]);
  return state.sweeps.length > 1 ? [...values, run.sweeps.map((number) => state.sweeps[number])] : values;
}

const columns = (): string[] => [...state.titles, ...(state.sweeps.length > 1 ? ["sweep"] : [])];

function filters(): void {
  const place = byId("filters");
  const kept = [...place.querySelectorAll("select")].map((select) => select.value);
  place.replaceChildren(
    ...columns().map((name, column) => {
      const values = [...new Set(state.runs.flatMap((run) => textsOf(run)[column]))];
      const select = make("select", {}, make("option", { value: "", textContent: "all" }));
      values.forEach((value) => select.append(make("option", { value: `=${value}`, textContent: value })));
      select.value = kept[column] ?? "";
      if (select.selectedIndex < 0) select.value = "";
      select.addEventListener("change", list);
      return make("label", {}, `${name} `, select);
    }),
  );
}

function rowOf(run: Run): HTMLTableRowElement {
  const box = make("input", { type: "checkbox" });
  box.setAttribute("aria-label", nameOf(run));
  box.addEventListener("change", () => {
    if (!box.checked) chosen.delete(run.run);
    else if (chosen.size < state.most) chosen.add(run.run);
    touched = true;
    draw();
  });
  const first = make("td", {}, box);
  first.dataset.unsaved = "";
  const texts = [...textsOf(run).map((texts) => texts.join(", ")), String(run.seed)];
  const alone = make("button", { type: "button", textContent: run.run, title: "Show this run alone over time" });
  alone.addEventListener("click", () => choose([run.run]));
  return make("tr", {}, first, ...texts.map((textContent) => make("td", { textContent })), make("td", {}, alone));
}

function list(): void {
  const wanted = [...byId("filters").querySelectorAll("select")].map((select) => select.value);
  const shown = state.runs.filter((run) => {
    const texts = textsOf(run);
    return wanted.every((value, column) => !value || texts[column].some((text) => value === `=${text}`));
  });
  for (const run of shown) if (!rows.has(run.run)) rows.set(run.run, rowOf(run));
  arrange(byId("runs").querySelector("tbody")!, shown.map((run) => rows.get(run.run)!));
}

function head(): void {
  const first = make("th");
  first.dataset.unsaved = "";
  const names = [...columns(), "seed", "run"].map((textContent) => make("th", { textContent, scope: "col" }));
  byId("runs").querySelector("thead")!.replaceChildren(make("tr", {}, first, ...names));
}

async function bars(number: number): Promise<void> {
  const place = byId("bars");
  const runs = inOrder();
  if (!runs.length) return place.replaceChildren(hint());
  try {
    const found = await waitingForBars.until("Reading the measure of each run.", barsOf(runs, measure.value));
    if (number !== asked) return;
    const most = Math.max(...found.values.map((value) => Math.abs(value ?? 0))) || 1;
    const body = make("tbody", {}, ...runs.map((run, at) => {
      const value = found.values[at];
      const bar = make("td", { className: "bar" }, make("meter", { max: most, value: Math.abs(value ?? 0) }));
      bar.dataset.unsaved = "";
      const text = make("td", { className: "number", textContent: value === null ? "-" : written(value) });
      text.dataset.value = value === null ? "" : String(value);
      return make("tr", {}, make("td", { textContent: `${at + 1}: ${nameOf(run)}` }), bar, text);
    })); // prettier-ignore
    const bar = make("th");
    bar.dataset.unsaved = "";
    const label = found.unit ? `${found.name} (${found.unit})` : found.name;
    const top = make("tr", {}, make("th", { textContent: "run" }), bar, make("th", { className: "number", textContent: label }));
    const table = make("table", {}, make("thead", {}, top), body);
    place.replaceChildren(table);
    saveTable(table);
  } catch (error) {
    if (number === asked) place.replaceChildren(failure(error, () => void bars(number)));
  }
}

async function overTime(number: number): Promise<void> {
  const runs = inOrder();
  const instead = (node: Node): void => {
    lines.clear(node);
    jumps.show([], []);
  };
  if (!runs.length) return instead(hint());
  try {
    const { figures, flows } = await waitingForLines.until("Reading what the runs recorded over time.", linesOf(runs, null, jumps.flow));
    if (number !== asked) return;
    if (!figures.length) return instead(again(runs));
    lines.show(figures);
    jumps.show(figures.map((figure) => figure.title), flows);
  } catch (error) {
    if (number !== asked) return;
    // The flow that was chosen may be one of other runs.
    if (jumps.flow !== null && jumps.forget()) return void overTime(number);
    instead(failure(error, () => void overTime(number)));
  }
}

/** Offers to run runs again, of which nothing was recorded over time. */
function again(runs: readonly Run[]): HTMLElement {
  const button = make("button", { type: "button", textContent: runs.length > 1 ? `Run these ${runs.length} again with probes` : "Run it again with probes" });
  const words = make("p", { className: "controls" }, "Nothing of these runs was recorded over time. ", button);
  button.addEventListener("click", () => {
    button.disabled = true;
    button.textContent = "Running.";
    againOf(runs).then(
      () => void overTime(++asked),
      (error: unknown) => words.replaceChildren(told(error)),
    );
  });
  return words;
}

function links(): void {
  const query = queryOf(inOrder());
  const tables = state.tables.filter((table) => table !== "runs");
  const linked = tables.map((table) => {
    const forms = ["csv", "parquet", "arrow"].map((form) =>
      make("td", {}, make("a", { href: `data/${table}.${form}?${query}`, download: `${table}.${form}`, textContent: form })));
    return make("tr", {}, make("td", { textContent: table }), ...forms);
  }); // prettier-ignore
  byId("data").replaceChildren(chosen.size ? make("table", {}, make("tbody", {}, ...linked)) : hint());
}

function draw(): void {
  asked += 1;
  for (const [key, row] of rows) row.querySelector("input")!.checked = chosen.has(key);
  byId("chosen").textContent = `${chosen.size} chosen of ${state.runs.length}; at most ${state.most} together.`;
  links();
  void bars(asked);
  void overTime(asked);
}

/** Takes over what has changed in the store. Runs that have finished never change, so that figures stay. */
function take(now: State): void {
  const before = inOrder().map((run) => run.run).join();
  const renamed = [...now.titles, "", ...now.sweeps].join("\n") !== [...state.titles, "", ...state.sweeps].join("\n");
  const tables = now.tables.join() !== state.tables.join();
  state = now;
  document.title = byId("title").textContent = now.store;
  const failed = now.failed ? `, ${now.failed} of them failed` : "";
  const listed = now.runs.length < now.done ? `; the first ${now.runs.length} are listed` : "";
  const busy = now.finished < now.asked ? " This page follows." : "";
  const counted = `${now.finished} of ${now.asked} runs have finished${failed}${listed}.${busy}`;
  byId("failed").replaceChildren();
  byId("opened").hidden = !now.runs.length;
  byId("state").textContent = now.asked ? counted : "The store has no runs yet: `ackclock sweep` fills it. This page follows.";
  byId("measures").replaceChildren(...now.measures.map(({ measure: value, label }) => make("option", { value, label })));
  if (!measure.value && now.measures.length) measure.value = now.measures[0].measure;
  questions.follow(now);
  // A run that a further sweep shares has more to tell.
  if (renamed) rows.clear();
  const known = new Set(now.runs.map((run) => run.run));
  [...chosen].filter((run) => !known.has(run)).forEach((run) => chosen.delete(run));
  if (!touched) {
    chosen.clear();
    now.opening.forEach((run) => chosen.add(run));
  }
  head();
  filters();
  list();
  if (before !== inOrder().map((run) => run.run).join() || tables || renamed) draw();
  else byId("chosen").textContent = `${chosen.size} chosen of ${now.runs.length}; at most ${now.most} together.`;
}

let timer = 0;

async function follow(): Promise<void> {
  clearTimeout(timer);
  try {
    const found = stateAfter(state.version);
    const now = await (state.version ? found : reading.until("Reading the list of runs.", found));
    if (now) take(now);
  } catch (error) {
    tell(error);
  }
  if (!document.hidden) timer = setTimeout(() => void follow(), state.finished < state.asked ? BUSY : QUIET);
}

saveTable(byId("runs").querySelector("table")!);
measure.addEventListener("change", () => void bars(asked));
byId("clear").addEventListener("click", () => {
  chosen.clear();
  touched = true;
  draw();
});
document.addEventListener("visibilitychange", () => document.hidden || void follow());
draw();
void follow();
