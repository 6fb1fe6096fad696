import { createIdFactory, systemClock } from "../../platform/index.ts";
import { type MailId, type MailListing, type MailReading, type SessionId, TroupeError } from "../../protocol/index.ts";
import { loadConfig, type SessionDirectory } from "../../session/index.ts";
import { type BusAddress, openTeamStore } from "../../store/index.ts";
import { type OpenTeam, openTeam, type ReceivedMail } from "../../team/index.ts";
import type { MailApi } from "../../web-server/index.ts";
import { findSessionListing } from "./find-session-listing.ts";

export interface MailApiOptions {
  readonly sessionDirectory: SessionDirectory;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The bus whose teams are shown in addition to the local ones. */
  readonly bus?: BusAddress | undefined;
}

/** Creates the dashboard's access to mail: all mail of the team for a lead's session, its own mail for a member's. */
export function createMailApi({ sessionDirectory, env, bus: shown }: MailApiOptions): MailApi {
  const findTeams = async <T>(session: SessionId, act: (team: VisibleTeam) => Promise<T>): Promise<T[]> => {
    const { cwd, isElsewhere } = await findSessionListing(sessionDirectory, session);
    // The folder of a remote session does not exist here, so its settings are not loaded.
    const { home, bus } = await loadConfig({ cwd: isElsewhere ? process.cwd() : cwd, env });
    const ports = { home, clock: systemClock, createId: createIdFactory(systemClock) };
    // A session may have been started with another bus than its settings name.
    const buses = isElsewhere ? [shown ?? bus] : shown === undefined ? [bus] : [bus, shown];
    for (const each of buses) {
      const results = await actOnTeams(session, { ...ports, bus: each }, act);
      if (results.length > 0) return results;
    }
    return [];
  };

  return {
    async list(session, { since = "" }) {
      const readings = await findTeams(session, async (seen) => readTeam(seen, since));
      return {
        mail: readings.flatMap(({ mail }) => mail).sort((a, b) => (a.mail.timestamp < b.mail.timestamp ? -1 : 1)),
        problems: readings.flatMap(({ problems }) => problems),
      };
    },
    async text(session, id) {
      const texts = await findTeams(session, (seen) => readMailText(seen, id));
      const text = texts.find((found) => found !== undefined);
      if (text === undefined) throw new TroupeError("mail", `there is no mail ${id}. It may have been removed.`);
      return text;
    },
  };
}

/** Opens each team in this store that the session leads or belongs to. */
async function actOnTeams<T>(
  session: SessionId,
  store: Parameters<typeof openTeamStore>[0],
  act: (team: VisibleTeam) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const { name, team: record } of await openTeamStore(store).list()) {
    const isLead = record?.leadSessionId === session;
    const of = isLead ? undefined : record?.members.find(({ sessionId }) => sessionId === session)?.name;
    if (!isLead && of === undefined) continue;
    const team = await openTeam(name, store);
    try {
      results.push(await act({ team, of }));
    } finally {
      await team.close();
    }
  }
  return results;
}

interface VisibleTeam {
  readonly team: OpenTeam;
  /** The member whose mail is wanted. Undefined means all members. */
  readonly of: string | undefined;
}

async function readTeam({ team, of }: VisibleTeam, since: string): Promise<MailReading> {
  const { members } = await team.record.read();
  const gone = new Set(members.flatMap(({ name, ended }) => (ended === undefined ? [] : [name])));
  const mail: MailListing[] = [];
  const problems: string[] = [];
  for (const { name } of members) {
    for (const one of await team.mailbox.readAll(name)) {
      const isWanted = of === undefined || one.from === of || one.to === of;
      if (isWanted && one.timestamp >= since) mail.push(listingOf(one, { team: team.name, isGone: gone.has(name) }));
    }
    problems.push(...team.mailbox.takeNotices(name));
  }
  return { mail, problems };
}

async function readMailText({ team, of }: VisibleTeam, id: MailId): Promise<string | undefined> {
  const { members } = await team.record.read();
  for (const { name } of members) {
    const found = (await team.mailbox.readAll(name)).find((mail) => mail.id === id);
    if (found && (of === undefined || found.from === of || found.to === of)) return team.mailbox.textOf(found);
  }
  return undefined;
}

/** Leaves out the local path of the text: the dashboard cannot use it. */
function listingOf(received: ReceivedMail, { team, isGone }: { team: string; isGone: boolean }): MailListing {
  const { state, read, sender, refused, signature: _, body, ...mail } = received;
  const { file, ...rest } = { file: undefined, ...body };
  return {
    team,
    mail: { ...mail, body: rest },
    state: isGone && !read ? "failed" : state,
    sender,
    ...(refused !== undefined && { refused }),
    isCut: file !== undefined,
  };
}
