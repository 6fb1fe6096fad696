import type { AgentReport, RunOutcome } from "../agent/index.ts";
import type { Ack, AgentId, Command, Envelope, SessionId, StoredEnvelope } from "../protocol/index.ts";
import type { SessionView } from "../view/index.ts";
import type { DelegatedWork } from "./subagents/run-delegated-task.ts";
import type { Subscription } from "./event-hub.ts";
import type { RunningWork } from "./agent-runtime/background-work.ts";

/** One lead and everything under it. Every face drives this object and reads this stream; there is no other way in or out. */
export interface Session {
  readonly id: SessionId;
  readonly cwd: string;
  /** Never rejects for something a caller can get wrong: the ack says what and what to do. */
  dispatch(command: Command): Promise<Ack>;
  /**
   * Everything that happens from the moment of this call, and for the first reader from the opening of the session; with
   * `replay` everything that ever happened first, and nothing twice or in between lost. Ends when the session closes. A reader that falls far behind is thrown out with
   * `slow_reader` rather than eating memory: it can come back with `replay`. With `fresh` nothing from before the call comes,
   * for who takes `view()` in the same step.
   */
  events(options?: Subscription): AsyncIterable<Envelope>;
  /** The fold of everything so far. */
  view(): SessionView;
  /**
   * What an agent has stored that its transcript is made of (`isTranscriptEvent`), of this session or of a member's. Rejects
   * with a TroupeError if it cannot be read.
   */
  transcript(of: TranscriptOf): Promise<readonly StoredEnvelope[]>;
  /** What a person can call with `/name` besides what a face has itself. */
  slashCommands(): readonly SlashListing[];
  /** Resolves when nobody is at work and nothing waits to be said, with how the lead's last run ended. */
  settled(): Promise<RunOutcome | undefined>;
  /** Background work that has not ended. */
  backgroundRunning(): readonly RunningWork[];
  /**
   * Has an agent of the session, or a new one, do one thing in a folder, beside whatever the lead does; nobody is told of it
   * but the caller. Rejects with a TroupeError if there is no such agent or type.
   */
  delegate(work: DelegatedWork): Promise<AgentReport>;
  /** Interrupts what runs, stops what was left running, closes the log. Safe to call twice. */
  close(reason?: "completed" | "interrupted" | "failed"): Promise<void>;
}

export interface TranscriptOf {
  /** Without it the agent that the session is about. */
  readonly agent?: AgentId | undefined;
  /** Without it this session. */
  readonly session?: SessionId | undefined;
}

export interface SlashListing {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string | undefined;
  /** Where it comes from, for people. */
  readonly source: string;
}
