import { type CreateId, rejectOnAbort } from "../../platform/index.ts";
import { type MailBody, type PermissionMode, type RequestId, teamLead, TroupeError } from "../../protocol/index.ts";
import type { MailHandlers, InboxConsumer } from "../mailbox/inbox-consumer.ts";
import type { TeammateSpawnRequest } from "../tools/agent-tool.ts";
import { sendFailureReason } from "../mailbox/mail-error.ts";

export type SpawnRequest = Extract<MailBody, { kind: "spawn_request" }>;

/** A member's side of starting teammates. The lead's runtime starts them in the same team and sends the result. */
export interface SpawnRequests {
  /** Returns text for the member's model. Rejects with a TroupeError if the lead refuses, or when the signal aborts. */
  start(wish: TeammateSpawnRequest, mode: PermissionMode): Promise<string>;
  readonly handlers: MailHandlers;
}

export function createSpawnRequests(options: {
  readonly link: () => InboxConsumer;
  readonly createId: CreateId;
}): SpawnRequests {
  const open = new Map<RequestId, (answer: { ok: boolean; text: string }) => void>();
  return {
    async start(wanted, callerMode) {
      const { signal } = wanted;
      signal.throwIfAborted();
      const requestId = options.createId<RequestId>("ask");
      const answered = new Promise<{ ok: boolean; text: string }>((answer) => open.set(requestId, answer));
      try {
        const body = { kind: "spawn_request" as const, requestId, callerMode, ...toSpawnRequest(wanted) };
        await options.link().send({ to: teamLead, body, wakes: false });
        const { ok, text } = await rejectOnAbort(answered, signal);
        if (!ok) throw new TroupeError("agent", text);
        return text;
      } finally {
        open.delete(requestId);
      }
    },
    handlers: {
      spawn_response: async (_, { requestId, ok, text }) => open.get(requestId)?.({ ok, text }),
    },
  };
}

/** The lead's side. `start` returns text for the requesting model. Without it, members cannot start teammates. */
export function createSpawnHandlers(options: {
  readonly link: () => InboxConsumer;
  readonly start: ((from: string, request: SpawnRequest) => Promise<string>) | undefined;
  readonly warn: (message: string) => Promise<unknown>;
}): MailHandlers {
  const answer = async (from: string, request: SpawnRequest) => {
    const outcome = await attempt(from, request);
    const body = { kind: "spawn_response" as const, requestId: request.requestId, ...outcome };
    try {
      await options.link().send({ to: from, body });
    } catch (error) {
      await options.warn(`cannot send the answer to ${from}: ${sendFailureReason(error)}`);
    }
  };
  const attempt = async (from: string, request: SpawnRequest) => {
    if (!options.start) return { ok: false, text: "Teammates cannot start teammates here (teams.nestedTeams is off)." };
    try {
      return { ok: true, text: await options.start(from, request) };
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return { ok: false, text: error.message };
    }
  };
  return { spawn_request: (mail, body) => ({ later: answer(mail.from, body) }) };
}

function toSpawnRequest({ callId, name, description, prompt, planModeRequired, ...more }: TeammateSpawnRequest) {
  const { type, model, mode, isolation, cwd } = more;
  return {
    callId,
    name,
    description,
    prompt,
    planModeRequired,
    ...(type !== undefined && { type }),
    ...(model !== undefined && { model }),
    ...(mode !== undefined && { mode }),
    ...(isolation !== undefined && { isolation }),
    ...(cwd !== undefined && { cwd }),
  };
}
