import {
  type AgentContext,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type Envelope, type PermissionMode, type RequestId } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";
import { askerOf, leadOf } from "../view/index.ts";
import { followSession } from "./follow-session.ts";
import { offerPermissionOptions } from "./permission-options.ts";
import { promptContent } from "./prompt-content.ts";
import { callIdOf, createSessionUpdates, historyUpdates } from "./session-updates.ts";

/** A session that an editor drives. */
export interface AcpSession {
  readonly session: Session;
  /** Resolves when the lead is at rest again and the editor has been told everything until then. */
  prompt(request: PromptRequest, signal: AbortSignal): Promise<PromptResponse>;
  cancel(): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  /** Sends what has been said so far, for an editor that opens it again. */
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
  const asked = new Map<RequestId, AbortController>();

  const notifyClient = (update: SessionUpdate) => client.notify("session/update", { sessionId: session.id, update });

  const askPermission = async (
    envelope: Envelope,
    question: Extract<Envelope["event"], { type: "permission.asked" }>,
  ) => {
    const stop = new AbortController();
    asked.set(question.requestId, stop);
    const sendHistory = { ...question, agent: envelope.agent, at: envelope.at };
    const { options, answer } = offerPermissionOptions(sendHistory, askerOf({ session: session.view() }, sendHistory));
    const { outcome } = await client.request(
      "session/request_permission",
      {
        sessionId: session.id,
        toolCall: {
          toolCallId: callIdOf(envelope.agent, question.callId),
          title: question.question,
          rawInput: question.input,
        },
        options,
      },
      { cancellationSignal: stop.signal },
    );
    if (!asked.delete(question.requestId)) return;
    await session.dispatch({
      type: "permission.reply",
      requestId: question.requestId,
      answer: answer(outcome),
    });
  };

  const handleEnvelope = async (envelope: Envelope) => {
    for (const update of updates.of(envelope)) await notifyClient(update);
    const { event } = envelope;
    if (event.type === "permission.asked")
      askPermission(envelope, event).catch((error: unknown) => {
        // Nobody can answer it any more: whoever waits must not wait for ever.
        if (asked.delete(event.requestId)) {
          onError(error);
          void session.dispatch({ type: "permission.reply", requestId: event.requestId, answer: { behavior: "deny" } });
        }
      });
    if (event.type === "permission.settled") {
      asked.get(event.requestId)?.abort();
      asked.delete(event.requestId);
    }
    if (event.type === "task.changed") await sendPlan();
    if (event.type === "agent.idle" && envelope.agent === lead) waiting?.(event);
    if (envelope.agent === lead) notified.reached(envelope.seq);
  };

  const sendPlan = async () => {
    const tasks = [...session.view().tasks.values()].flat().filter(({ status }) => status !== "deleted");
    const entries = tasks.map(({ subject, activeForm, status }) => ({
      content: status === "in_progress" ? (activeForm ?? subject) : subject,
      priority: "medium" as const,
      status: status === "deleted" ? ("completed" as const) : status,
    }));
    await notifyClient({ sessionUpdate: "plan", entries });
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
        throw RequestError.invalidRequest(undefined, "this session is at work: cancel that first, or wait for its end");
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
        // A slash command that is no prompt (`/help`, `/compact`) is done already, and no run follows it.
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
      for (const stop of asked.values()) stop.abort();
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
      // Why it could not be told to the end was said when it happened.
      await following.catch(() => undefined);
    },
  };

  /** What the lead stores until the signal aborts: whether it was given a prompt by the user, and how far it came. */
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

  /** The session was closed under a prompt. */
  async function gone(): Promise<Idle> {
    await following;
    return { type: "agent.idle", reason: "interrupted" };
  }
}

/** To wait until something that counts up has come so far. */
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
