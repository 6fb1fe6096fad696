import { existsSync } from "node:fs";
import { type Clock, createSerialQueue, sleepUnlessAborted } from "../../platform/index.ts";
import { type AgentId, type Envelope, messageOf, type PromptId } from "../../protocol/index.ts";
import type { Checkpoint, CheckpointJournal } from "./checkpoint-journal.ts";
import { type FolderStates, stateFolderOf } from "./folder-states.ts";

/** Keeps the states of files during a session: at each prompt, and after each turn that may have changed files. */
export interface SessionCheckpoints {
  /** Follows the events of all agents of the session. */
  observe(envelope: Envelope): void;
  /** Resolves when the files as they were at the last prompt are kept. Never rejects. */
  beforeChange(agent: AgentId): Promise<void>;
  /** Does work that changes files, after everything that was requested before. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  readonly journal: CheckpointJournal;
  readonly states: FolderStates;
  /** Receives one message for each folder whose files cannot be kept. */
  attach(warn: (message: string) => void): void;
  close(): Promise<void>;
}

export interface SessionCheckpointsOptions {
  readonly own: { readonly agent: AgentId; readonly cwd: string };
  readonly states: FolderStates;
  readonly journal: CheckpointJournal;
  /** True if no person watches: then states are kept when an agent is about to change files, not before. */
  readonly isLazy: boolean;
  readonly clock: Pick<Clock, "sleep">;
}

export function createSessionCheckpoints(options: SessionCheckpointsOptions): SessionCheckpoints {
  const { own, states, journal, isLazy, clock } = options;
  const turns = createSerialQueue();
  const late = new AbortController();
  const folders = new Map<AgentId, string>([[own.agent, stateFolderOf(own.cwd)]]);
  /** The last known state of each folder in this run. */
  const last = new Map<string, string>();
  const broken = new Set<string>();
  /** Agents that may have changed files since their last state. */
  const changing = new Set<AgentId>();
  const queued = new Set<string>();
  let prompts: PromptId[] = [];
  let warn: (message: string) => void = () => undefined;
  /** Resolves when all requested states but those after turns are kept. */
  let kept: Promise<void> = Promise.resolve();

  const keep = (folder: string, about: readonly Pick<Checkpoint, "kind" | "agent" | "promptId">[]): Promise<void> =>
    turns.run(async () => {
      if (broken.has(folder) || !existsSync(folder)) return;
      try {
        const tree = await states.of(folder).take(late.signal);
        for (const each of about) {
          if (each.kind === "turn" && last.get(folder) === tree) continue;
          await journal.append({ ...each, folder, tree });
        }
        last.set(folder, tree);
      } catch (error) {
        broken.add(folder);
        if (!late.signal.aborted) warn(`${messageOf(error)} /rewind and /diff cannot use them.`);
      }
    });

  const keepPrompts = () => {
    const about = prompts.map((promptId) => ({ kind: "prompt" as const, agent: own.agent, promptId }));
    prompts = [];
    if (about.length === 0) return;
    kept = Promise.all([kept, ...[...new Set(folders.values())].map((folder) => keep(folder, about))]).then(nothing);
  };
  const keepTurn = (agent: AgentId) => {
    const folder = folders.get(agent);
    if (!changing.delete(agent) || folder === undefined || queued.has(folder)) return;
    queued.add(folder);
    void turns.run(async () => void queued.delete(folder));
    void keep(folder, [{ kind: "turn", agent }]);
  };

  return {
    journal,
    states,
    observe({ agent, event }) {
      switch (event.type) {
        case "agent.spawned":
          if (agent !== own.agent && event.remote !== true) folders.set(agent, stateFolderOf(event.cwd));
          return;
        case "agent.stopped":
          keepTurn(agent);
          return;
        case "prompt.admitted":
          if (agent !== own.agent || event.source !== "user") return;
          prompts.push(event.promptId);
          if (!isLazy) keepPrompts();
          return;
        case "turn.started":
        case "agent.idle":
          keepTurn(agent);
          return;
        default:
          return;
      }
    },
    async beforeChange(agent) {
      keepPrompts();
      const folder = folders.get(agent);
      if (folder !== undefined && !last.has(folder) && !broken.has(folder)) {
        kept = Promise.all([kept, keep(folder, [{ kind: "start", agent }])]).then(nothing);
      }
      await kept;
      changing.add(agent);
    },
    exclusively: async (work) => {
      keepPrompts();
      return turns.run(work);
    },
    attach: (report) => void (warn = report),
    async close() {
      for (const agent of changing) keepTurn(agent);
      const over = new AbortController();
      void sleepUnlessAborted(clock, closeMs, over.signal).then((isLate) => isLate && late.abort());
      await turns.settled();
      over.abort();
      await states.close();
      await journal.close();
    },
  };
}

/** How long the end of a session waits for the last state. */
const closeMs = 3_000;

const nothing = () => undefined;
