import { resolve } from "node:path";
import type { PermissionQuestion } from "../../agent/index.ts";
import { type Clock, type CreateId, digestOfCall } from "../../platform/index.ts";
import { type MailBody, type PermissionAnswer, type RequestId, teamLead, TroupeError } from "../../protocol/index.ts";
import type { MailHandlers, InboxConsumer } from "../mailbox/inbox-consumer.ts";

/** A member's questions, asked of its lead by mail: kept on disk, several side by side, each answered once. */
export interface PermissionRequests {
  /** Rejects when `signal` aborts. With nobody answering in time it is a no. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Whether commands in the sandbox may reach a host that is not listed. With nobody answering in time it is a no. */
  askHost(host: string): Promise<boolean>;
  readonly handlers: MailHandlers;
  /** Nobody waits for an answer to this any more: it was asked in an earlier life. */
  withdraw(requestId: RequestId): Promise<void>;
}

export interface PermissionRequestsOptions {
  readonly link: () => InboxConsumer;
  /** Where the member works. */
  readonly folder: () => string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** How long to wait for an answer. */
  readonly timeoutMs: number;
  /** An answer that counts for nothing: to what nobody asked, or waits for any more, or to something else than was asked. */
  readonly onUnexpectedAnswer: (reason: string) => Promise<void>;
  /** Told what is waited for whenever that changes, in a line: of several the first; undefined: nothing any more. */
  readonly onWait?: ((question: string | undefined) => void) | undefined;
}

interface OpenRequest {
  readonly question: PermissionQuestion;
  readonly digest: string;
  readonly answer: (answer: PermissionAnswer) => void;
}

export function createPermissionRequests(options: PermissionRequestsOptions): PermissionRequests {
  const openRequests = new Map<RequestId, OpenRequest>();
  const openHostRequests = new Map<RequestId, { readonly digest: string; readonly answer: (allow: boolean) => void }>();

  const waiting = new Map<RequestId, string>();
  const reportWait = () => options.onWait?.(waiting.values().next().value);
  const beginWait = (requestId: RequestId, question: string) => {
    waiting.set(requestId, question.split("\n", 1)[0] ?? "");
    reportWait();
  };
  const endWait = (requestId: RequestId) => {
    if (waiting.delete(requestId)) reportWait();
  };

  /** Only what was asked is answered, and only once: another input, or a second answer, counts for nothing. */
  const settle = async (body: { requestId: RequestId; digest: string }, answer: PermissionAnswer) => {
    const request = openRequests.get(body.requestId);
    if (!request) return options.onUnexpectedAnswer(`an answer to ${body.requestId} came, and nobody waits for it`);
    if (request.digest !== body.digest)
      return options.onUnexpectedAnswer(`an answer to ${body.requestId} is to something else than was asked`);
    openRequests.delete(body.requestId);
    request.answer(answer);
  };

  /** What is now allowed to everybody need not be asked any more. */
  const onPathAllowed = async ({ path, tool }: { path: string; tool: string }) => {
    for (const [requestId, { question, answer }] of openRequests) {
      const request = filePathOf(question.input);
      if (question.tool !== tool || request === undefined || resolve(options.folder(), request) !== path) continue;
      openRequests.delete(requestId);
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
      const digest = callDigest("Sandbox", { host });
      const finished = new AbortController();
      const answered = new Promise<boolean>((answer) => openHostRequests.set(requestId, { digest, answer }));
      const late = options.clock.sleep(options.timeoutMs, finished.signal).then(
        () => false,
        () => false,
      );
      try {
        if ((await trySend({ kind: "sandbox_permission_request", requestId, host, digest }, false)) !== undefined)
          return false;
        beginWait(requestId, `May its commands reach ${host}?`);
        return await Promise.race([answered, late]);
      } finally {
        finished.abort();
        endWait(requestId);
        if (openHostRequests.delete(requestId)) await withdraw(requestId);
      }
    },
    async ask(question, signal) {
      signal.throwIfAborted();
      const { requestId } = question;
      const digest = callDigest(question.tool, question.input);
      const finished = new AbortController();
      const answered = new Promise<PermissionAnswer>((answer) =>
        openRequests.set(requestId, { question, digest, answer }),
      );
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true, signal: finished.signal });
      });
      aborted.catch(() => undefined); // raced below
      const late = options.clock.sleep(options.timeoutMs, finished.signal).then(
        () => timeoutAnswer(options.timeoutMs),
        () => new Promise<never>(() => undefined), // nobody waits any more
      );
      try {
        const sendProblem = await trySend(requestBody(question, digest), isPlanRequest(question));
        if (sendProblem !== undefined) return { behavior: "deny", by: "policy", message: sendProblem };
        beginWait(requestId, question.question);
        return await Promise.race([answered, aborted, late]);
      } finally {
        finished.abort();
        endWait(requestId);
        const isAnswered = !openRequests.delete(requestId);
        if (!isAnswered) await withdraw(requestId);
      }
    },
    handlers: {
      permission_response: (_, body) => settle(body, body.answer),
      team_permission_update: (_, body) => onPathAllowed(body),
      sandbox_permission_response: async (_, { requestId, digest, allow }) => {
        const request = openHostRequests.get(requestId);
        if (request?.digest !== digest)
          return options.onUnexpectedAnswer(`an answer to ${requestId} came, and nobody waits for it`);
        openHostRequests.delete(requestId);
        request.answer(allow);
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
export function filePathOf(input: unknown): string | undefined {
  const path = typeof input === "object" && input !== null && "file_path" in input ? input.file_path : undefined;
  return typeof path === "string" ? path : undefined;
}

export const isPlanRequest = ({ tool }: Pick<PermissionQuestion, "tool">): boolean => tool === "ExitPlanMode";

/** Binds an answer to what was asked: the tool and its exact input. */
export const callDigest = digestOfCall;

function requestBody(question: PermissionQuestion, digest: string): MailBody {
  const { requestId, callId, tool, input, suggestions, reason, around } = question;
  if (isPlanRequest(question)) {
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

const timeoutAnswer = (ms: number): PermissionAnswer => ({
  behavior: "deny",
  by: "policy",
  message: `nobody answered within ${Math.round(ms / 1000)} s`,
});
