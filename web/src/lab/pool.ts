// Threads that run scenarios, and the questions that wait for one. A thread is ended to end its run, and another takes its place.

import type { About, Answer, Question } from "./worker";
import { ScenarioError } from "./simulate";

/** The run was ended by the page. */
export class Ended extends Error {}

type Final = Exclude<Answer, { kind: "progress" | "problems" | "failed" }>;

class Thread {
  private readonly worker = new Worker("worker.js");
  private reject: ((error: Error) => void) | null = null;
  broken = false;

  ask(question: Question, progress: (done: number) => void = () => {}): Promise<Final> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      const fail = (message: string): void => {
        this.broken = true;
        reject(new Error(message));
      };
      this.worker.onerror = (event) => fail(event.message || "the thread of the engine does not start");
      this.worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if (data.kind === "progress") progress(data.done);
        else if (data.kind === "problems") reject(new ScenarioError(data.problems));
        else if (data.kind === "failed") fail(data.message);
        else resolve(data);
      };
      this.worker.postMessage(question);
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

  constructor(
    private readonly module: WebAssembly.Module,
    readonly size: number,
  ) {}

  private async made(): Promise<{ thread: Thread; about: About; schema: string }> {
    const thread = new Thread();
    this.busy.add(thread);
    try {
      const answer = await thread.ask({ kind: "load", script: "engine.js", module: this.module });
      if (answer.kind !== "loaded") throw new Error("the engine does not load");
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
