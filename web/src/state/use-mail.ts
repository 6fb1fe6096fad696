import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type MailId, type MailListing, MailReading, messageOf, type SessionId } from "../../../src/protocol/index.ts";
import { joinMailIndexes } from "../../../src/view/index.ts";
import { fetchJson } from "./fetch-json.ts";
import { useThrottledWhileLoading, useIsLoading } from "./use-throttled-while-loading.ts";
import { useDashboard } from "./dashboard-store.ts";
import type { SessionFolds } from "./session-folds.ts";
import { type MailItem, mailItemsOf } from "./mail-list.ts";
import { useEachFold } from "./use-each-fold.ts";

export interface Letters {
  readonly mail: readonly MailItem[];
  /** Errors while reading mail, for people. */
  readonly problems: readonly string[];
  /** Requests the mail sent since the last request. */
  refresh(): void;
}

const mailOf = ({ mail }: SessionFolds) => mail;

/** All mail of a session and its team. Events report new mail; its text is then requested. */
export function useMail(session: SessionId): Letters {
  const flows = useThrottledWhileLoading(session, useEachFold(mailOf));
  const facts = useMemo(() => joinMailIndexes(flows), [flows]);
  const isPast = useDashboard((state) => state.replayAt !== undefined);
  const isLoading = useIsLoading(session);
  const { listings, problems, refresh } = useListings(session);
  // The events contain the state of a mail; only new mail needs a request.
  const count = isPast ? 0 : facts.length;
  // Also requests mail that was missed while the server was not available.
  const isConnected = useDashboard((state) => state.connection.kind === "open");
  useEffect(() => {
    if (!isLoading && isConnected) refresh();
  }, [refresh, isLoading, isConnected, count]);
  const mail = useMemo(() => mailItemsOf({ facts, listings, isPast }), [facts, listings, isPast]);
  return { mail, problems, refresh };
}

/** Maximum difference between the clocks of two senders. */
const skewMs = 60_000;

function useListings(session: SessionId) {
  const [listings, setListings] = useState<ReadonlyMap<MailId, MailListing>>(new Map());
  const [problems, setProblems] = useState<readonly string[]>([]);
  const asking = useRef({ isAsking: false, isWanted: false, latest: "" });
  const left = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    const own = new AbortController();
    left.current = own;
    asking.current = { isAsking: false, isWanted: false, latest: "" };
    setListings(new Map());
    return () => own.abort();
  }, [session]);
  const refresh = useCallback(() => {
    const state = asking.current;
    const signal = left.current?.signal;
    if (!signal) return;
    state.isWanted = true;
    if (state.isAsking) return;
    state.isAsking = true;
    const go = async () => {
      while (state.isWanted && !signal.aborted) {
        state.isWanted = false;
        try {
          const { mail, problems: found } = await fetchMail(session, state.latest, signal);
          setProblems(found);
          for (const { mail: each } of mail) if (each.timestamp > state.latest) state.latest = each.timestamp;
          if (mail.length > 0)
            setListings((before) => new Map([...before, ...mail.map((each) => [each.mail.id, each] as const)]));
        } catch (error) {
          // Mail that arrives during the request is requested again.
          if (!signal.aborted) setProblems([messageOf(error)]);
        }
      }
      state.isAsking = false;
    };
    void go();
  }, [session]);
  return { listings, problems, refresh };
}

async function fetchMail(session: SessionId, latest: string, signal: AbortSignal): Promise<MailReading> {
  const query = new URLSearchParams({ session });
  if (latest !== "") query.set("since", new Date(Date.parse(latest) - skewMs).toISOString());
  return MailReading.parse(await fetchJson(`/api/mail?${query}`, { signal }));
}
