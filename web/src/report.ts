// A page at rest: plots are drawn when their part of it is shown, choices show one part, and filters hide rows.

import type { Figure } from "./model";
import { Plot } from "./plot";
import { saveable, saveAll } from "./save";
import { steerable } from "./steer";

export * from "./draw";

function draw(part: ParentNode): void {
  for (const source of part.querySelectorAll<HTMLScriptElement>("script[data-plot]:not([data-drawn])")) {
    const element = document.getElementById(source.dataset.plot!)!;
    // What is not shown has no width to be drawn in.
    if (element.closest("[hidden], details:not([open])")) continue;
    source.dataset.drawn = "";
    const sync = element.closest<HTMLElement>("[data-sync]")?.dataset.sync;
    const figure = JSON.parse(source.textContent!) as Figure;
    const plot = new Plot(element, figure, { sync });
    saveable(element, plot);
    steerable(element, plot, figure.title);
  }
}

function chooses(choice: HTMLElement): void {
  const select = choice.querySelector("select")!;
  const parts = [...choice.querySelectorAll<HTMLElement>(":scope > .option")];
  const show = (): void => {
    parts.forEach((part, at) => (part.hidden = at !== select.selectedIndex));
    draw(choice);
  };
  select.addEventListener("change", show);
  show();
}

/** A row keeps, for each list above the table, the number of its entry. */
function filters(box: HTMLElement): void {
  const selects = [...box.querySelectorAll("select")];
  const rows = [...box.querySelectorAll<HTMLTableRowElement>("tbody tr")];
  const count = box.querySelector("output")!;
  const filter = (): void => {
    const wanted = selects.map((select) => select.value);
    let shown = 0;
    for (const row of rows) {
      const own = row.dataset.of!.split(" ");
      row.hidden = wanted.some((value, at) => value !== "" && value !== own[at]);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = shown === rows.length ? `all ${rows.length}` : `${shown} of ${rows.length}`;
  };
  selects.forEach((select) => select.addEventListener("change", filter));
  filter();
}

// A part that was folded is drawn when it is opened; these events do not bubble.
document.addEventListener("toggle", (event) => {
  if (event.target instanceof HTMLDetailsElement && event.target.open) draw(event.target);
}, true); // prettier-ignore

saveAll(document);
document.querySelectorAll<HTMLElement>(".choice").forEach(chooses);
document.querySelectorAll<HTMLElement>(".filtered").forEach(filters);
draw(document);
