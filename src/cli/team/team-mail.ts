import { createIdFactory, systemClock } from "../../platform/index.ts";
import { teamUser, TroupeError } from "../../protocol/index.ts";
import type { StoreOptions } from "../../session/index.ts";
import { type OpenTeam, openTeam, type ReceivedMail } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTeams } from "./open-teams.ts";
import {
  memberStyle,
  formatMinute,
  printJson,
  stdoutScreen,
  abortOnInterrupt,
  printWarnings,
} from "./command-output.ts";

/** Resolves when the mail is stored. The recipient reads it now, or when it runs again. */
export async function send(
  team: string,
  { to, text }: { to: string; text: readonly string[] },
  flags: StoreOptions & { from?: string; urgent?: boolean; json?: boolean },
): Promise<number> {
  const words = text.join(" ");
  if (words.trim() === "") throw new TroupeError("usage", "the message is empty and was not sent");
  return withTeam(team, flags, async ({ mailbox }) => {
    const mail = { from: flags.from ?? teamUser, text: words, urgent: flags.urgent ?? false };
    if (to === "*") {
      const { sent, failed } = await mailbox.broadcast(mail);
      if (flags.json)
        printJson({ sent, failed: failed.map(({ to: name, error }) => ({ to: name, error: error.message })) });
      else stdoutScreen().line(`sent to ${sent.map((one) => one.to).join(", ") || "no member"}`);
      printWarnings(failed.map(({ to: name, error }) => `not sent to ${name}: ${error.message}`));
      return failed.length === 0 ? exitCodes.done : exitCodes.failed;
    }
    const { id } = await mailbox.send({ ...mail, to });
    if (flags.json) printJson({ id, to });
    else stdoutScreen().line(`sent to ${to}: ${id}`);
    return exitCodes.done;
  });
}

/** Prints the mail of a member without marking it as read. */
export async function inbox(
  team: string,
  member: string,
  flags: StoreOptions & { follow?: boolean; unread?: boolean; json?: boolean },
): Promise<number> {
  return withTeam(team, flags, async ({ mailbox, record }) => {
    if (member !== teamUser) await record.keyOf(member, "check");
    if (flags.follow) {
      const { signal, release } = abortOnInterrupt();
      for await (const mail of mailbox.watch(member, signal)) {
        if (!flags.unread || !mail.read) await print(mail, flags.json === true, mailbox);
      }
      release();
      return exitCodes.done;
    }
    const mail = flags.unread ? await mailbox.readUnread(member) : await mailbox.readAll(member);
    if (flags.json) printJson(mail);
    else if (mail.length === 0) stdoutScreen().line(flags.unread ? "nothing unread" : "no mail");
    else for (const one of mail) await print(one, false, mailbox);
    printWarnings(mailbox.takeNotices(member));
    return exitCodes.done;
  });
}

async function withTeam(name: string, flags: StoreOptions, work: (team: OpenTeam) => Promise<number>): Promise<number> {
  const { home, bus, claudeFolder } = await openTeams(flags);
  const team = await openTeam(name, {
    home,
    bus,
    claudeFolder,
    clock: systemClock,
    createId: createIdFactory(systemClock),
  });
  try {
    return await work(team);
  } finally {
    await team.close();
  }
}

async function print(mail: ReceivedMail, asJson: boolean, mailbox: OpenTeam["mailbox"]): Promise<void> {
  if (asJson) return printJson(mail);
  const screen = stdoutScreen();
  const notes = [mail.state, mail.urgent && "urgent", mail.sender === "unverified" && "sender not verified"];
  const kind = mail.body.kind === "text" ? "" : `  ${mail.body.kind}`;
  screen.line(
    `${formatMinute(mail.timestamp)}  ${mail.from}${kind}  (${notes.filter(Boolean).join(", ")})`,
    memberStyle(screen, mail.color as never),
  );
  if (mail.refused !== undefined)
    screen.paragraph(`refused: ${mail.refused}`, { first: "  ", style: screen.paint.red });
  const text = mail.body.kind === "text" ? await mailbox.textOf(mail) : JSON.stringify(mail.body);
  for (const line of text.split("\n")) screen.paragraph(line, { first: "  " });
}
