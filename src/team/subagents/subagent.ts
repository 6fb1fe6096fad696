import type { AgentReport } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import type {
  AgentDefinition,
  AgentId,
  AgentPath,
  ContentPart,
  Envelope,
  WatchdogSettings,
} from "../../protocol/index.ts";
import type { ReopenedRuntime } from "./subagent-runtime.ts";
import type { AgentSlot } from "../limits/agent-slots.ts";

/** A sub-agent over its whole life: it works, is idle, and can be sent on. */
export interface Subagent {
  readonly id: AgentId;
  readonly path: AgentPath;
  readonly name: string | undefined;
  readonly definition: AgentDefinition;
  readonly description: string;
  readonly parent: AgentId;
  readonly isFork: boolean;
  readonly running: boolean;
  /** It can be sent on. */
  readonly isIdle: boolean;
  /** Says something, if there is something to say, and works until there is nothing left to do. One at a time. */
  run(parts: readonly ContentPart[], slot: AgentSlot, by?: PromptSender): SubagentRun;
  /** Said to an agent at work; it hears it between two turns. False: it had just finished, and has not heard it. */
  sendMessage(parts: readonly ContentPart[], by?: PromptSender): Promise<boolean>;
  /** Resolves when no run is under way, nor anything that comes after one. */
  whenIdle(): Promise<void>;
  /** Has it ready to be sent on. Rejects with a TroupeError if it cannot be had again. */
  wake(): Promise<void>;
  /** Gives its place away while it waits for agents of its own; the result takes one again, once for all that wait. */
  lendSlot(): Promise<(signal: AbortSignal) => Promise<void>>;
  /** Ends the run under way; what it had done is in the report. */
  interrupt(reason: string): Promise<void>;
  /** Hears what the agent writes, as it writes it; with `fromStart` first what it has written since it was last sent to work. */
  onText(listener: (text: string) => void, options?: { readonly fromStart: boolean }): () => void;
  /** How far it is, in a line; undefined while it rests. */
  progress(): string | undefined;
  /** Has a small model say now and then what it is doing, where that is wanted; the result ends it. */
  showProgress(): () => void;
  /** While it rests it holds nothing: its log is closed, and read again when it is sent on. */
  evict(): void;
  close(): Promise<void>;
}

/** Who speaks to it. */
export type PromptSender = "agent" | "user";

/** Neither promise rejects because the agent went wrong: the report says so. */
export interface SubagentRun {
  /** What came of it, before its worktree is kept or removed. */
  readonly reported: Promise<AgentReport>;
  /** The same with what became of the worktree; then the agent rests. */
  readonly done: Promise<AgentReport>;
  /** What it was sent on with is on disk; or it could not be, and the report says why. */
  readonly delivered: Promise<void>;
}

/** What is wanted of a small model, for all agents of a session. */
export interface SideQuestionSettings {
  readonly progress: boolean;
  readonly history: boolean;
  readonly reportCheck: boolean;
}

/** What holds for all agents of a session. */
export interface SubagentDefaults {
  readonly clock: Clock;
  readonly watchdog?: WatchdogSettings | undefined;
  readonly sideQuestions?: SideQuestionSettings | undefined;
  readonly onWake?: ((subagent: Subagent) => void) | undefined;
  readonly onIdle?: ((subagent: Subagent) => void) | undefined;
}

export interface SubagentOptions
  extends SubagentDefaults,
    ReopenedRuntime,
    Pick<Subagent, "id" | "path" | "name" | "definition" | "description" | "parent" | "isFork"> {
  /** Seats it again from its log. */
  readonly reopen: () => Promise<ReopenedRuntime>;
  /** How the envelopes of its seat reach it. */
  readonly listen: (observe: (envelope: Envelope) => void) => void;
}
