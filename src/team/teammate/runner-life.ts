import type { MemberEnd } from "./teammate-runner.ts";

/** `leaving`: its end was announced. `closed`: it does nothing more. */
export type RunnerPhase = "running" | "leaving" | "closed";

/** The life of a teammate in this process. It ends once. */
export interface RunnerLife {
  readonly phase: RunnerPhase;
  /** Aborts when it is closed. */
  readonly signal: AbortSignal;
  /** Announces the end. Only the first call counts. */
  endWith(end: MemberEnd, detail?: string): void;
  close(): void;
}

export function createRunnerLife(onEnd: (end: MemberEnd, detail: string | undefined) => void): RunnerLife {
  const closing = new AbortController();
  let phase: RunnerPhase = "running";
  return {
    get phase() {
      return phase;
    },
    signal: closing.signal,
    endWith(end, detail) {
      if (phase !== "running") return;
      phase = "leaving";
      onEnd(end, detail);
    },
    close() {
      phase = "closed";
      closing.abort(new DOMException("the member has left", "AbortError"));
    },
  };
}
