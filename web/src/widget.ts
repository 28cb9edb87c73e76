// The figures of a run in a notebook, for anywidget, with the drawing code of all pages.

import { make } from "./dom";
import { Lines } from "./lines";
import type { Figure } from "./model";

/** The part of anywidget's model that is used: figures, and requests for more detail of a stretch of time. */
interface Model {
  get(name: "figures"): readonly Figure[];
  on(event: string, handler: (content: Detail) => void): void;
  off(event: string, handler: (content: Detail) => void): void;
  send(content: { readonly number: number; readonly range: readonly [number, number] }): void;
}

interface Detail {
  readonly number: number;
  readonly figures: readonly Figure[];
}

function render({ model, el }: { readonly model: Model; readonly el: HTMLElement }): () => void {
  const place = make("div", { className: "ackclock" });
  el.append(place);
  const waiting = new Map<number, (figures: readonly Figure[]) => void>();
  let asked = 0;
  const fetch = (range: readonly [number, number]): Promise<readonly Figure[]> =>
    new Promise((resolve) => {
      waiting.set(++asked, resolve);
      model.send({ number: asked, range });
    });
  const lines = new Lines(place, fetch, { failed: (error) => console.error(error), zoomed: () => {} });
  const answered = ({ number, figures }: Detail): void => {
    waiting.get(number)?.(figures);
    waiting.delete(number);
  };
  const show = (): void => lines.show(model.get("figures"));
  model.on("msg:custom", answered);
  model.on("change:figures", show);
  // A notebook attaches the element after this call, and a plot needs its width.
  requestAnimationFrame(show);
  return () => {
    model.off("msg:custom", answered);
    model.off("change:figures", show);
    lines.clear();
  };
}

export default { render };
