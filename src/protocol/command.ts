import * as z from "zod";
import { SessionName } from "./event.ts";
import { AgentPath, BackgroundId, RequestId } from "./ids.ts";
import { ContentPart } from "./message.ts";
import { Effort } from "./model.ts";
import { PermissionAnswer, PermissionMode } from "./permission.ts";
import { WorkItemId, WorkItemStatus } from "./work-item.ts";

/** `id` is chosen by the sender. A command with an id is answered by `command.settled` with the same id. */
const command = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), id: z.string().max(200).optional(), ...shape });

const agent = AgentPath.optional();
/** Default: the only team of the session. */
const team = z.string().min(1).optional();

/**
 * Everything that a frontend, script, dashboard or test can do to a session. Without `agent` the command is for the
 * lead.
 */
export const Command = z.discriminatedUnion("type", [
  command("prompt", { agent, content: z.union([z.string().min(1), z.array(ContentPart).min(1)]) }),
  /** Continues unanswered work without a new prompt. */
  command("continue", { agent }),
  command("interrupt", { agent }),
  command("permission.reply", { requestId: RequestId, answer: PermissionAnswer }),
  /** No user will answer questions any more: open and later questions are refused. */
  command("permission.abandon", {}),
  command("set", {
    agent,
    model: z.string().optional(),
    permissionMode: PermissionMode.optional(),
    effort: Effort.optional(),
  }),
  command("compact", { agent, instructions: z.string().optional() }),
  /**
   * Goes back to the moment before a prompt, or before an earlier rewind: `to` is its id. Interrupts the session's
   * agents. Nothing is lost, and a rewind can be rewound.
   */
  command("rewind", { to: z.string().min(1), what: z.enum(["both", "files", "conversation"]).optional() }),
  /** Moves the agents that the lead waits for to the background. */
  command("background", {}),
  command("background.stop", { backgroundId: BackgroundId }),
  /** Reconnects a failed MCP server. */
  command("mcp.reconnect", { server: z.string().min(1) }),
  /** Sends the user's mail to a member of the team that this session leads. `*` means all members. */
  command("mail.send", {
    team,
    to: z.string().min(1),
    text: z.string().min(1),
    summary: z.string().optional(),
    urgent: z.boolean().optional(),
  }),
  /** Stops a member's current turn and nothing else. */
  command("member.interrupt", { team, name: z.string().min(1) }),
  /** Asks a member to end, and ends it after a time limit in any case. With `now` it ends at once. */
  command("member.stop", { team, name: z.string().min(1), now: z.boolean().optional(), reason: z.string().optional() }),
  /** Starts a member that has ended again, from its log. */
  command("member.respawn", { team, name: z.string().min(1) }),
  /** `*` means all members. */
  command("member.set", { team, name: z.string().min(1), permissionMode: PermissionMode.exclude(["bubble"]) }),
  command("task.create", {
    team,
    subject: z.string().min(1),
    description: z.string().optional(),
    /** The tasks that it waits for. */
    blockedBy: z.array(WorkItemId).max(200).optional(),
  }),
  command("task.update", {
    team,
    taskId: WorkItemId,
    status: WorkItemStatus.optional(),
    owner: z.string().optional(),
  }),
  /** Names the session, for lists and for `--resume`. */
  command("session.rename", { name: SessionName }),
  command("close", {}),
]);
export type Command = z.infer<typeof Command>;

export type Ack = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly message: string };
