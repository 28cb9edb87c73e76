// The page of an emulated network: its links over time, drawn anew while the command runs.

import { byId } from "./dom";
import { Jumps } from "./jumps";
import { Lines } from "./lines";
import type { Figure } from "./model";

/** Milliseconds between two looks. */
const PAUSE = 500;

const jumps = new Jumps(byId("jumps"), () => lines.whole());
const lines: Lines = new Lines(byId("lines"), null, { failed: () => {}, zoomed: (range) => jumps.zoomed(range) });

async function follow(): Promise<void> {
  try {
    const answer = await fetch("api/live");
    if (!answer.ok) throw new Error(await answer.text());
    const { figures } = (await answer.json()) as { figures: readonly Figure[] };
    if (figures.length) {
      byId("state").textContent = "The command runs. This page follows.";
      if (!lines.update(figures)) {
        lines.show(figures);
        jumps.show(figures.map((figure) => figure.title), []);
      }
    }
  } catch {
    byId("state").textContent = "The command has ended. The figures stay until this page is closed.";
    return;
  }
  setTimeout(() => void follow(), PAUSE);
}

void follow();
