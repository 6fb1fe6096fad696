import { resolve } from "node:path";
import { type BackgroundId, type CallId, cut, type Envelope, type Event, type Usage } from "../../protocol/index.ts";
import { evidenceFromTotals, createEvidenceTotals, type EvidenceTotals } from "./evidence-totals.ts";

/** An agent's work for its result according to its log, not according to its own report. */
export interface Evidence {
  /** The folder that the agent started in: its paths are shown relative to it. */
  readonly folder?: string | undefined;
  readonly turns: number;
  /** Working time, without idle time. */
  readonly durationMs: number;
  readonly costUsd: number;
  readonly tokens: Usage;
  /** Calls per tool, including refused and failed calls. */
  readonly toolCalls: Readonly<Record<string, number>>;
  /** Absolute paths, in the order of first use. */
  readonly filesRead: readonly string[];
  readonly filesChanged: readonly string[];
  readonly commands: readonly CommandEvidence[];
  /** Refused by a rule or by the user. */
  readonly denied: readonly CallEvidence[];
  /** Failed or interrupted calls. Commands that ran and failed are in `commands`. */
  readonly failed: readonly CallEvidence[];
}

export interface CommandEvidence {
  readonly command: string;
  /** `running`: in the background, and its end is not in the log yet. `interrupted`: ended, or its end is unknown. */
  readonly status: "exited" | "killed" | "interrupted" | "running";
  readonly exitCode: number | null;
  readonly durationMs: number;
}

export interface CallEvidence {
  readonly tool: string;
  /** The call as people read it: `$ npm test`, `Edit src/a.ts`. */
  readonly what: string;
  readonly outcome: "denied" | "failed" | "interrupted";
  /** The stored reason of a refusal, otherwise the first line of the result that the model read. */
  readonly reason: string;
  /** The file of the call, if it has one. A later success on it makes the failure unimportant. */
  readonly path?: string | undefined;
}

export interface EvidenceFold {
  /** Takes all envelopes of one agent, in order. */
  add(envelope: Pick<Envelope, "at" | "event">): void;
  evidence(): Evidence;
  /** The totals since the last cut, with the calls that run now. */
  totals(): EvidenceTotals;
  /** Returns the totals and starts new ones. Commands that run across the cut count where their end is logged. */
  cut(): EvidenceTotals;
}

export function evidenceOf(envelopes: Iterable<Envelope>): Evidence {
  const fold = createEvidence();
  for (const envelope of envelopes) fold.add(envelope);
  return fold.evidence();
}

interface Call {
  readonly tool: string;
  readonly input: unknown;
  readonly title?: string;
  readonly calledAt?: number;
  /** The agent's working directory at the time of the call. */
  readonly cwd: string;
}

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

