import { useCallback, useEffect, useRef, useState } from "react";
import * as z from "zod";
import { messageOf, type SessionId, WorktreeListing } from "../../../src/protocol/index.ts";
import { isFile } from "../parts/is-file.ts";
import { fetchJson } from "./fetch-json.ts";
import { useIsLoading } from "./use-throttled-while-loading.ts";
import { useDashboard } from "./dashboard-store.ts";
import type { RosterEntry } from "./roster.ts";

export interface Worktrees {
  /** Undefined until loaded. */
  readonly worktrees: readonly WorktreeListing[] | undefined;
  readonly problem: string | undefined;
  refresh(): void;
}

/** Minimum time between refreshes: inspecting all worktrees is slow. */
const minRefreshMs = 1_500;
/** Time between refreshes without activity. */
const refreshEveryMs = 10_000;

/** The worktrees of the session's repository, refreshed after agents' activity. */
export function useWorktrees(session: SessionId, roster: readonly RosterEntry[]): Worktrees {
  const [worktrees, setWorktrees] = useState<readonly WorktreeListing[] | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const state = useRef({ isAsking: false, isWanted: false });
  const left = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    const own = new AbortController();
    left.current = own;
    state.current = { isAsking: false, isWanted: false };
    setWorktrees(undefined);
    return () => own.abort();
  }, [session]);
  const refresh = useCallback(() => {
    const now = state.current;
    const signal = left.current?.signal;
    now.isWanted = true;
    if (!signal || now.isAsking) return;
    now.isAsking = true;
    const go = async () => {
      while (now.isWanted && !signal.aborted) {
        now.isWanted = false;
        try {
          const answer = await fetchJson(`/api/worktrees?${new URLSearchParams({ session })}`, { signal });
          setWorktrees(z.array(WorktreeListing).parse(answer));
          setProblem(undefined);
        } catch (error) {
          // Changes during the request are requested again.
          if (!signal.aborted) setProblem(messageOf(error));
        }
        await waitBeforeRefresh(signal);
      }
      now.isAsking = false;
    };
    void go();
  }, [session]);
  const isLoading = useIsLoading(session);
  const isConnected = useDashboard(({ connection }) => connection.kind === "open");
  const isPast = useDashboard(({ replayAt }) => replayAt !== undefined);
  const done = isPast
    ? ""
    : roster.map(({ key, state: at, agent }) => `${key} ${at} ${agent?.toolCalls ?? 0}`).join("\n");
  useEffect(() => {
    if (!isLoading && isConnected) refresh();
  }, [refresh, isLoading, isConnected, done]);
  const isLive = !isPast && !isFile();
  useEffect(() => {
    if (!isLive) return;
    // The session has no events for commits and landings of other programs.
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, refreshEveryMs);
    return () => clearInterval(timer);
  }, [isLive, refresh]);
  return { worktrees, problem, refresh };
}

const waitBeforeRefresh = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, minRefreshMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
