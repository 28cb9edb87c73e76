// The few fields of a scenario that have a control of their own. A control changes the text; the text says what the control shows.

import { make } from "../dom";
import type { Schema } from "./schema";
import { valuesAt } from "./schema";
import type { Checked } from "./simulate";
import { get, outlineOf, remove, set } from "./toml";

interface Knob {
  readonly label: string;
  readonly hint: string;
  /** What the control shows of a scenario; null where the scenario has no such thing. */
  readonly show: (text: string, checked: Checked) => string | null;
  /** The text with another value. */
  readonly change: (text: string, value: string) => string;
  readonly choices?: (schema: Schema, text: string) => readonly string[];
}

const quoted = (value: string): string => JSON.stringify(value.trim());

/** A value that is written as a text; a table, such as a rate that varies, is shown by nothing. */
function textAt(text: string, path: string): string | null {
  const value = get(text, path);
  return value !== undefined && /^["']/.test(value) ? value.slice(1, -1) : null;
}

const hasBottleneck = (text: string): boolean => outlineOf(text).sections.some((one) => one.path === "bottleneck");

const DISCIPLINES = ["drop-tail", "codel", "fq-codel", "pie", "red", "dualpi2"];

const disciplineOf = (value: string | null): string | null =>
  value === null ? null : DISCIPLINES.includes(value) ? value : /^[\d.]/.test(value) ? "drop-tail" : null;

const TIME = /^\s*([\d.]+)\s*(ns|us|ms|s)\s*$/;

const KNOBS: readonly Knob[] = [
  {
    label: "Rate of the link", hint: "such as 10Mbps",
    show: (text) => textAt(text, "bottleneck.rate"),
    change: (text, value) => set(text, "bottleneck.rate", quoted(value)),
  },
  {
    label: "RTT of the link", hint: "there and back, such as 40ms",
    show: (text) => {
      const found = TIME.exec(textAt(text, "bottleneck.delay") ?? "");
      return found && get(text, "bottleneck.reverse_delay") === undefined ? `${Number((2 * Number(found[1])).toPrecision(12))}${found[2]}` : null;
    },
    change: (text, value) => {
      const found = TIME.exec(value);
      const half = found ? `${Number((Number(found[1]) / 2).toPrecision(12))}${found[2]}` : value;
      return set(text, "bottleneck.delay", quoted(half));
    },
  },
  {
    label: "Buffer", hint: "such as 1bdp or 100 packets",
    show: (text) => {
      const value = textAt(text, "bottleneck.queue");
      return disciplineOf(value) === "drop-tail" ? value : null;
    },
    change: (text, value) => set(text, "bottleneck.queue", quoted(value)),
  },
  {
    label: "Queue", hint: "the discipline of the link",
    show: (text) => (hasBottleneck(text) ? disciplineOf(textAt(text, "bottleneck.queue")) : null),
    change: (text, value) => set(text, "bottleneck.queue", quoted(value === "drop-tail" ? "1bdp" : value)),
    choices: () => DISCIPLINES,
  },
  {
    label: "Random loss", hint: "none, or such as 0.1%",
    show: (text) => (hasBottleneck(text) ? get(text, "bottleneck.loss") === undefined ? "" : textAt(text, "bottleneck.loss") : null),
    change: (text, value) => (value.trim() ? set(text, "bottleneck.loss", quoted(value)) : remove(text, "bottleneck.loss")),
  },
  {
    label: "Duration", hint: "simulated time, such as 30s",
    show: (text) => textAt(text, "duration"),
    change: (text, value) => set(text, "duration", quoted(value)),
  },
]; // prettier-ignore

/** Flows that have a control of their own. */
const MOST_FLOWS = 4;

function ofFlows(text: string): Knob[] {
  const flows = outlineOf(text).sections.filter((one) => /^flows\[\d+\]$/.test(one.path)).slice(0, MOST_FLOWS);
  return flows.map(({ path }): Knob => ({
    label: `Congestion control of ${textAt(text, `${path}.name`) ?? path}`,
    hint: "",
    show: (now, { canonical }) => {
      const own = (canonical.flows as { cc?: unknown }[] | undefined)?.[Number(/\d+/.exec(path)![0])]?.cc;
      return textAt(now, `${path}.cc`) ?? (typeof own === "string" ? own : null);
    },
    change: (now, value) => set(now, `${path}.cc`, quoted(value)),
    choices: (schema) => valuesAt(schema, `${path}.cc`).map(({ name }) => JSON.parse(name) as unknown).filter((one) => typeof one === "string"),
  })); // prettier-ignore
}

/** The controls of one scenario. */
export class Knobs {
  private labels = "";

  constructor(
    private readonly place: HTMLElement,
    private readonly schema: Schema,
    private readonly text: () => string,
    private readonly changed: (text: string) => void,
  ) {}

  /** Shows what a text says. Controls that are there stay, and keep the focus. */
  show(text: string, checked: Checked): void {
    const knobs = [...KNOBS, ...ofFlows(text)].flatMap((knob) => {
      const value = knob.show(text, checked);
      return value === null ? [] : [{ knob, value }];
    });
    const labels = knobs.map(({ knob }) => knob.label).join("\n");
    if (labels !== this.labels) this.place.replaceChildren(...knobs.map(({ knob }) => this.control(knob, text)));
    this.labels = labels;
    const inputs = this.place.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select");
    knobs.forEach(({ value }, at) => {
      const input = inputs[at];
      if (input instanceof HTMLSelectElement && ![...input.options].some((one) => one.value === value)) {
        input.append(make("option", { value, textContent: value }));
      }
      if (input.value !== value && document.activeElement !== input) input.value = value;
      if (input instanceof HTMLSelectElement) input.value = value;
    });
  }

  private control(knob: Knob, text: string): HTMLElement {
    const choices = knob.choices?.(this.schema, text);
    const input = choices
      ? make("select", {}, ...choices.map((value) => make("option", { value, textContent: value })))
      : make("input", { type: "text", placeholder: knob.hint, spellcheck: false, autocomplete: "off" });
    const change = (): void => this.changed(knob.change(this.text(), input.value));
    input.addEventListener(choices ? "change" : "input", change);
    return make("label", { title: knob.hint }, make("span", { textContent: knob.label }), input);
  }
}
