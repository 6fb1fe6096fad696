import { onTestFinished } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { type AgentId, type MemberState, type RequestId, teamLead } from "../../../src/protocol/index.ts";
import { createFileTeamStore } from "../../../src/store/index.ts";
import type { LeftWorktree } from "../../../src/agent/index.ts";
import { createMemberMessageTool, type OpenRequest } from "../../../src/team/index.ts";
import { createMailbox } from "../../../src/team/mailbox/index.ts";
import { tempTree } from "../files/temp-tree.ts";
import { openToolBench } from "./tool-bench.ts";
import { callTool } from "./team-tool-bench.ts";

const self = "agt_00000000" as AgentId;

interface MailBench {
  readonly shutdowns?: readonly OpenRequest[];
  readonly plans?: readonly OpenRequest[];
  /** The members that have presented a plan. Default: not known. */
  readonly presenters?: readonly string[];
  /** The members in plan mode that have presented none. */
  readonly planning?: readonly string[];
  /** The work of members that work, and that has not landed. */
  readonly unfinished?: Readonly<Record<string, LeftWorktree>>;
  readonly states?: Readonly<Record<string, MemberState>>;
  readonly pairsPerMinute?: number;
}

/** A real team with real inboxes, and the tool of each member. */
export async function mailBench(options: MailBench = {}) {
  const {
    shutdowns = [],
    plans = [],
    presenters,
    planning = [],
    unfinished = {},
    states = {},
    pairsPerMinute = 60,
  } = options;
  const createId = createIdFactory(systemClock);
  const store = createFileTeamStore({ home: tempTree().path("home"), clock: systemClock, createId });
  const bench = openToolBench();
  onTestFinished(() => bench.close());
  const stored = await store.create({ name: "parser", cwd: bench.folder });
  onTestFinished(() => stored.close());
  const { record, presence } = stored;
  for (const name of ["alice", "bob", "carol"]) {
    await record.join({ name, cwd: bench.folder, backendType: "in-process" });
  }
  await record.end("carol", { reason: "shutdown" });
  for (const [name, state] of Object.entries(states)) {
    const own = await presence.announce(name, state);
    onTestFinished(() => own.close());
  }
  const mailbox = createMailbox({
    team: stored.name,
    store: stored,
    members: () => record.current().members,
    keyOf: record.keyOf,
    clock: systemClock,
    createId,
    pairsPerMinute,
  });
  onTestFinished(() => mailbox.close());
  const control: unknown[] = [];
  const toolOf = (who: string) =>
    createMemberMessageTool({
      self: () => self,
      memberName: () => who,
      isLead: () => who === teamLead,
      members: () => record.current().members,
      statusOf: presence.statusOf,
      linkTo: () => ({
        send: async (mail) => (await mailbox.send({ ...mail, from: who })).id,
        receipt: (id, to) => mailbox.receipt(id, to),
      }),
      open: { shutdown: () => shutdowns, plan: () => plans },
      unfinishedWork: async ({ name }) => unfinished[name],
      lacksPlan: ({ name }) => planning.includes(name),
      hasPresentedPlan: presenters && (async ({ name }) => presenters.includes(name)),
      requestShutdown: async ({ name }, reason) => {
        control.push({ ask: name, reason });
        return "ask_00000001" as RequestId;
      },
      answerShutdown: async (answer) => void control.push({ shutdown: answer }),
      answerPlan: async (answer) => void control.push({ plan: answer }),
    });
  return {
    control,
    mailbox,
    record,
    toolOf,
    say: (who: string, input: object, agent = self) =>
      callTool(toolOf(who), input, { ...bench.context, agent: { ...bench.context.agent, id: agent } }),
    inbox: async (name: string) =>
      (await mailbox.readAll(name)).map(({ from, body, summary, urgent }) => ({ from, body, summary, urgent })),
  };
}
