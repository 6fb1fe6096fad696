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
import type { OpenedRuntime } from "./subagent-runtime.ts";
import type { AgentSlot } from "../limits/agent-slots.ts";

export interface SubagentIdentity {
  readonly id: AgentId;
  readonly path: AgentPath;
  readonly name: string | undefined;
  readonly definition: AgentDefinition;
  readonly description: string;
  readonly parent: AgentId;
  readonly isFork: boolean;
}

/** A subagent from its start to the end of the session. It runs, is idle, and can be resumed. */
export interface Subagent extends SubagentIdentity {
  readonly running: boolean;
  /** True if it can be resumed. */
  readonly isIdle: boolean;
  /** Adds the prompt, if there is one, and runs until nothing is left to do. Only one run at a time. */
  run(parts: readonly ContentPart[], slot: AgentSlot, by?: PromptSender): SubagentRun;
  /**
   * Sends a message to a running agent, which reads it between two turns. False if the agent had just finished and did
   * not read it.
   */
  sendMessage(parts: readonly ContentPart[], by?: PromptSender): Promise<boolean>;
  /** Resolves when no run and no work after a run is in progress. */
  whenIdle(): Promise<void>;
  /** Opens it so that it can be resumed. Rejects with a TroupeError if its log cannot be opened. */
  wake(): Promise<void>;
  /** Lends its slot while it waits for its own subagents. The result reclaims a slot, once for all waits. */
  lendSlot(): Promise<(signal: AbortSignal) => Promise<void>>;
  /** Ends the current run. The report covers what it did until then. */
  interrupt(reason: string): Promise<void>;
  /**
   * Receives the text that the agent writes. With `fromStart` it first receives the text since the current run started.
   */
  onText(listener: (text: string) => void, options?: { readonly fromStart: boolean }): () => void;
  /** Its progress in one line. Undefined while it is idle. */
  progress(): string | undefined;
  /** Lets a small model describe the progress from time to time, if enabled. The result stops it. */
  showProgress(): () => void;
  /** Frees its memory while it is idle: closes its log, and reads it again on resume. */
  evict(): void;
  close(): Promise<void>;
}

/** The sender of a prompt. */
export type PromptSender = "agent" | "user";

/** Neither promise rejects when the agent fails: the report says so. */
export interface SubagentRun {
  /** The report before its worktree is kept or removed. */
  readonly reported: Promise<AgentReport>;
  /** The report with the outcome of the worktree. Then the agent is idle. */
  readonly done: Promise<AgentReport>;
  /** Resolves when its prompt is on disk, or could not be stored and the report says why. */
  readonly delivered: Promise<void>;
}

/** The side questions that a small model answers, for all agents of a session. */
export interface SideQuestionSettings {
  readonly progress: boolean;
  readonly history: boolean;
  readonly reportCheck: boolean;
}

/** Settings for all subagents of a session. */
export interface SubagentDefaults {
  readonly clock: Clock;
  readonly watchdog?: WatchdogSettings | undefined;
  readonly sideQuestions?: SideQuestionSettings | undefined;
  readonly onWake?: ((subagent: Subagent) => void) | undefined;
  readonly onIdle?: ((subagent: Subagent) => void) | undefined;
}

export interface SubagentOptions {
  readonly identity: SubagentIdentity;
  readonly defaults: SubagentDefaults;
  readonly opened: OpenedRuntime;
  /** Opens it again from its log. */
  readonly reopen: () => Promise<OpenedRuntime>;
  /** Subscribes to the envelopes of its runtime. */
  readonly listen: (observe: (envelope: Envelope) => void) => void;
}
