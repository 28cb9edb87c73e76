// Steering a figure without a mouse: by keys, and on a screen that is touched by buttons.

import { make } from "./dom";
import type { Plot } from "./plot";

/** Parts of the width that the pointer moves by. */
const [STEP, LEAP] = [0.005, 0.05];

const HINT = "Keys: arrows move the pointer, + and - zoom, Escape shows all, 1 to 9 hide or show a line.";

function pressed(plot: Plot, { key, shiftKey }: KeyboardEvent): boolean {
  const step = shiftKey ? LEAP : STEP;
  if (key === "ArrowLeft") plot.point(-step);
  else if (key === "ArrowRight") plot.point(step);
  else if (key === "+" || key === "=") plot.magnify(0.5);
  else if (key === "-") plot.magnify(2);
  else if (key === "Escape") plot.magnify(Infinity);
  else if (/^[1-9]$/.test(key)) plot.toggle(Number(key) - 1);
  else return false;
  return true;
}

/** Lets keys steer the plot in an element, and puts the buttons for fingers after it. */
export function steerable(element: HTMLElement, plot: Plot, title: string): void {
  element.tabIndex = 0;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", `${title}. ${HINT}`);
  element.dataset.hint = HINT;
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== element) return;
    if (pressed(plot, event)) event.preventDefault();
  });
  const kinds: [string, string, number][] = [["+", "Zoom in at the pointer", 0.5], ["\u2212", "Zoom out", 2], ["all", "Show all", Infinity]]; // prettier-ignore
  const buttons = kinds.map(([textContent, ariaLabel, factor]) => {
    const button = make("button", { type: "button", textContent, ariaLabel });
    button.addEventListener("click", () => plot.magnify(factor));
    return button;
  });
  element.after(make("div", { className: "fingers" }, ...buttons));
}
