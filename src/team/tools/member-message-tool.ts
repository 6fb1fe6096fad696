import * as z from "zod";
import { type Member, type MemberStatus, type MailId, teamUser } from "../../protocol/index.ts";
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
import { handleControlMessage, controlInputs, type ControlMessage, type ControlPorts } from "./control-messages.ts";
import { didYouMean, messageSubagent, ownSubagent, ownSubagents, unknownSubagent } from "./message-subagent.ts";
import { toFailedResult } from "./to-failed-result.ts";
import type { SubagentRegistry } from "../subagents/subagent-registry.ts";

/** What a member speaks to others with. */
export interface MemberMessagePorts extends ControlPorts, ReceiptPorts {
  /** The agents it has started itself; they are spoken to first. */
  readonly subagents?: SubagentRegistry | undefined;
  /** How they are now, in their order. */
  statusOf(members: readonly Member[]): Promise<readonly MemberStatus[]>;
  /** Resolves when it is stored. Rejects with a `TroupeError` for what cannot be sent. */
  send(to: Member, mail: MemberMail): Promise<MailId>;
}

export interface MemberMail {
  readonly text: string;
  readonly summary?: string | undefined;
  readonly urgent?: boolean | undefined;
}

interface MemberMessageInput {
  readonly to: string;
  readonly message: string | ControlMessage | ReceiptRequest;
  readonly summary?: string | undefined;
  readonly urgent?: boolean | undefined;
}

const messageInput = lazyInput<MemberMessageInput>(() =>
  z.strictObject({
    to: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe("The name of a member, the id of an agent, or * for everybody in the team"),
    message: z
      .union([z.string().min(1), ...controlInputs(), receiptInput()], {
        error: `must be text, or an object with the type shutdown_request (reason), shutdown_response (request_id, approve, reason), plan_approval_response (request_id, approve, feedback) or receipt_request (message_id)`,
      })
      .describe(
        "What to say, complete in itself; an object only to ask for an end, to answer a request by its id, or to ask how far a message of yours has come",
      ),
    summary: z.string().max(200).optional().describe("Five to ten words, for previews"),
    urgent: z
      .boolean()
      .optional()
      .describe("Interrupts what the receiver is doing; only where it must stop or turn at once"),
  }),
);

/** Speaks to the members of a team, and to the agents that the member has started itself. */
export function createMemberMessageTool(ports: MemberMessagePorts): Tool {
  return defineTool<MemberMessageInput>({
    name: "SendMessage",
    description: `Sends a message to a member of your team by its name, or to an agent that you have started. It is stored before this returns, and is never lost: a member at work reads it after its current call, an idle one wakes for it; an agent of yours that has finished goes on from where it was, in the background, with all it knows. Nobody sees what you write without this. The answer, if there is one, comes to you by itself as a <teammate-message>: do not wait for it. To * it goes to everybody, which costs each of them a turn: only for what all must know.`,
    get input() {
      return messageInput();
    },
    access: "run",
    subject: () => ({ kind: "own" }),
    title: ({ to, message, summary }) =>
      `SendMessage to ${to}: ${summary ?? (typeof message === "string" ? message.slice(0, 80) : message.type)}`,
    execute: (input, context) => toFailedResult(() => deliver(input, ports, context)),
  });
}

/** The name registry of the caller's own agents, then the members, then the ids of agents. */
async function deliver(
  { to, message, summary, urgent }: MemberMessageInput,
  ports: MemberMessagePorts,
  context: ToolContext,
): Promise<ToolResult> {
  const { subagents } = ports;
  const self = context.agent.id;
  const members = findReceivers(to, ports);
  const maybeSubagent = to !== "*" && (members.length === 0 || subagents?.names().includes(to));
  const subagent = subagents && maybeSubagent ? await ownSubagent(to, subagents, self) : undefined;
  if (subagents && subagent) {
    if (typeof message === "string") return messageSubagent(subagent, { to, message, summary }, { subagents, context });
    return failedResult(
      `${to} is an agent of your own, and knows no requests: tell it in words, or stop it with TaskStop.`,
    );
  }
  // A fork has its parent's tools and its parent's name, and is not who the others know by it.
  if (self !== ports.self()) {
    return failedResult("You do not speak for your parent in its team: put what you have to say in your answer.");
  }
  if (to === "*")
    return typeof message === "string" ? broadcast({ text: message, summary, urgent }, ports) : oneByOne(ports);
  if (typeof message !== "string" && message.type === "receipt_request") return checkReceipt(message, members, ports);
  const [member, ...others] = members;
  const reason =
    unreachableReason(to, members, ports) ?? (member && others.length > 0 ? ambiguous(members) : undefined);
  if (reason !== undefined || !member) return failedResult(reason ?? unknown(to, ports, self));
  if (typeof message !== "string") return handleControlMessage(message, member, ports);
  const id = await ports.send(member, { text: message, summary, urgent });
  const [status] = await ports.statusOf([member]);
  const notes = `Stored for ${member.name} (${id}). ${readTimeNote(member.name, status, urgent)}`;
  return textResult(isLikelyControlMessage(message) ? `${notes}\n${sentAsText}` : notes);
}

