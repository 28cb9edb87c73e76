// What a page waits for, and what went wrong: each in a sentence, with a way on.

import { make } from "./dom";

/** Milliseconds after which the sentence says how long it has taken. */
const LONG = 2000;

/** A place that says what the page waits for. */
export class Waiting {
  private readonly since = new Map<string, number>();
  private timer = 0;

  constructor(private readonly place: HTMLElement) {}

  /** Says `words` until the promise is settled. */
  async until<T>(words: string, promise: Promise<T>): Promise<T> {
    if (!this.since.has(words)) this.since.set(words, performance.now());
    this.show();
    try {
      return await promise;
    } finally {
      this.since.delete(words);
      this.show();
    }
  }

  private show(): void {
    clearTimeout(this.timer);
    this.place.hidden = !this.since.size;
    if (!this.since.size) return this.place.replaceChildren();
    const [[words, began]] = this.since;
    const took = performance.now() - began;
    const seconds = took < LONG ? "" : ` ${Math.floor(took / 1000)} s so far.`;
    this.place.replaceChildren(make("progress", { ariaLabel: words }), ` ${words}${seconds}`);
    this.timer = setTimeout(() => this.show(), 500);
  }
}

/** An error with a button that tries again. */
export function failure(error: unknown, again: () => void): HTMLElement {
  const button = make("button", { type: "button", textContent: "Try again" });
  button.addEventListener("click", again);
  return make("p", { className: "failure", role: "alert" }, make("span", { className: "error", textContent: (error as Error).message }), " ", button);
}
