import { type Clock, type CreateId, definedFields } from "../../platform/index.ts";
import { type MailBody, type PermissionMode, teamLead, TroupeError } from "../../protocol/index.ts";
import type { MailHandlers } from "../mailbox/inbox-consumer.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import type { TeammateSpawnRequest } from "../tools/agent-tool.ts";
import { createMailRequests, respondByMail } from "./mail-requests.ts";

export type SpawnRequest = Extract<MailBody, { kind: "spawn_request" }>;

/** A member's side of starting teammates. The lead's runtime starts them in the same team and sends the result. */
export interface SpawnRequests {
  /** Returns text for the member's model. Rejects with a TroupeError if the lead refuses, or when the signal aborts. */
  start(wish: TeammateSpawnRequest, mode: PermissionMode): Promise<string>;
  readonly handlers: MailHandlers;
}

export function createSpawnRequests(options: {
  readonly sender: Pick<MailSender, "send">;
  readonly clock: Pick<Clock, "sleep">;
  readonly createId: CreateId;
}): SpawnRequests {
  const requests = createMailRequests<{ readonly ok: boolean; readonly text: string }>(options);
  return {
    async start(wanted, callerMode) {
      const requestId = requests.createId();
      const body = { kind: "spawn_request" as const, requestId, callerMode, ...toSpawnRequest(wanted) };
      const { signal } = wanted;
      const outcome = await requests.request({ requestId, to: teamLead, body, wakes: false }, { signal });
      if (outcome.kind === "answer" && outcome.answer.ok) return outcome.answer.text;
      if (outcome.kind === "answer") throw new TroupeError("agent", outcome.answer.text);
      throw new TroupeError("mail", outcome.kind === "refused" ? outcome.reason : `${teamLead} did not answer.`);
    },
    handlers: {
      spawn_response: async (_, { requestId, ok, text }) => void requests.settle(requestId, { ok, text }),
    },
  };
}

/** The lead's side. `start` returns text for the requesting model. Without it, members cannot start teammates. */
export function createSpawnHandlers(options: {
  readonly sender: Pick<MailSender, "send">;
  readonly start: ((from: string, request: SpawnRequest) => Promise<string>) | undefined;
  readonly warn: (message: string) => Promise<unknown>;
}): MailHandlers {
  const attempt = async (from: string, request: SpawnRequest) => {
    if (!options.start) return { ok: false, text: "Teammates cannot start teammates here (teams.nestedTeams is off)." };
    try {
      return { ok: true, text: await options.start(from, request) };
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return { ok: false, text: error.message };
    }
  };
  return respondByMail("spawn_request", options, async ({ from }, request) => ({
    kind: "spawn_response" as const,
    requestId: request.requestId,
    ...(await attempt(from, request)),
  }));
}

function toSpawnRequest({ callId, name, description, prompt, planModeRequired, ...more }: TeammateSpawnRequest) {
  const { type, model, mode, isolation, cwd, task } = more;
  const optional = definedFields({ type, model, mode, isolation, cwd, task });
  return { callId, name, description, prompt, planModeRequired, ...optional };
}
