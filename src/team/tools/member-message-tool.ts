import * as z from "zod";
import { planAnswerCall, shutdownAnswerCall } from "../../agent/index.ts";
import { definedFields, sameName } from "../../platform/index.ts";
import {
  jobWaitOf,
  type Member,
  type MemberStatus,
  type MailId,
  messageOf,
  teamLead,
  teamUser,
} from "../../protocol/index.ts";
import {
  defineTool,
  failedResult,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../tool/index.ts";
import { checkReceipt, receiptInput, type ReceiptPorts, type ReceiptRequest } from "./check-receipt.ts";
import { lazyInput } from "./lazy-input.ts";
import {
  handleControlMessage,
  requestEnds,
  controlInputs,
  type ControlMessage,
  type ControlPorts,
  messageProblem,
  type MessageRole,
  objectInText,
  type OpenRequest,
} from "./control-messages.ts";
import { didYouMean, messageSubagent, ownSubagent, ownSubagents, unknownSubagent } from "./message-subagent.ts";
import { agentNamePattern } from "./agent-name.ts";
import { toFailedResult } from "./to-failed-result.ts";
import type { SubagentRegistry } from "../subagents/subagent-registry.ts";

/** Ports of a member for sending messages. */
export interface MemberMessagePorts extends ControlPorts {
  /** The subagents of the member. Their names are looked up first. */
  readonly subagents?: SubagentRegistry | undefined;
  /** True if the member, or this one, is in plan mode and has presented no plan. Absent if that is not known. */
  readonly lacksPlan?: ((member: Member) => boolean) | undefined;
  /** The current states of the members, in their order. */
  statusOf(members: readonly Member[]): Promise<readonly MemberStatus[]>;
  /** The link to the team that this member is in. */
  linkTo(member: Member): MessageLink;
}

/** Sends messages to the members of one team. */
export interface MessageLink extends ReturnType<ReceiptPorts["linkTo"]> {
  /** Resolves when the mail is stored. Rejects with a `TroupeError` if it cannot be sent. */
  send(mail: MemberMail & { readonly to: string }): Promise<MailId>;
}

interface MemberMail {
  readonly text: string;
  readonly summary?: string;
  readonly urgent?: boolean;
  readonly wakes?: boolean;
}

interface MemberMessageInput {
  readonly to: string;
  readonly message: string | ControlMessage | ReceiptRequest;
  readonly summary?: string | undefined;
  readonly urgent?: boolean | undefined;
}

const messageForms = (role: MessageRole) =>
  z.preprocess(
    withApprove,
    z.union([z.string().min(1), ...controlInputs(role), receiptInput()], {
      error: ({ input }) => messageProblem(input, role),
    }),
  );

/** Models also write `approved` for `approve`. */
function withApprove(message: unknown): unknown {
  if (typeof message !== "object" || message === null || !("approved" in message) || "approve" in message)
    return message;
  const { approved, ...rest } = message;
  return { ...rest, approve: approved };
}

const messageInput = (role: MessageRole) =>
  lazyInput<MemberMessageInput>(() =>
    z.strictObject({
      to: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .describe("The name of a member, the id of an agent, or * for all members of the team"),
      message: messageForms(role).describe(
        role === "lead"
          ? "The message, complete in itself. An object only to ask a member to end, to answer a plan by its request_id, or to ask how far a message of yours has come"
          : "The message, complete in itself. An object only to answer a request to end by its request_id, or to ask how far a message of yours has come",
      ),
      summary: z.string().max(200).optional().describe("Five to ten words, for previews"),
      urgent: z
        .boolean()
        .optional()
        .describe("Interrupts what the receiver is doing. Only if it must stop or change course at once"),
    }),
  );
const inputs = { lead: messageInput("lead"), teammate: messageInput("teammate") };

/** Creates the tool that sends messages to the members of a team and to the member's own subagents. */
export function createMemberMessageTool(ports: MemberMessagePorts): Tool {
  return defineTool<MemberMessageInput>({
    name: "SendMessage",
    description: `Sends a message to a member of your team by its name, or to an agent that you have started. The message is stored before this call returns, and is never lost. A working member reads it after its current call; an idle one wakes for it. An agent of yours that has finished resumes in the background with all it knows. Others read only what you send with this tool. An answer, if there is one, arrives by itself as a <teammate-message>: do not wait for it. A message to * goes to all members and costs each of them a turn: use it only for what all must know.`,
    get input() {
      return inputs[ports.isLead() ? "lead" : "teammate"]();
    },
    access: "run",
    subject: () => ({ kind: "own" }),
    title: ({ to, message, summary }) =>
      `SendMessage to ${to}: ${summary ?? (typeof message === "string" ? message.slice(0, 80) : message.type)}`,
    execute: (input, context) => toFailedResult(() => deliver(input, ports, context)),
  });
}

/** Looks for the receiver among the names of the caller's subagents, then the members, then the ids of agents. */
async function deliver(
  { to: wanted, message: given, summary, urgent }: MemberMessageInput,
  ports: MemberMessagePorts,
  context: ToolContext,
): Promise<ToolResult> {
  const { subagents } = ports;
  const self = context.agent.id;
  const to = receiverOf(wanted, ports);
  const members = findReceivers(to, ports);
  const maybeSubagent = to !== "*" && (members.length === 0 || subagents?.names().includes(to));
  const subagent = subagents && maybeSubagent ? await ownSubagent(to, subagents, self) : undefined;
  if (subagents && subagent) {
    const note = clashNote(to, members);
    if (typeof given !== "string")
      return failedResult(`${to} is your own agent and knows no requests. Tell it in text, or stop it.${note}`);
    const sent = await messageSubagent(subagent, { to, message: given, summary }, { subagents, context });
    return note === "" ? sent : { ...sent, content: [...sent.content, { type: "text", text: note.trim() }] };
  }
  // A fork has its parent's tools and name, but it is not the member that others know by that name.
  if (self !== ports.self()) {
    return failedResult("You cannot speak for your parent in its team. Put what you have to say into your answer.");
  }
  const read = readMessage(given, ports);
  if ("problem" in read) return failedResult(`Nothing was sent. ${read.problem}`);
  const { message } = read;
  if (to === "*") {
    if (typeof message === "string") return broadcast({ text: message, ...definedFields({ summary, urgent }) }, ports);
    const teams = new Set(present(ports).map(({ agentId }) => agentId.slice(agentId.lastIndexOf("@"))));
    return message.type === "shutdown_request" && teams.size <= 1
      ? requestEnds(message, present(ports), ports)
      : oneByOne(ports);
  }
  if (typeof message !== "string" && message.type === "receipt_request") return checkReceipt(message, members, ports);
  const [member, ...others] = members;
  const reason =
    unreachableReason(to, members, ports) ?? (member && others.length > 0 ? ambiguous(members) : undefined);
  if (reason !== undefined || !member) return failedResult(reason ?? unknown(to, ports, self));
  if (typeof message !== "string") return handleControlMessage(message, member, ports);
  const openEnd = ports.open.shutdown().find(({ from }) => from === member.name);
  // Words about the end answer nothing. The lead reads them with the end, and needs no turn for them.
  const wakes = openEnd && !urgent ? false : undefined;
  const mail = { to: member.name, text: message, ...definedFields({ summary, urgent, wakes }) };
  const id = await ports.linkTo(member).send(mail);
  const plan = ports.open.plan().find(({ from }) => from === member.name);
  if (plan) return textResult(`Stored for ${member.name} (${id}). ${openPlanNote(plan)}`);
  const [status] = await ports.statusOf([member]);
  const notes = `Stored for ${member.name} (${id}). ${readTimeNote(member.name, status, urgent)}`;
  const more = [
    ...(openEnd ? [openShutdownNote(openEnd)] : []),
    ...(isLikelyControlMessage(message) ? [sentAsText] : []),
    ...(ports.isLead() && asksToEnd(message) ? [endInWordsNote(member.name)] : []),
    ...missingPlanNote(member, ports),
  ];
  return textResult([notes, ...more].join("\n"));
}

/** An agent of the caller's own hides a member of the same name. */
function clashNote(to: string, members: readonly Member[]): string {
  const hidden = members.filter(({ ended }) => !ended).map(({ agentId }) => agentId);
  return hidden.length === 0 ? "" : ` A teammate has the same name. Reach it as ${hidden.join(" or ")}.`;
}

/** Mail neither presents a plan nor approves one, whatever it says. */
function missingPlanNote(to: Member, ports: MemberMessagePorts): readonly string[] {
  if (ports.isLead())
    return ports.lacksPlan?.(to)
      ? [
          `${to.name} is in plan mode and has presented no plan: words do not end plan mode. Ask it to call ExitPlanMode.`,
        ]
      : [];
  const self = ports.members().find(({ name }) => name === ports.memberName());
  return self && to.name === teamLead && ports.lacksPlan?.(self)
    ? ["You are in plan mode: a message presents no plan. When your plan is ready, call ExitPlanMode with it."]
    : [];
}

/** A request or an answer that was written as text counts as the object that it stands for. */
function readMessage(
  given: MemberMessageInput["message"],
  ports: MemberMessagePorts,
): { readonly message: MemberMessageInput["message"] } | { readonly problem: string } {
  const object = typeof given === "string" ? objectInText(given) : undefined;
  if (object === undefined) return { message: given };
  const parsed = messageForms(ports.isLead() ? "lead" : "teammate").safeParse(object);
  return parsed.success
    ? { message: parsed.data }
    : { problem: parsed.error.issues.map(({ message }) => message).join("; ") };
}

async function broadcast(mail: MemberMail, ports: MemberMessagePorts): Promise<ToolResult> {
  const everybody = present(ports);
  if (everybody.length === 0)
    return failedResult("There are no other members in the team. Start a teammate with Agent and a name.");
  const sent = await Promise.allSettled(
    everybody.map(async (member) => ports.linkTo(member).send({ ...mail, to: member.name })),
  );
  const failures = sent.flatMap((result, index) =>
    result.status === "fulfilled" ? [] : [`- ${everybody[index]?.name ?? ""}: not sent: ${messageOf(result.reason)}`],
  );
  const names = everybody.flatMap(({ name }, index) => (sent[index]?.status === "fulfilled" ? [name] : []));
  const stored = names.length;
  const list = stored === 0 ? "" : `: ${names.join(", ")}`;
  const text = [`Stored for ${stored} of ${sent.length}${list}.`, ...failures].join("\n");
  return stored === 0 ? failedResult(text) : textResult(text);
}

const oneByOne = (ports: MemberMessagePorts) =>
  failedResult(
    `This message goes to one member. Name one of: ${present(ports)
      .map(({ name }) => name)
      .join(", ")}.`,
  );

/** Ignores the case of a name that only one has. `lead` means the team's lead, unless something else has that name. */
function receiverOf(to: string, ports: MemberMessagePorts): string {
  const members = ports.members();
  const names = members.flatMap(({ name, agentId }) => [name, agentId]);
  const hasLead = members.some(({ name }) => name === teamLead);
  const alias = hasLead && to.toLowerCase() === "lead" ? teamLead : to;
  return sameName(to, [...names, ...(ports.subagents?.names() ?? [])]) ?? alias;
}

const openPlanNote = ({ from, requestId }: OpenRequest) =>
  `${from} waits for your answer to its plan and reads the message after that. This text does not answer the plan, whatever it says. To approve it: ${planAnswerCall({ from, requestId })}. To turn it down: the same with "approve":false and "feedback".`;

const openShutdownNote = (request: OpenRequest) =>
  `${request.from} still waits for your answer to its request to end. This text does not answer it, whatever it says. To agree: ${shutdownAnswerCall(request)}. To refuse: the same with "approve":false and "reason".`;

/** By name, or as `name@team` if the name alone is ambiguous. */
function findReceivers(to: string, ports: MemberMessagePorts): readonly Member[] {
  const fitting = ports.members().filter(({ name, agentId }) => name === to || agentId === to);
  const there = fitting.filter(({ ended }) => !ended);
  return there.length > 0 ? there : fitting.slice(-1);
}

const present = (ports: MemberMessagePorts) =>
  ports.members().filter(({ name, ended }) => !ended && name !== ports.memberName());

function unreachableReason(to: string, [member]: readonly Member[], ports: MemberMessagePorts): string | undefined {
  if (to === teamUser && !member) {
    return ports.isLead()
      ? "The user reads your answers: say it there."
      : "The user does not read mail. Tell the lead, who talks to the user, or say it in your answer.";
  }
  if (!member && everybodyWords.has(to.toLowerCase())) return `Nothing was sent. To reach all members, use "*".`;
  if (member?.name === ports.memberName() || (!member && to === ports.memberName()))
    return "That is you. Name another member.";
  if (!member?.ended) return undefined;
  const { reason, detail } = member.ended;
  const there = present(ports).map(({ name }) => name);
  return `${member.name} has left the team (${reason}${detail === undefined ? "" : `: ${detail}`}) and no longer reads mail.${leftBranch(member)} ${
    there.length === 0 ? "There are no other members." : `There are: ${there.join(", ")}.`
  }`;
}

const leftBranch = ({ worktreeBranch: branch }: Member) =>
  branch === undefined ? "" : ` Its work is on the branch ${branch}.`;

const everybodyWords = new Set(["everyone", "everybody", "all", "team", "broadcast"]);

const ambiguous = (members: readonly Member[]) =>
  `Several members have that name. Use one of: ${members.map(({ agentId }) => agentId).join(", ")}.`;

function unknown(to: string, ports: MemberMessagePorts, self: ToolContext["agent"]["id"]): string {
  const team = present(ports).map(({ name }) => name);
  const own = ports.subagents ? ownSubagents(ports.subagents, self).slice(-30) : [];
  if (ports.members().length === 0) return unknownSubagent(to, own);
  const lists = [
    team.length === 0 ? "There are no other members in the team." : `In the team: ${team.join(", ")}.`,
    ...(own.length === 0 ? [] : [`Your own agents: ${own.join(", ")}.`]),
  ];
  const start =
    ports.isLead() && agentNamePattern.test(to) ? [`To start it as a teammate: Agent with name "${to}".`] : [];
  return `There is no member or agent ${JSON.stringify(to)}. Nothing was sent.${didYouMean(to, [...team, ...own])} ${[...lists, ...start].join(" ")}`;
}

/** Says when the receiver reads a stored mail. */
function readTimeNote(name: string, status: MemberStatus | undefined, urgent: boolean | undefined): string {
  if (!status || status.alive === "dead")
    return `${name} is not running. It reads the message when it is started again.`;
  // A member that has not started has not published its state yet.
  if (status.alive === "unknown" && status.state !== "starting")
    return `${name} has not reported for a while. It reads the message when it continues.`;
  switch (status.state) {
    case "starting":
      return `${name} has not started yet. It reads the message first.`;
    case "working":
      if (jobWaitOf(status) !== undefined) return `${name} ${jobWaitOf(status)}, and wakes for the message.`;
      return urgent
        ? `${name} is interrupted and reads it now.`
        : `${name} is working and reads it after its current call.`;
    case "waiting":
      return `${name} waits for an answer${status.detail === undefined ? "" : ` (${status.detail})`} and reads it after that.`;
    case "idle":
      return `${name} is idle and wakes for it.`;
    case "draining":
      return `${name} is about to end and may not read it.`;
    case "ended":
      return `${name} has just ended and will not read it.`;
  }
}

const isLikelyControlMessage = (text: string) => /^\s*\{\s*"type"\s*:\s*"(?:shutdown|plan_approval)_/.test(text);

const sentAsText =
  "Note: this was sent as text and answers no request. To answer a request, give message as an object, not as a string.";

/** True for a short text that asks its reader to end, such as "please shut down". */
const asksToEnd = (text: string) =>
  text.length <= 400 &&
  /\b(?:shut(?:ting)? ?down|please end\b|you (?:can|may) (?:now )?(?:end|stop|leave)|terminate)\b/i.test(text);

const endInWordsNote = (name: string) =>
  `Words do not end a member. If ${name} is to end: SendMessage with to ${JSON.stringify(name)} and message {"type":"shutdown_request"}.`;
