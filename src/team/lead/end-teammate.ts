import { isExternal, type Member, type MemberStatus, type RequestId, teamLead } from "../../protocol/index.ts";
import type { CreateId } from "../../platform/index.ts";
import type { LeadTeam } from "./lead-team.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import { type TeammateLifecycle, suspendMs } from "./teammate-lifecycle.ts";
import type { PresenceWatch } from "./presence-watch.ts";
import type { StopAnswer, StopRequests } from "./request-shutdown.ts";

/** Ends members that were asked to end, by the lead or by the CLI, or reports why they do not. */
export interface TeammateEndings {
  stop(name: string, wanted: StopOptions): Promise<StopAnswer>;
  /** True while a member is ending after a stop request of this lead. */
  isEnding(name: string): boolean;
  /** Receives every status. A member that drains without a stop request here has a deadline from then on. */
  observe(status: MemberStatus): Promise<void>;
  /** Resolves when every stop request has its answer. */
  settled(): Promise<void>;
}

type StopOptions = NonNullable<Parameters<LeadTeam["stop"]>[1]>;

export interface TeammateEndingsOptions {
  readonly stopRequests: StopRequests;
  readonly lifecycle: Pick<TeammateLifecycle, "isRunning" | "endsWithin" | "endNow">;
  readonly watch: Pick<PresenceWatch, "refresh" | "statusOf">;
  readonly mailbox: Mailbox;
  readonly createId: CreateId;
  readonly memberOf: (name: string) => Member;
  /** Called when a member is asked to end. */
  readonly onAsked: (name: string) => void;
  /** Called after each attempt. */
  readonly onDone: (name: string) => void;
}

/** How long the CLI may take, after its deadline, to end the member itself. */
const cliGraceMs = 20_000;

export function createTeammateEndings(options: TeammateEndingsOptions): TeammateEndings {
  const { stopRequests, lifecycle, watch, memberOf } = options;
  const stopping = new Map<string, Promise<StopAnswer>>();
  /** Members with a stop request from a previous run of this lead or from the CLI. */
  const adopted = new Set<string>();

  const trackStop = async (name: string, work: Promise<StopAnswer>): Promise<StopAnswer> => {
    stopping.set(name, work);
    options.onAsked(name);
    try {
      return await work;
    } finally {
      if (stopping.get(name) === work) stopping.delete(name);
      options.onDone(name);
    }
  };

  const stop = async (name: string, { now, reason }: StopOptions): Promise<StopAnswer> => {
    const answer: StopAnswer = now ? { kind: "late" } : await stopRequests.ask(name, reason);
    return endAfter(name, answer, answer.kind === "late" && !now ? noAnswerReason : reason);
  };

  const endAfter = async (name: string, answer: StopAnswer, detail: string | undefined): Promise<StopAnswer> => {
    if (answer.kind === "rejected" || answer.kind === "open") return answer;
    const isLate = answer.kind === "late";
    // An external member only announces its end, so record it here.
    if (isExternal(memberOf(name))) await lifecycle.endNow(name, { reason: isLate ? "killed" : "shutdown", detail });
    else if (isLate || !(await lifecycle.endsWithin(name, suspendMs))) await lifecycle.endNow(name, { detail });
    await watch.refresh();
    return answer;
  };

  const adopt = async ({ name, since }: MemberStatus, request: OpenRequest): Promise<StopAnswer> => {
    const answer = await stopRequests.adopt(name, request);
    const now = watch.statusOf(name);
    // Its answer may have arrived before this process waited for it.
    const isOver =
      memberOf(name).ended !== undefined ||
      (answer.kind === "late" && (now?.state !== "draining" || now.since !== since));
    return isOver ? { kind: "open" } : endAfter(name, answer, noAnswerReason);
  };

  /** A new request id if no request is unread: the member has agreed already but still runs. */
  const requestTo = async (name: string): Promise<OpenRequest> => {
    for (const { from, body, refused } of await options.mailbox.readUnread(name))
      if (body.kind === "shutdown_request" && refused === undefined)
        return { requestId: body.requestId, moreMs: from === teamLead ? 0 : cliGraceMs };
    return { requestId: options.createId<RequestId>("ask"), moreMs: 0 };
  };

  return {
    stop: (name, wanted) => trackStop(name, stop(name, wanted)),
    isEnding: (name) => stopping.has(name),
    async observe(status) {
      const { name, state } = status;
      const isAsked = () =>
        stopping.has(name) || stopRequests.openRequestTo(name) !== undefined || !lifecycle.isRunning(name);
      if (state !== "draining" || adopted.has(name) || isAsked()) return;
      adopted.add(name);
      try {
        const request = await requestTo(name);
        if (isAsked()) return;
        const ended = adopt(status, request);
        await (request.moreMs > 0 ? ended : trackStop(name, ended));
      } finally {
        adopted.delete(name);
      }
    },
    async settled() {
      await Promise.allSettled(stopping.values());
    },
  };
}

type OpenRequest = Parameters<StopRequests["adopt"]>[1];

const noAnswerReason = "it did not answer in time";
