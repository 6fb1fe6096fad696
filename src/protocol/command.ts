import * as z from "zod";
import { AgentPath, BackgroundId, RequestId } from "./ids.ts";
import { ContentPart } from "./message.ts";
import { PermissionAnswer, PermissionMode } from "./permission.ts";

/** `id` is the sender's own; the answer to a command that has one comes as `command.settled` with the same. */
const command = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), id: z.string().max(200).optional(), ...shape });

const agent = AgentPath.optional();

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
  command("close", {}),
]);
export type Command = z.infer<typeof Command>;

export type Ack = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly message: string };
