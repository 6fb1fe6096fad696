import { resolve } from "node:path";
import type { PermissionQuestion } from "../agent/index.ts";
import { type Clock, type CreateId, digestOfCall } from "../platform/index.ts";
import { type MailBody, type PermissionAnswer, type RequestId, teamLead, TroupeError } from "../protocol/index.ts";
import type { MailHandlers, MemberLink } from "./member-link.ts";

/** A member's questions, asked of its lead by mail: kept on disk, several side by side, each answered once. */
export interface AskByMail {
  /** Rejects when `signal` aborts. With nobody answering in time it is a no. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Whether commands in the sandbox may reach a host that is not listed. With nobody answering in time it is a no. */
  askHost(host: string): Promise<boolean>;
  readonly handlers: MailHandlers;
  /** Nobody waits for an answer to this any more: it was asked in an earlier life. */
  withdraw(requestId: RequestId): Promise<void>;
}

export interface AskByMailOptions {
  readonly link: () => MemberLink;
  /** Where the member works. */
  readonly folder: () => string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** How long to wait for an answer. */
  readonly timeoutMs: number;
  /** An answer that counts for nothing: to what nobody asked, or waits for any more, or to something else than was asked. */
  readonly onVoid: (why: string) => Promise<void>;
  /** Told what is waited for whenever that changes, in a line: of several the first; undefined: nothing any more. */
  readonly onWait?: ((question: string | undefined) => void) | undefined;
}

interface Open {
  readonly question: PermissionQuestion;
  readonly digest: string;
  readonly answer: (answer: PermissionAnswer) => void;
}

export function createAskByMail(options: AskByMailOptions): AskByMail {
  const open = new Map<RequestId, Open>();
  const hosts = new Map<RequestId, { readonly digest: string; readonly answer: (allow: boolean) => void }>();

  const waiting = new Map<RequestId, string>();
  const tellOfWait = () => options.onWait?.(waiting.values().next().value);
  const beginWait = (requestId: RequestId, question: string) => {
    waiting.set(requestId, question.split("\n", 1)[0] ?? "");
    tellOfWait();
  };
  const endWait = (requestId: RequestId) => {
    if (waiting.delete(requestId)) tellOfWait();
  };

  /** Only what was asked is answered, and only once: another input, or a second answer, counts for nothing. */
  const settle = async (body: { requestId: RequestId; digest: string }, answer: PermissionAnswer) => {
    const asked = open.get(body.requestId);
    if (!asked) return options.onVoid(`an answer to ${body.requestId} came, and nobody waits for it`);
    if (asked.digest !== body.digest)
      return options.onVoid(`an answer to ${body.requestId} is to something else than was asked`);
    open.delete(body.requestId);
    asked.answer(answer);
  };

  /** What is now allowed to everybody need not be asked any more. */
  const allowed = async ({ path, tool }: { path: string; tool: string }) => {
    for (const [requestId, { question, answer }] of open) {
      const asked = pathIn(question.input);
      if (question.tool !== tool || asked === undefined || resolve(options.folder(), asked) !== path) continue;
      open.delete(requestId);
      answer({ behavior: "allow", scope: "once" });
      await withdraw(requestId);
    }
  };

  /** Why the lead cannot be asked, where the team has no way to: it is a no that says so. */
  const trySend = async (body: MailBody, wakes: boolean): Promise<string | undefined> => {
    try {
      await options.link().send({ to: teamLead, body, wakes });
      return undefined;
    } catch (error) {
      if (TroupeError.is(error) && error.code === "mail") return error.message;
      throw error;
    }
  };

  const withdraw = async (requestId: RequestId) => {
    try {
      await options.link().send({ to: teamLead, body: { kind: "request_withdrawn", requestId }, wakes: false });
    } catch (error) {
      // Of one who has left, the lead knows by itself that nothing waits.
      if (!TroupeError.is(error)) throw error;
    }
  };

  return {
    withdraw,
    async askHost(host) {
      const requestId = options.createId<RequestId>("ask");
      const digest = digestOf("Sandbox", { host });
      const over = new AbortController();
      const answered = new Promise<boolean>((answer) => hosts.set(requestId, { digest, answer }));
      const late = options.clock.sleep(options.timeoutMs, over.signal).then(
        () => false,
        () => false,
      );
      try {
        if ((await trySend({ kind: "sandbox_permission_request", requestId, host, digest }, false)) !== undefined)
          return false;
        beginWait(requestId, `May its commands reach ${host}?`);
        return await Promise.race([answered, late]);
      } finally {
        over.abort();
        endWait(requestId);
        if (hosts.delete(requestId)) await withdraw(requestId);
      }
    },
    async ask(question, signal) {
      signal.throwIfAborted();
      const { requestId } = question;
      const digest = digestOf(question.tool, question.input);
      const over = new AbortController();
      const answered = new Promise<PermissionAnswer>((answer) => open.set(requestId, { question, digest, answer }));
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true, signal: over.signal });
      });
      aborted.catch(() => undefined); // raced below
      const late = options.clock.sleep(options.timeoutMs, over.signal).then(
        () => unanswered(options.timeoutMs),
        () => new Promise<never>(() => undefined), // nobody waits any more
      );
      try {
        const unsent = await trySend(requestOf(question, digest), isPlan(question));
        if (unsent !== undefined) return { behavior: "deny", by: "policy", message: unsent };
        beginWait(requestId, question.question);
        return await Promise.race([answered, aborted, late]);
      } finally {
        over.abort();
        endWait(requestId);
        const isAnswered = !open.delete(requestId);
        if (!isAnswered) await withdraw(requestId);
      }
    },
    handlers: {
      permission_response: (_, body) => settle(body, body.answer),
      team_permission_update: (_, body) => allowed(body),
      sandbox_permission_response: async (_, { requestId, digest, allow }) => {
        const asked = hosts.get(requestId);
        if (asked?.digest !== digest) return options.onVoid(`an answer to ${requestId} came, and nobody waits for it`);
        hosts.delete(requestId);
        asked.answer(allow);
      },
      plan_approval_response: ({ from }, body) =>
        settle(
          body,
          body.approve
            ? { behavior: "allow", scope: "once", ...(body.permissionMode && { permissionMode: body.permissionMode }) }
            : {
                behavior: "deny",
                message: body.feedback ?? "The plan was not approved. Ask what is missing.",
                ...(from === teamLead && { by: "lead" }),
              },
        ),
    },
  };
}

/** The file that a call is about, as it names it. */
export function pathIn(input: unknown): string | undefined {
  const path = typeof input === "object" && input !== null && "file_path" in input ? input.file_path : undefined;
  return typeof path === "string" ? path : undefined;
}

export const isPlan = ({ tool }: Pick<PermissionQuestion, "tool">): boolean => tool === "ExitPlanMode";

/** Binds an answer to what was asked: the tool and its exact input. */
export const digestOf = digestOfCall;

function requestOf(question: PermissionQuestion, digest: string): MailBody {
  const { requestId, callId, tool, input, suggestions, reason, around } = question;
  if (isPlan(question)) {
    const plan = typeof input === "object" && input !== null && "plan" in input ? String(input.plan) : "";
    return { kind: "plan_approval_request", requestId, plan, digest };
  }
  return {
    kind: "permission_request",
    requestId,
    callId,
    tool,
    input,
    question: question.question,
    suggestions,
    ...(reason !== undefined && { reason }),
    ...(around && { around }),
    digest,
  };
}

const unanswered = (ms: number): PermissionAnswer => ({
  behavior: "deny",
  by: "policy",
  message: `nobody answered within ${Math.round(ms / 1000)} s`,
});
