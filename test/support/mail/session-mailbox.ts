import { onTestFinished } from "vitest";
import type { MailId, MailState } from "../../../src/protocol/index.ts";
import { openTeam } from "../../../src/session/index.ts";
import type { Mailbox } from "../../../src/team/index.ts";
import type { TempTree } from "../files/temp-tree.ts";

/** The mail of the team `alpha` as another process that is not a member sees and sends it. */
export async function mailOf(tree: TempTree): Promise<Mailbox> {
  const team = await openTeam("alpha", { home: tree.path("home/.troupe"), env: {} });
  onTestFinished(() => team.close());
  return team.mailbox;
}

/** Resolves when this mail has reached the state. */
export async function comesTo(mailbox: Mailbox, mail: { id: MailId; to: string; state: MailState }): Promise<void> {
  while ((await mailbox.receipt(mail.id, mail.to)) !== mail.state)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** The idle reports in the lead's inbox, in order. */
export async function noticesOf(mailbox: Mailbox) {
  return (await mailbox.readAll("team-lead")).flatMap(({ body, from, id }) =>
    body.kind === "idle_notification" ? [{ ...body, from, id }] : [],
  );
}
