// The line above the panels of a store's page: the flow that is drawn, links from panel to panel, and the zoom.

import { make } from "./dom";
import { panelOf } from "./lines";

export class Jumps {
  private readonly choice = make("select");
  private readonly links = make("span", { className: "links" });
  private readonly range = make("output");
  private readonly whole = make("button", { type: "button", textContent: "Show all times", disabled: true });
  private chosen: string | null = null;

  /** `reset` shows all times again; `changed` draws anew for another flow, where flows can be chosen. */
  constructor(
    private readonly place: HTMLElement,
    reset: () => void,
    changed?: () => void,
  ) {
    if (changed) place.append(make("label", {}, "flow ", this.choice));
    place.append(this.links, this.range, this.whole);
    this.whole.addEventListener("click", reset);
    this.choice.addEventListener("change", () => {
      this.chosen = this.choice.value ? this.choice.value.slice(1) : null;
      changed?.();
    });
    this.show([], []);
  }

  /** The flow that is drawn alone; null for all. */
  get flow(): string | null {
    return this.chosen;
  }

  /** Draws all flows from now on. Returns whether that changes something. */
  forget(): boolean {
    const before = this.chosen;
    this.chosen = null;
    return before !== null;
  }

  /** Takes the panels to jump to, and the flows to choose from. Without panels there is nothing to show. */
  show(titles: readonly string[], flows: readonly string[]): void {
    this.place.hidden = !titles.length;
    const options = flows.map((name) => make("option", { value: `=${name}`, textContent: name }));
    this.choice.replaceChildren(make("option", { value: "", textContent: "all" }), ...options);
    this.choice.value = this.chosen === null ? "" : `=${this.chosen}`;
    this.links.replaceChildren(...titles.map((title) => this.link(title)));
  }

  /** Says what is zoomed to. */
  zoomed(range: readonly [number, number] | null): void {
    const told = (time: number): string => String(Number(time.toPrecision(6)));
    this.whole.disabled = range === null;
    this.range.textContent = range ? `${told(range[0])} s to ${told(range[1])} s` : "";
  }

  /** A link that brings a panel into view. The address stays: it has no place in the history of the browser. */
  private link(title: string): HTMLElement {
    const id = panelOf(title);
    const link = make("a", { href: `#${id}`, textContent: title });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById(id)?.scrollIntoView({ block: "center" });
    });
    return link;
  }
}
