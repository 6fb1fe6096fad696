import {
  type AgentContext,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type Envelope, type PermissionMode } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";
import { leadOf, type SessionView } from "../view/index.ts";
import { followSession } from "./follow-session.ts";
import { createPermissionRequests } from "./permission-requests.ts";
import { promptContent } from "./prompt-content.ts";
import { createSessionUpdates, historyUpdates } from "./session-updates.ts";

/** A session that an editor runs. */
export interface AcpSession {
  readonly session: Session;
  /** Resolves when the lead is idle and the editor has received all updates. */
  prompt(request: PromptRequest, signal: AbortSignal): Promise<PromptResponse>;
  cancel(): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  /** Sends the transcript so far, for an editor that loads the session. */
  replay(): Promise<void>;
  close(): Promise<void>;
}

type Idle = Extract<Envelope["event"], { type: "agent.idle" }>;

export function createAcpSession(
  session: Session,
  client: AgentContext,
  onError: (error: unknown) => void,
): AcpSession {
  const lead = leadOf(session.view())?.id;
  const updates = createSessionUpdates(lead);
  let waiting: ((idle: Idle) => void) | undefined;
  const notified = createMilestone();
  const permissions = createPermissionRequests(session, client, onError);

  const notifyClient = (update: SessionUpdate) => client.notify("session/update", { sessionId: session.id, update });

  const handleEnvelope = async (envelope: Envelope) => {
    for (const update of updates.of(envelope)) await notifyClient(update);
    const { event } = envelope;
    if (event.type === "permission.asked") permissions.ask(envelope, event);
    if (event.type === "permission.settled") permissions.withdraw(event.requestId);
    if (event.type === "task.changed") await notifyClient(planOf(session.view()));
    if (event.type === "agent.idle" && envelope.agent === lead) waiting?.(event);
    if (envelope.agent === lead) notified.reached(envelope.seq);
  };

  const following = followSession(session, {
    onEnvelope: handleEnvelope,
    onMissed: () => updates.missed(leadOf(session.view())?.seq ?? 0),
  });
  following.catch(onError);

  return {
    session,
    async prompt({ prompt }, signal) {
      if (waiting)
        throw RequestError.invalidRequest(
          undefined,
          "this session is busy. Cancel the current prompt first, or wait until it ends.",
        );
      const idle = new Promise<Idle>((resolve) => {
        waiting = resolve;
      });
      const cancel = () => void session.dispatch({ type: "interrupt" });
      signal.addEventListener("abort", cancel, { once: true });
      const sawPrompt = new AbortController();
      const promptCheck = checkPromptAdmitted(sawPrompt.signal);
      try {
        const ack = await session.dispatch({ type: "prompt", content: promptContent(prompt) });
        if (!ack.ok) throw RequestError.invalidParams(undefined, ack.message);
        sawPrompt.abort();
        const { isAdmitted, seq } = await promptCheck;
        // A slash command that is not a prompt (`/help`, `/compact`) is already done, and no run follows.
        const done = isAdmitted
          ? idle
          : notified.at(seq).then((): Idle => ({ type: "agent.idle", reason: "completed" }));
        return { stopReason: stopReason(await Promise.race([done, gone()])) };
      } finally {
        sawPrompt.abort();
        await promptCheck;
        waiting = undefined;
        signal.removeEventListener("abort", cancel);
      }
    },
    async cancel() {
      permissions.cancel();
      await session.dispatch({ type: "interrupt" });
    },
    async setMode(permissionMode) {
      const ack = await session.dispatch({ type: "set", permissionMode });
      if (!ack.ok) throw RequestError.invalidParams(undefined, ack.message);
    },
    async replay() {
      for (const update of historyUpdates(await session.transcript({}))) await notifyClient(update);
    },
    async close() {
      await session.close("completed");
      // The error was reported when it happened.
      await following.catch(() => undefined);
    },
  };

  /**
   * Reads the lead's events until the signal aborts: whether a user prompt was admitted, and the last sequence number.
   */
  async function checkPromptAdmitted(until: AbortSignal) {
    let isAdmitted = false;
    let seq = 0;
    for await (const envelope of session.events({ aside: true, signal: until })) {
      if (envelope.agent !== lead) continue;
      seq = envelope.seq;
      isAdmitted ||= envelope.event.type === "prompt.admitted" && envelope.event.source === "user";
    }
    return { isAdmitted, seq };
  }

  /** Resolves if the session closes during a prompt. */
  async function gone(): Promise<Idle> {
    await following;
    return { type: "agent.idle", reason: "interrupted" };
  }
}

function planOf({ tasks }: SessionView): SessionUpdate {
  const shown = [...tasks.values()].flat().filter(({ status }) => status !== "deleted");
  const entries = shown.map(({ subject, activeForm, status }) => ({
    content: status === "in_progress" ? (activeForm ?? subject) : subject,
    priority: "medium" as const,
    status: status === "deleted" ? ("completed" as const) : status,
  }));
  return { sessionUpdate: "plan", entries };
}

/** Waits until a counter reaches a value. */
function createMilestone() {
  let now = 0;
  let waiting: { readonly seq: number; readonly resolve: () => void }[] = [];
  return {
    reached(seq: number) {
      now = Math.max(now, seq);
      for (const each of waiting) if (each.seq <= now) each.resolve();
      waiting = waiting.filter((each) => each.seq > now);
    },
    at: (seq: number) =>
      new Promise<void>((resolve) => {
        if (seq <= now) resolve();
        else waiting.push({ seq, resolve });
      }),
  };
}

function stopReason({ reason, detail }: Idle): PromptResponse["stopReason"] {
  switch (reason) {
    case "completed":
      return "end_turn";
    case "interrupted":
      return "cancelled";
    case "limit":
      return "max_turn_requests";
    case "failed":
      throw RequestError.internalError(undefined, detail ?? "the run failed");
  }
}
