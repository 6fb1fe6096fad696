import * as z from "zod";
import { AgentPath, BackgroundId, RequestId } from "./ids.ts";
import { ContentPart } from "./message.ts";
import { PermissionAnswer, PermissionMode } from "./permission.ts";
import { WorkItemId, WorkItemStatus } from "./work-item.ts";

/** `id` is the sender's own; the answer to a command that has one comes as `command.settled` with the same. */
const command = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), id: z.string().max(200).optional(), ...shape });

const agent = AgentPath.optional();
/** Without it the only one there is. */
const team = z.string().min(1).optional();

/** Everything a face, a script, a page or a test can do to a session. Without `agent` it concerns the lead. */
export const Command = z.discriminatedUnion("type", [
  command("prompt", { agent, content: z.union([z.string().min(1), z.array(ContentPart).min(1)]) }),
  /** Goes on with what was left unanswered, without saying anything new. */
  command("continue", { agent }),
  command("interrupt", { agent }),
  command("permission.reply", { requestId: RequestId, answer: PermissionAnswer }),
  /** Nobody will answer questions any more: open ones are refused, and so are later ones. */
  command("permission.abandon", {}),
  command("set", { agent, model: z.string().optional(), permissionMode: PermissionMode.optional() }),
  command("compact", { agent, instructions: z.string().optional() }),
  /** Agents that the lead waits for go on in the background. */
  command("background", {}),
  command("background.stop", { backgroundId: BackgroundId }),
  /** Tries again to reach a server of tools that has failed. */
  command("mcp.reconnect", { server: z.string().min(1) }),
  /** Said by the user to a member of the team that this session leads; `*` is everybody. */
  command("mail.send", {
    team,
    to: z.string().min(1),
    text: z.string().min(1),
    summary: z.string().optional(),
    urgent: z.boolean().optional(),
  }),
  /** Stops the turn a member is at, and nothing else. */
  command("member.interrupt", { team, name: z.string().min(1) }),
  /** Asks a member to end, and ends it after a while whatever it says; with `now` at once. */
  command("member.stop", { team, name: z.string().min(1), now: z.boolean().optional(), reason: z.string().optional() }),
  /** Starts a member that has ended again, from where it was. */
  command("member.respawn", { team, name: z.string().min(1) }),
  /** `*` is everybody. */
  command("member.set", { team, name: z.string().min(1), permissionMode: PermissionMode.exclude(["bubble"]) }),
  command("task.create", {
    team,
    subject: z.string().min(1),
    description: z.string().optional(),
    /** It waits for these. */
    blockedBy: z.array(WorkItemId).max(200).optional(),
  }),
  command("task.update", {
    team,
    taskId: WorkItemId,
    status: WorkItemStatus.optional(),
    owner: z.string().optional(),
  }),
  command("close", {}),
]);
export type Command = z.infer<typeof Command>;

export type Ack = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly message: string };
