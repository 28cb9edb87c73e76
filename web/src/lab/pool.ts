// Threads that run scenarios, and the questions that wait for one. A thread is ended to end its run, and another takes its place.

import type { About, Answer, Question } from "./worker";
import { ControlError } from "./control";
import { ScenarioError } from "./simulate";

/** The run was ended by the page. */
export class Ended extends Error {}

type Final = Exclude<Answer, { kind: "progress" | "problems" | "mistake" | "failed" }>;

/** Milliseconds without a sign of life, after which the program of a congestion control is ended. */
const PATIENCE = 10_000;

const ENDLESS = `it has not ended within ${PATIENCE / 1000} s, and was stopped. A rule, or the program around the class, has a loop without an end.`;

/** Texts that threads execute, at addresses of their own: such threads keep to the page's policy, and ask no other server. */
const address = (text: string): string => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));

/** The program of a congestion control, for threads. */
export class Program {
  readonly address: string;

  constructor(readonly text: string) {
    this.address = address(text);
  }
}

/** A message of a mistake without the words about how the page loads the program. */
const plain = (message: string): string => message.replace(/^Uncaught /, "").replace(/Failed to execute 'importScripts' on 'WorkerGlobalScope': /, "");

class Thread {
  private readonly worker: Worker;
  private reject: ((error: Error) => void) | null = null;
  broken = false;

  constructor(
    script: string,
    private readonly program: Program | null,
  ) {
    this.worker = new Worker(script);
  }

  ask(question: Question, progress: (done: number) => void = () => {}): Promise<Final> {
    return new Promise((resolve, reject) => {
      let timer = 0;
      const done = <T>(action: (given: T) => void) => (given: T): void => (clearTimeout(timer), action(given)); // prettier-ignore
      const [accept, refuse] = [done(resolve), done(reject)];
      this.reject = refuse;
      const fail = (error: Error): void => {
        this.broken = true;
        this.worker.terminate();
        refuse(error);
      };
      const lives = (): void => {
        clearTimeout(timer);
        if (!this.program || question.kind === "load") return;
        timer = setTimeout(() => {
          fail(new ControlError(ENDLESS, null));
        }, PATIENCE);
      };
      this.worker.onerror = (event) => {
        event.preventDefault();
        const isOfProgram = this.program !== null && event.filename === this.program.address;
        const message = plain(event.message) || "the thread of the engine does not start";
        fail(isOfProgram || question.kind === "control" ? new ControlError(message, isOfProgram ? event.lineno : null) : new Error(message));
      };
      this.worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if (data.kind === "progress") {
          lives();
          progress(data.done);
        } else if (data.kind === "problems") refuse(new ScenarioError(data.problems));
        else if (data.kind === "mistake") fail(new ControlError(data.message, data.line));
        else if (data.kind === "failed") fail(new Error(data.message));
        else accept(data);
      };
      this.worker.postMessage(question);
      lives();
    });
  }

  end(): void {
    this.broken = true;
    this.worker.terminate();
    this.reject?.(new Ended());
  }
}

interface Waiting {
  readonly question: Question;
  readonly progress?: (done: number) => void;
  readonly resolve: (answer: Final) => void;
  readonly reject: (error: Error) => void;
}

export class Pool {
  private readonly idle: Thread[] = [];
  private readonly busy = new Set<Thread>();
  private waiting: Waiting[] = [];
  private program: Program | null = null;

  constructor(
    private readonly module: WebAssembly.Module,
    /** The script of threads. */
    private readonly script: Program,
    readonly size: number,
  ) {}

  /** Loads a program into every thread from now on, or none. Everything that runs or waits is ended. */
  use(program: Program | null): void {
    this.end();
    this.idle.splice(0).forEach((thread) => thread.end());
    this.program = program;
  }

  private async made(): Promise<{ thread: Thread; about: About; schema: string }> {
    const { program } = this;
    const thread = new Thread(this.script.address, program);
    this.busy.add(thread);
    try {
      const answer = await thread.ask({ kind: "load", script: new URL("engine.js", location.href).href, module: this.module });
      if (answer.kind !== "loaded") throw new Error("the engine does not load");
      if (program) await thread.ask({ kind: "control", ...program });
      return { thread, about: answer.about, schema: answer.schema };
    } catch (error) {
      this.busy.delete(thread);
      throw error;
    }
  }

  /** Makes the first thread, and says what it runs. */
  async start(): Promise<{ about: About; schema: string }> {
    const { thread, about, schema } = await this.made();
    this.busy.delete(thread);
    this.idle.push(thread);
    return { about, schema };
  }

  ask(question: Question, progress?: (done: number) => void): Promise<Final> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, progress, resolve, reject });
      void this.next();
    });
  }

  private async next(): Promise<void> {
    if (!this.waiting.length || this.busy.size >= this.size) return;
    const { question, progress, resolve, reject } = this.waiting.shift()!;
    let thread: Thread | undefined;
    try {
      thread = this.idle.pop();
      if (thread) this.busy.add(thread);
      else ({ thread } = await this.made());
      resolve(await thread.ask(question, progress));
    } catch (error) {
      reject(error as Error);
    }
    if (thread) {
      this.busy.delete(thread);
      if (!thread.broken) this.idle.push(thread);
    }
    void this.next();
  }

  /** Ends everything that runs or waits. */
  end(): void {
    const [waiting, busy] = [this.waiting, [...this.busy]];
    this.waiting = [];
    this.busy.clear();
    busy.forEach((thread) => thread.end());
    waiting.forEach(({ reject }) => reject(new Ended()));
  }
}
