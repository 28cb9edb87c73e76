// A congestion control of the reader: its program in an editor, and whether it may run.

import { byId, make } from "../dom";
import type { ControlError } from "./control";
import { Editor, program } from "./editor";
import TEMPLATE from "./template.txt";

export { TEMPLATE };

export class Own {
  private readonly editor: Editor;
  private readonly place = byId("own") as HTMLDetailsElement;
  /** The program that the reader has written, or has allowed to run. */
  private trusted = TEMPLATE;

  /** `changed` is told every program that the reader has written or allowed; `begun` that one is wanted. */
  constructor(changed: (code: string) => void, begun: () => void) {
    const trust = (code: string): void => {
      this.trusted = code;
      changed(code);
    };
    this.editor = new Editor(byId("program"), program, trust);
    byId("template").addEventListener("click", begun);
    byId("trust").addEventListener("click", () => trust(this.editor.text));
  }

  /** Lets a program run that the page has written. */
  trust(code: string): void {
    this.trusted = code;
  }

  /** Whether a program was written or allowed by the reader. That of a link is not, until the reader has seen it. */
  allows(code: string): boolean {
    return code === this.trusted;
  }

  show(code: string | undefined): void {
    byId("written").hidden = !code;
    byId("template").hidden = Boolean(code);
    byId("trust").hidden = !code || this.allows(code);
    this.mark(null);
    if (!code) return;
    this.place.open = true;
    this.editor.show(code);
  }

  /** Shows the mistake of the program, or none. */
  mark(error: ControlError | null): void {
    const problems = error ? [{ path: "", line: error.line, message: error.message }] : [];
    this.editor.mark(problems);
    byId("mistakes").replaceChildren(
      ...problems.map((one) => {
        const words = one.line ? `line ${one.line}: ${one.message}` : one.message;
        const button = make("button", { type: "button", textContent: words });
        button.addEventListener("click", () => this.editor.go(one));
        return make("li", {}, button);
      }),
    );
  }
}
