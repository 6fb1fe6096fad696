import type { AgentReport, RunOutcome } from "../agent/index.ts";
import type { Ack, AgentId, Command, Effort, Envelope, SessionId, StoredEnvelope } from "../protocol/index.ts";
import type { SessionView } from "../view/index.ts";
import type { DelegatedWork } from "./subagents/run-delegated-task.ts";
import type { DiffRequest } from "./checkpoints/diff-session.ts";
import type { RewindPoint } from "./checkpoints/rewind-points.ts";
import type { Subscription } from "./event-hub.ts";
import type { OpenTeamWork } from "./teams/ongoing-team-work.ts";
import type { RunningWork } from "./agent-runtime/background-work.ts";
import type { SlashCommand } from "./slash-commands/slash-commands.ts";

/** One lead and everything below it. All frontends use this object and its event stream, and nothing else. */
export interface Session {
  readonly id: SessionId;
  readonly cwd: string;
  /** Never rejects for a caller's mistake: the ack says what is wrong and what to do. */
  dispatch(command: Command): Promise<Ack>;
  /**
   * Yields all events from this call on. The first reader also gets those since the session was opened. With `replay`
   * all stored events come first, without gaps or repetition. Ends when the session closes. A reader that falls too far
   * behind gets the error `slow_reader` and can subscribe again with `replay`. With `fresh` only events after the call
   * are sent, for callers that read `view()` in the same step.
   */
  events(options?: Subscription): AsyncIterable<Envelope>;
  /** The view folded from all events so far. */
  view(): SessionView;
  /**
   * Reads the transcript events (`isTranscriptEvent`) of an agent of this session or of a member's. Rejects with a
   * TroupeError if they cannot be read.
   */
  transcript(of: TranscriptOf): Promise<readonly StoredEnvelope[]>;
  /** How much its agents think. */
  effort(): Effort;
  /** Slash commands for the user, in addition to those of the frontend. */
  slashCommands(): readonly SlashListing[];
  /** Resolves with the outcome of the lead's last run when no agent works and no prompt waits. */
  settled(): Promise<RunOutcome | undefined>;
  /** Background jobs that have not ended. */
  backgroundRunning(): readonly RunningWork[];
  /** Tells the lead's model that its background commands still run, and wakes it. */
  remindOfCommands(): Promise<void>;
  /** The work that the session's teams have not finished: open tasks, working members, branches not landed. */
  openWork(): Promise<OpenTeamWork>;
  /**
   * Runs one task in an existing or new agent, in a folder, independent of the lead. Only the caller gets the report.
   * Rejects with a TroupeError if there is no such agent or type.
   */
  delegate(work: DelegatedWork): Promise<AgentReport>;
  readonly changes: SessionChanges;
  /** Interrupts the agents, stops background jobs and closes the log. Safe to call twice. */
  close(reason?: "completed" | "interrupted" | "failed"): Promise<void>;
}

/** The past of a session: its moments and the files that it has changed. */
export interface SessionChanges {
  /** The moments that the command `rewind` can go back to, oldest first. */
  rewindPoints(): Promise<readonly RewindPoint[]>;
  /** The files that the session, a prompt or an agent has changed, as a patch. Empty if there are none. */
  diff(of?: DiffRequest): Promise<string>;
}

export interface TranscriptOf {
  /** The default is the session's own agent. */
  readonly agent?: AgentId | undefined;
  /** The default is this session. */
  readonly session?: SessionId | undefined;
}

export type SlashListing = Pick<SlashCommand, "name" | "description" | "argumentHint" | "source">;
