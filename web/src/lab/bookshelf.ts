// A study in the page: its published numbers, those on record, a slider, and the numbers of a shortened run.

import { byId, make } from "../dom";
import type { State } from "./link";
import { estimate } from "./statistics";
import { STUDIES } from "./studies";
import type { Done, Sources, Study } from "./studies/study";
import sources from "./record.json";
import { interval, written } from "./words";

const PREFIX = "study-";
const SOURCES = sources as unknown as Readonly<Record<string, Sources>>;

/** Milliseconds without a further move of the slider, after which the study runs. */
const SETTLED = 250;

const HEADS = ["claim", "unit", "published", "our study", "verdict", "this page"] as const;

type Experiment = Pick<State, "base" | "texts" | "seed" | "view" | "code">;

interface Runs {
  /** Runs every text with every seed; rejects if another run takes its place. */
  readonly many: (texts: readonly string[], seeds: number, tables: readonly string[]) => Promise<readonly Done[]>;
  readonly failed: (error: unknown) => void;
}

export class Bookshelf {
  private study: Study | null = null;
  private value = 0;
  private timer = 0;
  private readonly place = byId("study");
  private readonly cells = new Map<string, HTMLElement>();
  private readonly state = make("p", { className: "source", ariaLive: "polite" });

  constructor(
    private readonly runs: Runs,
    private readonly look: (experiment: Experiment) => void,
  ) {
    const items = STUDIES.map(({ slug, title, source }) => make("li", {}, make("a", { href: `#${PREFIX}${slug}`, textContent: title }), ` (${source})`));
    byId("studies").append(...items);
  }

  /** Opens the study of a link, and runs it. Returns false if the link is that of something else. */
  open(fragment: string): boolean {
    const [name, value = ""] = fragment.replace(/^#/, "").split("?unknown=", 2);
    const study = STUDIES.find(({ slug }) => PREFIX + slug === name);
    if (!study) return false;
    const { unknown } = study;
    const given = value ? Number(value) : NaN;
    this.value = given >= unknown.least && given <= unknown.most ? given : unknown.value;
    this.study = study;
    this.draw(study);
    this.begin(study);
    return true;
  }

  close(): void {
    this.study = null;
    clearTimeout(this.timer);
    this.place.hidden = true;
  }

  get isOpen(): boolean {
    return this.study !== null;
  }

  /** The link of the study that is open. */
  link(): string | null {
    if (!this.study) return null;
    const { slug, unknown } = this.study;
    return `#${PREFIX}${slug}${this.value === unknown.value ? "" : `?unknown=${this.value}`}`;
  }

  private draw(study: Study): void {
    const { claims } = SOURCES[study.slug];
    this.cells.clear();
    const rows = Object.keys(study.claims).map((id) => {
      const { statement, published, unit, measured, ci, n, verdict } = claims[id];
      const here = make("td", { className: "number", textContent: "–" });
      this.cells.set(id, here);
      const label = (cell: HTMLElement, at: number): HTMLElement => ((cell.dataset.label = HEADS[at]), cell);
      const told = typeof published === "number" ? written(published) : published;
      return make(
        "tr",
        {},
        make("th", { scope: "row", textContent: statement }),
        label(make("td", { textContent: unit }), 1),
        label(make("td", { textContent: told }), 2),
        label(make("td", { className: "number", textContent: interval(measured, (ci[1] - ci[0]) / 2), title: `95 % interval over ${n} seeds` }), 3),
        label(make("td", { textContent: verdict }), 4),
        label(here, 5),
      );
    });
    const heads = HEADS.map((textContent) => make("th", { scope: "col", textContent }));
    const { label, unit, least, most, step, about } = study.unknown;
    const output = make("output", { textContent: `${this.value} ${unit}` });
    const slider = make("input", { type: "range", min: String(least), max: String(most), step: String(step), value: String(this.value) });
    slider.addEventListener("input", () => {
      this.value = Number(slider.value);
      output.textContent = `${this.value} ${unit}`;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.begin(study), SETTLED);
    });
    const look = make("button", { type: "button", textContent: study.shown[0] === study.shown[1] ? "Look at the run" : `Look at ${study.variants[0]} beside ${study.variants[1]}` });
    look.addEventListener("click", () => {
      byId("experiment").hidden = false;
      this.look(this.experiment(study));
    });
    this.place.replaceChildren(
      make("p", { className: "source", textContent: `A published study: ${study.title} (${study.source})` }),
      make("h2", { textContent: study.question }),
      make("p", {}, make("strong", { textContent: "Shortened. " }), study.shortened),
      make("label", { className: "slider" }, make("span", { textContent: `Not stated: ${label.toLowerCase()}` }), slider, output),
      make("p", { className: "source", textContent: about }),
      make("div", { className: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))),
      this.state,
      make("p", {}, look),
      make("p", { className: "source" }, "The whole study: ", make("code", { textContent: `ackclock reproduce ${study.slug}` })),
    );
    this.place.hidden = false;
    byId("experiment").hidden = byId("heading").hidden = true;
  }

  private experiment(study: Study): Experiment {
    const texts = study.texts(SOURCES[study.slug].scenario, this.value);
    const shown = study.shown[0] === study.shown[1] ? [study.shown[0]] : [...study.shown];
    return { base: "", texts: shown.map((at) => texts[at]), seed: 1, view: "over", code: undefined };
  }

  private begin(study: Study): void {
    const value = this.value;
    const texts = study.texts(SOURCES[study.slug].scenario, value);
    history.replaceState(null, "", this.link());
    delete this.place.dataset.ran;
    this.runs.many(texts, study.seeds, study.tables).then(
      (done) => {
        if (this.study !== study || this.value !== value) return;
        for (const [id, measure] of Object.entries(study.claims)) {
          const { mean, half } = estimate(measure(done));
          this.cells.get(id)!.textContent = interval(mean, half);
        }
        const { label, unit } = study.unknown;
        this.state.textContent = `${done.length === 1 ? "One run" : `${done.length} runs`} with ${label.toLowerCase()} ${value} ${unit}.${study.seeds > 1 ? " Intervals are 95 % over seeds." : ""}`;
        this.place.dataset.ran = String(value);
      },
      (error: unknown) => this.runs.failed(error),
    );
  }
}
