import { isDiskFull } from "../../agent/index.ts";
import { type Clock, type CreateId, type FolderWatcher, wasRemoved } from "../../platform/index.ts";
import type { LimitSettings } from "../../protocol/index.ts";
import { type AgentSlots, resolveAgentLimits } from "./agent-slots.ts";
import { createSlotClient, type SlotClientOptions, type SlotLog } from "./slot-client.ts";
import { createSlotJournal, ignoreUnreadable } from "./slot-journal.ts";

/**
 * The agent slots of a lead and its team, whose members run in several processes. All requests and releases are in one
 * file, in one order. Every process applies them to the same in-memory ledger. So all agree which agent may start,
 * without a lock.
 */
export interface SharedSlots {
  readonly path: string;
  forSession(session: SlotClientOptions): AgentSlots;
  /** Releases the slots held here. */
  close(): Promise<void>;
}

export interface SharedSlotsOptions {
  readonly path: string;
  /** The lead's limits. Its members use the limits that the lead has written. */
  readonly settings?: LimitSettings | undefined;
  /** Called before the first write, because the folder may be missing. */
  readonly makeFolder?: (() => void) | undefined;
  readonly watcher: FolderWatcher;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly createId: CreateId;
}

/** The delay before a retry on a full disk. */
const retryMs = 1_000;

/** Opens, creates and watches nothing before the first entry is written. */
export function createSharedSlots(options: SharedSlotsOptions): SharedSlots {
  const { path, settings, clock, createId } = options;
  const journal = createSlotJournal(options);
  const { ledger, answers } = journal;
  const limits = settings && resolveAgentLimits(settings);

  const writeLimits = () => {
    const { maxConcurrentAgents, maxDepth, maxAgents, maxSpawnsPerMinute } = ledger.limits;
    const isSame =
      !limits ||
      (limits.maxConcurrentAgents === maxConcurrentAgents &&
        limits.maxDepth === maxDepth &&
        limits.maxAgents === maxAgents &&
        limits.maxSpawnsPerMinute === maxSpawnsPerMinute);
    if (!isSame && !journal.isUnwritten("limit")) journal.submit({ do: "limit", to: limits });
  };

  /** On a full disk no agent starts: it waits for space. */
  const ask: SlotLog["ask"] = async (entry, signal) => {
    for (;;) {
      try {
        return await journal.request(entry);
      } catch (error) {
        if (wasRemoved(error)) continue;
        if (!isDiskFull(error)) throw error;
        await clock.sleep(retryMs, signal);
      }
    }
  };

  /** The log for one session. Its first use releases the slots of the session's previous runs. */
  const logOf = (session: SlotClientOptions): SlotLog => ({
    ledger,
    answers,
    by: journal.self,
    newId: () => createId("place"),
    now: clock.now,
    ready() {
      journal.openSession(session);
      journal.readAndRetry();
      writeLimits();
    },
    submit(entry) {
      ignoreUnreadable(() => journal.openSession(session));
      journal.submit(entry);
    },
    ask(entry, signal) {
      journal.openSession(session);
      return ask(entry, signal);
    },
    // A resumed member may stay idle for long while its lead waits for the slots it held.
    onReplay: () => session.member !== undefined && ignoreUnreadable(() => journal.openSession(session)),
  });

  return {
    path,
    forSession: (session) => createSlotClient(logOf(session), session),
    close: journal.close,
  };
}
