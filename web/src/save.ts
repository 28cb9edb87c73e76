// Buttons that save a figure or a table as a file. Nothing leaves the page by another way.

import { sceneOfElement, sceneOfPlot } from "./capture";
import { make } from "./dom";
import { pdfOf } from "./pdf";
import type { Plot } from "./plot";
import { pngOf } from "./png";
import type { Scene } from "./scene";
import { svgOf } from "./svg";
import { cellsOf, csvOf, latexOf } from "./tables";

const FORMS: Record<string, (scene: Scene) => Blob | Promise<Blob>> = {
  PNG: pngOf,
  SVG: (scene) => new Blob([svgOf(scene)], { type: "image/svg+xml" }),
  PDF: pdfOf,
};

/** A name of a file for a title. */
export function nameOf(title: string): string {
  const words = title.toLowerCase().normalize("NFKD").match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 80) || "figure";
}

export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has to have begun to read it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function buttons(what: string, forms: readonly string[], save: (form: string) => Promise<void>): HTMLElement {
  const row = make("div", { className: "save" });
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", `Save ${what}`);
  for (const form of forms) {
    const button = make("button", { type: "button", textContent: form, title: `Save ${what} as ${form}` });
    button.addEventListener("click", () => void save(form));
    row.append(button);
  }
  return row;
}

function figureButtons(title: string, scene: () => Scene | Promise<Scene>): HTMLElement {
  return buttons("this figure", Object.keys(FORMS), async (form) => {
    download(await FORMS[form](await scene()), `${nameOf(title)}.${form.toLowerCase()}`);
  });
}

/** Puts buttons after a plot's element. */
export function saveable(element: HTMLElement, plot: Plot): void {
  element.after(figureButtons(titleOf(element, plot.visible.title), () => sceneOfPlot(plot)));
}

/** The words of the nearest heading above an element; that of a folded part is in its summary. */
function headingOf(element: Element): string {
  const levels = "h1, h2, h3";
  for (let inside: Element | null = element; inside; inside = inside.parentElement) {
    for (let before = inside.previousElementSibling; before; before = before.previousElementSibling) {
      const heading = before.matches(levels) ? before : before.matches("summary") ? before.querySelector(levels) : null;
      if (heading) return heading.textContent ?? "";
    }
  }
  return "";
}

/** The title of what an element shows, and what is chosen of it. */
function titleOf(element: Element, title = headingOf(element)): string {
  const option = element.closest(".option")?.querySelector(":scope > .chosen")?.textContent ?? "";
  return [title || document.title, option].filter(Boolean).join(", ");
}

/** Puts buttons after the figures of a part of a page that are HTML or SVG, and after its tables. */
export function saveAll(part: ParentNode): void {
  for (const figure of part.querySelectorAll<HTMLElement>(".heat, .intervals, .clouds")) {
    const title = titleOf(figure);
    figure.after(figureButtons(title, () => sceneOfElement(figure, title)));
  }
  for (const table of part.querySelectorAll<HTMLTableElement>("table")) {
    if (table.closest(".heat") || table.closest(".uplot")) continue;
    saveTable(table);
  }
}

/** Puts buttons after a table, or after what it scrolls in. */
export function saveTable(table: HTMLTableElement): void {
  const name = nameOf(titleOf(table, table.caption?.textContent ?? undefined));
  const place = table.closest(".scroll") ?? table;
  place.after(
    buttons("this table", ["CSV", "LaTeX"], (form) => {
      const cells = cellsOf(table);
      if (form === "CSV") download(new Blob([csvOf(cells)], { type: "text/csv" }), `${name}.csv`);
      else download(new Blob([latexOf(cells)], { type: "text/x-tex" }), `${name}.tex`);
      return Promise.resolve();
    }),
  );
}
