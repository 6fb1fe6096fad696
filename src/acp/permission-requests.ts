import type { AgentContext } from "@agentclientprotocol/sdk";
import { type Envelope, type RequestId } from "../protocol/index.ts";
import type { Session } from "../session/index.ts";
import { askerOf } from "../view/index.ts";
import { offerPermissionOptions } from "./permission-options.ts";
import { callIdOf } from "./session-updates.ts";

/** The session's permission questions that the editor shows. */
export interface PermissionRequests {
  ask(envelope: Envelope, question: Question): void;
  /** Withdraws a question that was already answered. */
  withdraw(id: RequestId): void;
  /** Asks the editor to close all its questions. */
  cancel(): void;
}

type Question = Extract<Envelope["event"], { type: "permission.asked" }>;

export function createPermissionRequests(
  session: Session,
  client: AgentContext,
  onError: (error: unknown) => void,
): PermissionRequests {
  const asked = new Map<RequestId, AbortController>();

  const ask = async (envelope: Envelope, question: Question) => {
    const stop = new AbortController();
    asked.set(question.requestId, stop);
    const pending = { ...question, agent: envelope.agent, at: envelope.at };
    const { options, answer } = offerPermissionOptions(pending, askerOf({ session: session.view() }, pending));
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
    await session.dispatch({ type: "permission.reply", requestId: question.requestId, answer: answer(outcome) });
  };

  return {
    ask(envelope, question) {
      const { requestId } = question;
      ask(envelope, question).catch((error: unknown) => {
        // The question can no longer be answered. Deny it, so that the agent does not wait forever.
        if (asked.delete(requestId)) {
          onError(error);
          void session.dispatch({ type: "permission.reply", requestId, answer: { behavior: "deny" } });
        }
      });
    },
    withdraw(id) {
      asked.get(id)?.abort();
      asked.delete(id);
    },
    cancel() {
      for (const stop of asked.values()) stop.abort();
    },
  };
}