async function broadcast(mail: MemberMail, ports: MemberMessagePorts): Promise<ToolResult> {
  const everybody = present(ports);
  if (everybody.length === 0)
    return failedResult("There is nobody else in the team. Start a teammate with Agent and a name.");
  const sent = await Promise.allSettled(everybody.map((member) => ports.send(member, mail)));
  const lines = sent.map((result, index) => {
    const name = everybody[index]?.name ?? "";
    return result.status === "fulfilled"
      ? `- ${name}: stored (${result.value})`
      : `- ${name}: not sent: ${problem(result.reason)}`;
  });
  const stored = sent.filter(({ status }) => status === "fulfilled").length;
  const text = [`Stored for ${stored} of ${sent.length}.`, ...lines].join("\n");
  return stored === 0 ? failedResult(text) : textResult(text);
}

const problem = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));

const oneByOne = (ports: MemberMessagePorts) =>
  failedResult(
    `A request or an answer goes to one member: name it. There are: ${present(ports)
      .map(({ name }) => name)
      .join(", ")}.`,
  );

/** By name, or as `name@team` where a name alone could mean several. */
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
      : "The user does not read mail. Tell the lead, who speaks with the user, or say it in your answer.";
  }
  if (member?.name === ports.memberName()) return "That is you yourself. Name somebody else.";
  if (!member?.ended) return undefined;
  const { reason, detail } = member.ended;
  const there = present(ports).map(({ name }) => name);
  return `${member.name} has left the team (${reason}${detail === undefined ? "" : `: ${detail}`}) and reads nothing any more. ${
    there.length === 0 ? "Nobody else is there." : `There are: ${there.join(", ")}.`
  }`;
}

const ambiguous = (members: readonly Member[]) =>
  `There are several of that name. Say which: ${members.map(({ agentId }) => agentId).join(", ")}.`;

function unknown(to: string, ports: MemberMessagePorts, self: ToolContext["agent"]["id"]): string {
  const team = present(ports).map(({ name }) => name);
  const own = ports.subagents ? ownSubagents(ports.subagents, self).slice(-30) : [];
  if (ports.members().length === 0) return unknownSubagent(to, own);
  const lists = [
    team.length === 0 ? "Nobody else is in the team." : `In the team: ${team.join(", ")}.`,
    ...(own.length === 0 ? [] : [`Agents of your own: ${own.join(", ")}.`]),
  ];
  return `There is nobody ${JSON.stringify(to)}, and nothing was sent.${didYouMean(to, [...team, ...own])} ${lists.join(" ")}`;
}

/** What becomes of a mail that is on disk. */
function readTimeNote(name: string, status: MemberStatus | undefined, urgent: boolean | undefined): string {
  if (!status || status.alive === "dead") return `${name} is not running, and reads it when it is started again.`;
  // Who has not begun yet has said nothing of itself.
  if (status.alive === "unknown" && status.state !== "starting")
    return `${name} has not been heard of for a while; it reads it when it goes on.`;
  switch (status.state) {
    case "starting":
      return `${name} has not begun yet, and reads it first of all.`;
    case "working":
      return urgent
        ? `${name} is interrupted and reads it now.`
        : `${name} is at work, and reads it after its current call.`;
    case "waiting":
      return `${name} waits for an answer${status.detail === undefined ? "" : ` (${status.detail})`}, and reads it after that.`;
    case "idle":
      return `${name} is idle, and wakes for it.`;
    case "draining":
      return `${name} is about to end, and may not read it.`;
    case "ended":
      return `${name} has just ended, and will not read it.`;
  }
}

const isLikelyControlMessage = (text: string) => /^\s*\{\s*"type"\s*:\s*"(?:shutdown|plan_approval)_/.test(text);

const sentAsText =
  "Note: it was sent as text and answers nothing. To answer a request, give message as an object instead of a string.";
