import { onTestFinished } from "vitest";
import { type Clock, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileTeamStore, type StoredTeam } from "../../../src/store/index.ts";
import { createMailbox, type MailboxOptions } from "../../../src/team/mailbox/index.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";

export const createId = createIdFactory(systemClock);

/** A team on files with a lead and these members. `again` opens it once more, as another process would. */
export async function openTeamMail(
  members: readonly string[],
  options: Partial<MailboxOptions> & { readonly clock?: Clock } = {},
) {
  const clock = options.clock ?? systemClock;
  const home = temporaryFolder();
  const store = createFileTeamStore({ home, clock: systemClock, createId });
  const mailboxOf = (team: StoredTeam) => {
    const { name, record } = team;
    const members = () => record.current().members;
    const mailbox = createMailbox({
      team: name,
      store: team,
      clock,
      createId,
      members,
      keyOf: (who, use) => record.keyOf(who, use),
      ...options,
    });
    onTestFinished(async () => {
      await mailbox.close();
      await team.close();
    });
    return mailbox;
  };
  const team = await store.create({ name: "t", cwd: home });
  for (const name of members) await team.record.join({ name, cwd: home, backendType: "in-process" });
  const again = async () => mailboxOf(await store.open("t"));
  return { home, team, mailbox: mailboxOf(team), again, inboxes: `${home}/teams/t/inboxes` };
}
