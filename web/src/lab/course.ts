// A lesson in the page: its question, the reader's numbers and prediction, and after the run the explanation.

import { byId, make } from "../dom";
import type { Field, Given, Lesson } from "./lessons/lesson";
import { LESSONS } from "./lessons";
import type { State } from "./link";
import type { Tables } from "./tables";
import { written } from "./words";

/** What a lesson's link begins with; its numbers follow after ?. */
const PREFIX = "lesson-";

type Experiment = Pick<State, "base" | "texts" | "seed" | "view" | "code">;

/** A number within its limits; null if the text is none. */
function within(text: string, { least, most }: Pick<Field, "least" | "most">): number | null {
  const value = text.trim() ? Number(text) : NaN;
  return value >= least && value <= most ? value : null;
}

export class Course {
  private lesson: Lesson | null = null;
  private given: Given = {};
  private guess: number | null = null;
  private experiment: Experiment | null = null;
  private readonly place = byId("lesson");
  private readonly told = make("div", { ariaLive: "polite" });

  constructor(private readonly run: (experiment: Experiment) => void) {
    const items = LESSONS.map(({ id, title }) => make("li", {}, make("a", { href: `#${PREFIX}${id}`, textContent: title })));
    byId("lessons").append(...items);
  }

  /** Opens the lesson of a link. Returns false if the link is that of something else. */
  open(fragment: string): boolean {
    const [name, numbers = ""] = fragment.replace(/^#/, "").split("?", 2);
    const lesson = LESSONS.find(({ id }) => PREFIX + id === name);
    if (!lesson) return false;
    const asked = new URLSearchParams(numbers);
    this.given = Object.fromEntries(lesson.fields.map((field) => [field.name, within(asked.get(field.name) ?? "", field) ?? field.value]));
    this.lesson = lesson;
    this.guess = null;
    this.experiment = null;
    this.draw(lesson);
    return true;
  }

  close(): void {
    this.lesson = null;
    this.experiment = null;
    this.place.hidden = true;
    this.reveal();
  }

  /** Whether a lesson waits for a prediction, so that nothing runs. */
  get waits(): boolean {
    return this.lesson !== null && this.experiment === null;
  }

  /** The link of the lesson that is open with the numbers that the reader has chosen; null beside an experiment of the reader's own. */
  link({ texts, code }: State): string | null {
    const { lesson, experiment } = this;
    if (!lesson || (experiment && (experiment.texts.join("\0") !== texts.join("\0") || experiment.code !== code))) return null;
    const numbers = lesson.fields.filter(({ name, value }) => this.given[name] !== value).map(({ name }) => `${name}=${this.given[name]}`);
    return `#${PREFIX}${lesson.id}${numbers.length ? `?${numbers.join("&")}` : ""}`;
  }

  /** Explains the runs of the lesson. Those of another experiment have no explanation. */
  ran(state: State, runs: readonly Tables[]): void {
    const { lesson, guess } = this;
    if (!lesson || guess === null || this.link(state) === null || this.experiment === null) return;
    const { rows, words } = lesson.explain(runs, this.given);
    const all = [{ what: "your prediction", value: guess, unit: lesson.guess.unit }, ...rows];
    const cells = all.map(({ what, value, unit }) =>
      make("tr", {}, make("th", { scope: "row", textContent: what }), make("td", { className: "number", textContent: `${written(Number(value.toPrecision(3)))} ${unit}` })),
    );
    this.told.replaceChildren(
      make("table", {}, make("caption", { textContent: lesson.guess.label }), make("tbody", {}, ...cells)),
      ...words.map((textContent) => make("p", { textContent })),
      make("h3", { textContent: "What to try next" }),
      make("ul", {}, ...lesson.next.map((textContent) => make("li", { textContent }))),
      this.onward(lesson),
    );
    this.place.dataset.explained = lesson.id;
  }

  private onward(lesson: Lesson): HTMLElement {
    const next = LESSONS[LESSONS.indexOf(lesson) + 1];
    return next
      ? make("p", {}, "The next lesson: ", make("a", { href: `#${PREFIX}${next.id}`, textContent: next.title }))
      : make("p", { textContent: "This was the last lesson. The experiments above are yours to change." });
  }

  private draw(lesson: Lesson): void {
    const inputs = new Map<Field | Lesson["guess"], HTMLInputElement>();
    const labelled = (field: Field | Lesson["guess"], value: string): HTMLElement => {
      const input = make("input", { type: "text", inputMode: "decimal", autocomplete: "off", value });
      inputs.set(field, input);
      return make("label", {}, make("span", { textContent: `${field.label} (${field.unit})` }), input);
    };
    const problem = make("p", { className: "error", role: "alert" });
    const form = make(
      "form",
      { noValidate: true },
      make("fieldset", {}, make("legend", { textContent: "Your numbers" }), ...lesson.fields.map((field) => labelled(field, String(this.given[field.name])))),
      make("fieldset", {}, make("legend", { textContent: "Your prediction" }), labelled(lesson.guess, "")),
      make("p", {}, make("button", { type: "submit", textContent: "Predict and run" })),
      problem,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const wrong = [...inputs].filter(([field, input]) => within(input.value, field) === null);
      problem.textContent = wrong.map(([{ label, least, most, unit }]) => `${label}: accepted: a number from ${least} to ${most} ${unit}.`).join(" ");
      for (const [field, input] of inputs) input.ariaInvalid = String(wrong.some(([one]) => one === field));
      if (wrong.length) return inputs.get(wrong[0][0])!.focus();
      this.given = Object.fromEntries(lesson.fields.map((field) => [field.name, Number(inputs.get(field)!.value)]));
      this.guess = Number(inputs.get(lesson.guess)!.value);
      this.experiment = { base: "", texts: lesson.texts(this.given), seed: 1, view: "over", code: lesson.code?.(this.given) };
      this.reveal();
      this.run(this.experiment);
    });
    this.told.replaceChildren();
    delete this.place.dataset.explained;
    this.place.replaceChildren(
      make("p", { className: "source", textContent: `Lesson ${LESSONS.indexOf(lesson) + 1} of ${LESSONS.length}: ${lesson.title}` }),
      make("h2", { textContent: lesson.question }),
      ...lesson.about.map((textContent) => make("p", { textContent })),
      form,
      this.told,
    );
    this.place.hidden = false;
    this.reveal();
  }

  /** Shows the experiment, unless a lesson waits for a prediction. */
  private reveal(): void {
    byId("experiment").hidden = this.waits;
    byId("heading").hidden = this.lesson !== null;
  }
}
