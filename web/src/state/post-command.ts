import * as z from "zod";
import { type Ack, type Command, messageOf, type SessionId } from "../../../src/protocol/index.ts";

const AckShape = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);

/** Posts a command. Never rejects: a failed request becomes an ack with the reason. */
export async function postCommand(session: SessionId, command: Command): Promise<Ack> {
  try {
    const response = await fetch("/api/command", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ session, command }),
    });
    if (response.status === 401)
      return refusal(
        "not_known",
        "the server does not accept this browser: open the address that `troupe web` printed",
      );
    const ack = AckShape.safeParse(await response.json());
    return ack.success ? ack.data : refusal("no_ack", `the server answered with ${response.status} and no message`);
  } catch (error) {
    const reason = messageOf(error);
    return refusal("not_sent", `not sent: cannot reach the server (${reason}). Try again when the page is connected.`);
  }
}

const refusal = (code: string, message: string): Ack => ({ ok: false, code, message });