export function createEvidence(): EvidenceFold {
  const calls = new Map<CallId, Call>();
  const background = new Map<BackgroundId, { command: string; startedAt: number }>();
  let now = createEvidenceTotals();
  let commandsRun = 0;
  let cwd = "/";
  let lastAt: number | undefined;
  let working = false;

  const settle = (event: EventOf<"tool.settled">, at: number) => {
    const call = calls.get(event.callId) ?? { tool: "unknown", input: undefined, cwd };
    calls.delete(event.callId);
    now.toolCalls.set(call.tool, (now.toolCalls.get(call.tool) ?? 0) + 1);
    const command = text(call.input, "command");
    const ran = event.display?.kind === "terminal" || event.outcome === "interrupted";
    if (call.tool === "Bash" && command !== undefined && call.calledAt !== undefined && ran) {
      // A permission question before the call counts for the call, not for the command.
      const ranMs = Math.max(0, Math.min(event.durationMs, at - call.calledAt));
      commandsRun += 1;
      return void now.commands.set(`run ${commandsRun}`, commandEvidence(command, ranMs, event));
    }
    switch (event.outcome) {
      case "ok": {
        forgetCorrected(now.failed, call);
        const path = event.display?.kind === "diff" ? event.display.path : text(call.input, "file_path");
        if (path === undefined) return;
        if (event.display?.kind === "diff") now.filesChanged.add(resolve(call.cwd, path));
        else if (call.tool === "Read") now.filesRead.add(resolve(call.cwd, path));
        return;
      }
      case "denied":
        return void now.denied.push(callEvidence(call, event, event.outcome));
      case "failed":
        // A call with wrong input, or that was not run, had no effect. Only its agent needs to know.
        if (call.calledAt === undefined) return;
        return void now.failed.push(callEvidence(call, event, event.outcome));
      case "interrupted":
        return void now.failed.push(callEvidence(call, event, event.outcome));
    }
  };

  const startBackground = (event: EventOf<"background.started">, at: number) => {
    const open = [...calls.values()].find(
      (call) => call.calledAt !== undefined && field(call.input, "run_in_background") === true,
    );
    const command = text(open?.input, "command") ?? event.description;
    background.set(event.backgroundId, { command, startedAt: at });
    now.commands.set(event.backgroundId, { command, status: "running", exitCode: null, durationMs: 0 });
  };

  const endBackground = ({ backgroundId, status, exitCode }: EventOf<"background.ended">, at: number) => {
    const task = background.get(backgroundId);
    if (!task) return;
    background.delete(backgroundId);
    now.commands.set(backgroundId, {
      command: task.command,
      status: status === "killed" ? "killed" : "exited",
      exitCode,
      durationMs: Math.max(0, at - task.startedAt),
    });
  };

  return {
    add({ event, at: time }) {
      const at = Date.parse(time);
      if (working && lastAt !== undefined) now.durationMs += Math.max(0, at - lastAt);
      lastAt = at;
      switch (event.type) {
        case "agent.spawned":
        case "agent.changed":
          cwd = event.cwd ?? cwd;
          if (event.type === "agent.spawned") now.folder = event.cwd;
          return;
        case "prompt.promoted":
        case "turn.started":
          working = true;
          return;
        case "agent.idle":
        case "agent.stopped":
        case "session.opened":
        case "session.closed":
          working = false;
          return;
        case "turn.ended":
          now.turns += 1;
          for (const part of event.parts) {
            if (part.type === "tool_call") calls.set(part.callId, { tool: part.name, input: part.input, cwd });
          }
          return;
        case "tool.called":
          calls.set(event.callId, { tool: event.name, input: event.input, title: event.title, calledAt: at, cwd });
          return;
        case "tool.settled":
          return settle(event, at);
        case "background.started":
          return startBackground(event, at);
        case "background.ended":
          return endBackground(event, at);
        case "cost.recorded":
          now.costUsd += event.costUsd;
          for (const key of ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const) {
            now.tokens[key] += event.usage[key];
          }
          return;
        default:
          return;
      }
    },
    evidence: () => evidenceFromTotals(now),
    totals: () => ({ ...now, toolCalls: withOpenCalls(now.toolCalls, calls.values()) }),
    cut() {
      const done = now;
      now = createEvidenceTotals(done.folder);
      return done;
    },
  };
}

/** A call that was made but never began may still be refused, and is counted then. */
function withOpenCalls(counts: ReadonlyMap<string, number>, calls: Iterable<Call>): Map<string, number> {
  const sum = new Map(counts);
  for (const { tool, calledAt } of calls) if (calledAt !== undefined) sum.set(tool, (sum.get(tool) ?? 0) + 1);
  return sum;
}

function commandEvidence(command: string, durationMs: number, event: EventOf<"tool.settled">): CommandEvidence {
  const shown = event.display?.kind === "terminal" ? event.display : undefined;
  const status = event.outcome === "interrupted" ? "interrupted" : shown?.exitCode == null ? "killed" : "exited";
  return { command, status, exitCode: shown?.exitCode ?? null, durationMs };
}

/** Removes the failures that this success corrects: of the same tool, on the same file or before any file was known. */
function forgetCorrected(failed: CallEvidence[], call: Call): void {
  const path = pathOf(call);
  const rest = failed.filter(
    (each) => each.outcome !== "failed" || each.tool !== call.tool || (each.path !== undefined && each.path !== path),
  );
  failed.splice(0, failed.length, ...rest);
}

function callEvidence(call: Call, event: EventOf<"tool.settled">, outcome: CallEvidence["outcome"]): CallEvidence {
  const said = event.content.find((part) => part.type === "text");
  const path = pathOf(call);
  return {
    tool: call.tool,
    what: cut(call.title ?? titleOf(call), 300),
    outcome,
    reason: cut(event.reason ?? said?.text.split("\n")[0] ?? "", 300),
    ...(path !== undefined && { path }),
  };
}

const pathOf = ({ input, cwd }: Call): string | undefined => {
  const path = text(input, "file_path");
  return path === undefined ? undefined : resolve(cwd, path);
};

/** A call that never began has no title. */
function titleOf({ tool, input }: Call): string {
  const command = text(input, "command");
  if (command !== undefined) return `$ ${command}`;
  const subject = ["file_path", "path", "pattern", "url", "to", "description", "subject"]
    .map((key) => text(input, key))
    .find((value) => value !== undefined);
  return subject === undefined ? tool : `${tool} ${subject}`;
}

const field = (input: unknown, key: string): unknown =>
  typeof input === "object" && input !== null ? (input as Record<string, unknown>)[key] : undefined;

const text = (input: unknown, key: string): string | undefined => {
  const value = field(input, key);
  return typeof value === "string" ? value : undefined;
};
