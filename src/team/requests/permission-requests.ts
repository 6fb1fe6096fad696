import { resolve } from "node:path";
import type { PermissionQuestion } from "../../agent/index.ts";
import { type Clock, type CreateId, digestOfCall, rejectOnAbort } from "../../platform/index.ts";
import { type MailBody, type PermissionAnswer, type RequestId, teamLead, TroupeError } from "../../protocol/index.ts";
import type { MailHandlers, InboxConsumer } from "../mailbox/inbox-consumer.ts";

/**
 * Sends a member's permission requests to its lead by mail. Requests are stored on disk, may be open at the same time,
 * and each is answered once.
 */
export interface PermissionRequests {
  /** Rejects when `signal` aborts. Denies when no answer comes in time. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Asks whether sandboxed commands may reach a host that is not listed. False when no answer comes in time. */
  askHost(host: string): Promise<boolean>;
  readonly handlers: MailHandlers;
  /** Withdraws a request of a previous run, which no call waits for. */
  withdraw(requestId: RequestId): Promise<void>;
}

export interface PermissionRequestsOptions {
  readonly link: () => InboxConsumer;
  /** The member's working directory. */
  readonly folder: () => string;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly timeoutMs: number;
  /**
   * Called with the reason when an answer is ignored: its request is unknown or closed, or its digest does not match.
   */
  readonly onUnexpectedAnswer: (reason: string) => Promise<void>;
  /**
   * Called when the member starts or stops waiting, with the first line of the oldest open request. Undefined: it waits
   * for nothing.
   */
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

  /** Accepts one answer per request, and only if its digest matches the request. */
  const settle = async (body: { requestId: RequestId; digest: string }, answer: PermissionAnswer) => {
    const request = openRequests.get(body.requestId);
    if (!request) return options.onUnexpectedAnswer(`ignored an answer to ${body.requestId}: no request waits for it`);
    if (request.digest !== body.digest)
      return options.onUnexpectedAnswer(`ignored an answer to ${body.requestId}: it does not match the request`);
    openRequests.delete(body.requestId);
    request.answer(answer);
  };

  /** Answers open requests for a path that the whole team may change now. */
  const onPathAllowed = async ({ path, tool }: { path: string; tool: string }) => {
    for (const [requestId, { question, answer }] of openRequests) {
      const request = filePathOf(question.input);
      if (question.tool !== tool || request === undefined || resolve(options.folder(), request) !== path) continue;
      openRequests.delete(requestId);
      answer({ behavior: "allow", scope: "once" });
      await withdraw(requestId);
    }
  };

  /** Returns why the lead cannot be asked if the mailbox refuses the mail. The caller denies with that reason. */
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
      // The lead drops the requests of a member that has left by itself.
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
      const late = options.clock.sleep(options.timeoutMs, finished.signal).then(
        () => timeoutAnswer(options.timeoutMs),
        () => new Promise<never>(() => undefined), // the wait is over
      );
      try {
        const sendProblem = await trySend(requestBody(question, digest), isPlanRequest(question));
        if (sendProblem !== undefined) return { behavior: "deny", by: "policy", message: sendProblem };
        beginWait(requestId, question.question);
        return await rejectOnAbort(Promise.race([answered, late]), signal);
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
          return options.onUnexpectedAnswer(`ignored an answer to ${requestId}: no request waits for it`);
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

/** The file path in a call's input, as the call gives it. */
export function filePathOf(input: unknown): string | undefined {
  const path = typeof input === "object" && input !== null && "file_path" in input ? input.file_path : undefined;
  return typeof path === "string" ? path : undefined;
}

export const isPlanRequest = ({ tool }: Pick<PermissionQuestion, "tool">): boolean => tool === "ExitPlanMode";

/** Binds an answer to the tool and the exact input of the request. */
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
  message: `no answer within ${Math.round(ms / 1000)} s`,
});
