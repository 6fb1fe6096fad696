import { isReadOnlyType } from "../../agent/definitions/index.ts";
import { type BranchUse, type LeftWorktree, refusedCommand, type RefusedCommand } from "../../agent/index.ts";
import { currentProcess } from "../../platform/index.ts";
import { type Member, type MemberStatus, teamLead, type WorkItemId } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import {
  acceptTask,
  createMemberMessageTool,
  createTaskTools,
  explainMembers,
  type InboxConsumer,
  type MemberMessagePorts,
  onlyForOwner,
} from "../../team/index.ts";
import { editingTools, type Tool } from "../../tool/index.ts";
import type { TeamPorts } from "./team-role.ts";

/** The interface of an agent's task tools, for its team's tasks or its session's own. */
export interface TaskToolPorts {
  readonly ports: TeamPorts;
  readonly claims: Map<WorkItemId, number>;
  me(): string;
  /** Undefined for the session's own list. */
  team(): string | undefined;
  tasks(): Promise<TaskList>;
  /** All members of the team, including ended ones. */
  members(): readonly Member[];
  link(): InboxConsumer | undefined;
  /** The work of this member that has not landed, if it is known here. */
  unlandedWork(member: string): Promise<LeftWorktree | undefined>;
}

export interface MessageToolPorts extends TaskToolPorts {
  /** Returns the link of the team that this member is in. */
  linkTo(member: Member): InboxConsumer;
  isLead(): boolean;
  statusOf(members: readonly Member[]): Promise<readonly MemberStatus[]>;
  readonly control: Pick<
    MemberMessagePorts,
    | "open"
    | "plansBy"
    | "hasPresentedPlan"
    | "lacksPlan"
    | "unfinishedWork"
    | "requestShutdown"
    | "answerShutdown"
    | "answerPlan"
  >;
}

const checkTimeoutMs = 300_000;

export function taskTools(toolPorts: TaskToolPorts): readonly Tool[] {
  const { ports } = toolPorts;
  const tools = createTaskTools({
    list: toolPorts.tasks,
    memberName: toolPorts.me,
    team: toolPorts.team,
    members: toolPorts.members,
    record: (event) => ports.agent.record(event),
    notify: async (mail) => void (await toolPorts.link()?.send(mail)),
    // The rules for an agent that only reads say nothing about the member that does the task.
    refuseCheck: async (command) => (canWrite(ports) ? refusalOf(command, ports) : undefined),
    hooks: {
      taskCreated: async (task, signal) => ports.runtime.hooks?.taskCreated(task, actorOf(toolPorts), signal),
      taskCompleted: async (task, signal) => ports.runtime.hooks?.taskCompleted(task, actorOf(toolPorts), signal),
    },
    accept: (task, signal) => {
      const runtime = ports.runtime;
      const { scope, session } = ports.shared;
      return acceptTask(task, {
        cwd: runtime.cwd(),
        env: session.config.childEnv,
        processes: scope,
        clock: session.ports.clock,
        timeoutMs: checkTimeoutMs,
        sandbox: runtime.sandbox,
        signal,
        refuse: async (command) => (await refusalOf(command, ports))?.why,
      });
    },
    unlandedWork: toolPorts.unlandedWork,
    branchUse: (name) => branchUseOf(name, toolPorts),
    capable: (needs) => {
      const has = new Set(ports.tools().map(({ name }) => name));
      return needs.filter((tool) => !has.has(tool));
    },
    holder: currentProcess(),
    claims: toolPorts.claims,
  });
  return onlyForOwner(tools, () => ports.runtime.id);
}

/** TaskStop and TaskOutput explain the members of the team. */
export const adaptToolTo = ({ ports, me, members }: Pick<TaskToolPorts, "ports" | "me" | "members">) =>
  explainMembers({ self: () => ports.runtime.id, memberName: me, members });

/** How a member gets the work on the branch of another. */
export function branchUseOf(name: string, { members, ports }: Pick<TaskToolPorts, "members" | "ports">): BranchUse {
  if (name === teamLead) return "land";
  const member = members().find((each) => each.name === name);
  const type = ports.shared.session.extensions.definitions.find((each) => each.name === member?.agentType);
  if (type && isReadOnlyType(type)) return "compare";
  return member?.worktreePath === undefined ? "ask" : "merge";
}

/** A check runs only if the member that completes the task could run it without asking. */
const canWrite = ({ tools }: TeamPorts): boolean => tools().some(({ name }) => editingTools.has(name));

export async function refusalOf(command: string, { tools, runtime }: TeamPorts): Promise<RefusedCommand | undefined> {
  const bash = tools().find(({ name }) => name === "Bash");
  if (!bash) return { why: "no Bash tool is available to run it", allowedWith: undefined };
  return refusedCommand(await runtime.policy.decide(bash, { command }));
}

export function messageTool(toolPorts: MessageToolPorts): Tool {
  return createMemberMessageTool({
    ...toolPorts.control,
    subagents: toolPorts.ports.subagents?.registry,
    self: () => toolPorts.ports.runtime.id,
    memberName: toolPorts.me,
    isLead: toolPorts.isLead,
    members: toolPorts.members,
    statusOf: toolPorts.statusOf,
    linkTo: toolPorts.linkTo,
  });
}

const actorOf = (toolPorts: TaskToolPorts) => ({ name: toolPorts.me(), team: toolPorts.team() });
