import { untilAborted } from "../../platform/index.ts";
import { type Member, teamUser, type Team } from "../../protocol/index.ts";
import type { StoreOptions } from "../../session/index.ts";
import type { StoredTeam, TaskChange } from "../../store/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTeams } from "./open-teams.ts";
import { memberStyle, printJson, printWarnings, stdoutScreen, abortOnInterrupt } from "./command-output.ts";

/** One event of a team. */
interface Entry {
  readonly at: string;
  readonly type: "team" | "member" | "mail" | "task";
  readonly who: string;
  readonly text: string;
  /** For JSON: the complete object. */
  readonly about: unknown;
}

/** Prints the events of a team, oldest first: members, mail and tasks. */
export async function log(name: string, flags: StoreOptions & { follow?: boolean; json?: boolean }): Promise<number> {
  const { teams } = await openTeams(flags);
  const stored = await teams.open(name);
  const { signal, release } = abortOnInterrupt();
  try {
    const print = createPrinter(await stored.record.read(), flags.json === true);
    if (flags.follow) await follow(stored, print, signal);
    else {
      const { entries, problems } = await history(stored);
      print(entries);
      printWarnings(problems);
    }
  } finally {
    release();
    await stored.close();
  }
  return exitCodes.done;
}

/** The past events in order, and the damage that may hide others. */
async function history(stored: StoredTeam): Promise<{ entries: Entry[]; problems: readonly string[] }> {
  const team = await stored.record.read();
  const names = [...team.members.map(({ name }) => name), teamUser];
  const inboxes = await Promise.all(names.map((name) => stored.inbox(name).peek()));
  const mail = inboxes.flatMap((inbox) => inbox.mail.map((held) => mailEntry(held.mail)));
  const entries = [...teamEntries(team), ...mail, ...(await stored.tasks.history()).flatMap(changeEntries)];
  entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  await stored.tasks.list(); // finds the problems of the task list
  const damage = inboxes.flatMap((inbox) => inbox.problems);
  return { entries, problems: [...stored.record.problems(), ...stored.tasks.problems(), ...damage] };
}

/** Prints the past events in order, then each new event. */
async function follow(
  stored: StoredTeam,
  print: (entries: readonly Entry[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const seen = new Set<string>();
  const known = new Set<string>();
  const watching: Promise<void>[] = [];
  const fail = (error: unknown) => stop.abort(error);

  const emit = (entries: readonly Entry[]) => {
    const fresh = entries.filter((entry) => !seen.has(keyOf(entry)));
    for (const entry of fresh) seen.add(keyOf(entry));
    print(fresh);
  };
  const watch = (member: string) => {
    if (known.has(member)) return;
    known.add(member);
    watching.push(watchMail(member).catch(fail));
  };
  const watchMail = async (member: string) => {
    for await (const held of stored.inbox(member).watch(ended)) emit(held.map(({ mail }) => mailEntry(mail)));
  };
  const watchTeam = async () => {
    for await (const team of teamChanges) {
      emit(teamEntries(team));
      for (const { name } of team.members) watch(name);
    }
  };
  const watchTasks = async () => {
    for await (const change of taskChanges) emit(changeEntries(change));
  };

  const teamChanges = stored.record.follow(ended);
  const taskChanges = stored.tasks.follow(ended);
  const past = await history(stored);
  emit(past.entries);
  printWarnings(past.problems);
  watching.push(watchTeam().catch(fail), watchTasks().catch(fail));
  for (const { name } of (await stored.record.read()).members) watch(name);
  watch(teamUser);
  await untilAborted(ended);
  await Promise.all(watching);
  if (!signal.aborted && stop.signal.aborted) throw stop.signal.reason;
}

const keyOf = ({ at, type, who, text }: Entry): string => JSON.stringify([at, type, who, text]);

function teamEntries(team: Team): Entry[] {
  const made = { at: team.createdAt, type: "team", who: team.name, text: "made", about: { name: team.name } } as const;
  return [made, ...team.members.flatMap(memberEntries)];
}

function memberEntries(member: Member): Entry[] {
  const { name, joinedAt, ended } = member;
  const joined = { at: joinedAt, type: "member", who: name, text: "joined", about: member } as const;
  if (ended === undefined) return [joined];
  const detail = ended.detail === undefined ? "" : `: ${ended.detail}`;
  return [joined, { at: ended.at, type: "member", who: name, text: `ended, ${ended.reason}${detail}`, about: member }];
}

function mailEntry(mail: Parameters<ReturnType<StoredTeam["inbox"]>["send"]>[0]): Entry {
  const { body } = mail;
  const summary = body.kind === "text" ? (mail.summary ?? body.text) : body.kind;
  return { at: mail.timestamp, type: "mail", who: mail.from, text: `to ${mail.to}: ${summary}`, about: mail };
}

/** Entries of a task whose history was compacted: only its creation and last state are known. */
function formerEntries(item: TaskChange["item"]): Entry[] {
  const of = `#${item.id} ${item.subject}`;
  const created: Entry = { at: item.createdAt, type: "task", who: item.createdBy, text: `created ${of}`, about: item };
  if (item.updatedAt === item.createdAt) return [created];
  const who = item.owner ?? item.createdBy;
  return [created, { at: item.updatedAt, type: "task", who, text: `${item.status} ${of}`, about: item }];
}

function changeEntries({ what, by, at, item, why }: TaskChange): Entry[] {
  if (what === "created" && by !== item.createdBy) return formerEntries(item);
  const reason = why === undefined ? "" : ` (${why})`;
  const about = { what, by, why, ...item };
  return [{ at, type: "task", who: by, text: `${what} #${item.id} ${item.subject}${reason}`, about }];
}

function createPrinter(team: Team, asJson: boolean): (entries: readonly Entry[]) => void {
  const screen = stdoutScreen();
  const colorOf = (who: string) => team.members.find(({ name }) => name === who)?.color;
  return (entries) => {
    for (const entry of entries) {
      const { at, type, who, text, about } = entry;
      if (asJson) printJson({ at, type, who, about });
      else screen.line(`${at.slice(11, 19)}  ${who.padEnd(14)} ${text}`, memberStyle(screen, colorOf(who)));
    }
  };
}
