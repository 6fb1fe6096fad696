import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type CreateId, storageError } from "../../platform/index.ts";
import { teamLead, teamUser, TroupeError } from "../../protocol/index.ts";
import { assertNoActiveMembers } from "../team/assert-no-active-members.ts";
import { skeletonOf } from "../team/record/confusable-names.ts";
import { checkName, uniqueName } from "../team/record/team-names.ts";
import { taskFold } from "../team/tasks/journal-task-list.ts";
import { teamFold } from "../team/record/team-fold.ts";
import { newTeamSnapshot } from "../team/record/journal-team-record.ts";
import type { NewTeam, StoredTeam, TeamStore, TeamSummary } from "../team/team-store.ts";
import { unknownTeamError } from "../team/team-errors.ts";
import { publish } from "./connection/bus-request.ts";
import { openBusJournal } from "./journal/bus-journal.ts";
import { makePair } from "./record/member-key-pairs.ts";
import { base64 } from "./record/bus-team-record.ts";
import { type BusTeamOptions, openBusTeam, type StoreSizes } from "./bus-team.ts";
import { type Bus, type BusAddress, connectBus } from "./connection/bus.ts";
import { checkServer } from "./connection/check-server.ts";
import { createSharedBus } from "./connection/shared-bus.ts";
import { deleteStream, findStream, makeStream, streamsOn, sweepStreams } from "./team-streams.ts";
import { bucketName, streamName, streamPrefix, teamSubjects } from "./team-subjects.ts";
import type { PresenceTimes } from "../team/presence/presence-times.ts";

export interface NatsTeamStoreOptions extends StoreSizes, PresenceTimes {
  readonly bus: BusAddress;
  /** The checked state folder. Outboxes and keys stay on this machine, whatever happens to the bus. */
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** Called with risks and losses of the bus, for people. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** The number of cluster servers that store each team. Default: three in a cluster, otherwise one. */
  readonly replicas?: number;
  /** How long a call waits for a bus that does not answer. */
  readonly waitMs?: number;
}

/** The teams of a bus, with one stream each. */
export function createNatsTeamStore(options: NatsTeamStoreOptions): TeamStore {
  const { clock, createId, home, waitMs = 30_000 } = options;
  let isChecked = false;
  const shared = createSharedBus(async () => {
    const bus = await connectBus(options.bus);
    if (!isChecked) for (const warning of (await checkServer(bus)).warnings) options.onNotice?.(warning);
    isChecked = true;
    return bus;
  });
  const patience = { clock, waitMs };

  const create = (wanted: NewTeam): Promise<StoredTeam> =>
    shared.keep(async (bus, letGo) => {
      const asked = checkName(wanted.name, "team");
      const taken = new Set((await namesOn(bus)).map(skeletonOf));
      for (;;) {
        const name = uniqueName(asked, (skeleton) => taken.has(skeleton));
        const stream = streamName(name, createId<string>("team"));
        if (await makeStream(bus, { name, stream, replicas: replicasOn(bus) }, patience)) {
          await begin(bus, { ...wanted, name }, stream);
          return openStream(bus, { name, stream, letGo });
        }
        await sweepStreams(bus, name, patience);
        taken.add(skeletonOf(name));
      }
    });

  const replicasOn = (bus: Bus): number => options.replicas ?? (bus.connection.info?.cluster === undefined ? 1 : 3);

  const begin = async (bus: Bus, team: NewTeam, stream: string) => {
    const { team: subject, tasks } = teamSubjects(team.name);
    const publicKeys: Record<string, string> = {};
    for (const name of [teamLead, teamUser])
      publicKeys[name] = base64((await makePair(join(folderOf(stream), "keys"), name)).publicKey);
    const state = teamFold.restore(newTeamSnapshot(team, clock), subject);
    if (state.team) state.team = { ...state.team, publicKeys };
    const put = async (on: string, version: number, snapshot: unknown) => {
      const journal = createId<string>("jrn");
      const payload = JSON.stringify({ version, journal, epoch: 0, snapshot });
      await publish(bus, { stream, subject: on, payload, id: journal, after: 0 }, patience);
    };
    await put(tasks, taskFold.version, taskFold.snapshot(taskFold.empty()));
    // Written last: a team exists once it has a record.
    await put(subject, teamFold.version, teamFold.snapshot(state));
  };

  const folderOf = (stream: string): string => join(home, "bus", bucketName(stream));

  const open = (name: string): Promise<StoredTeam> =>
    shared.keep(async (bus, letGo) => {
      const stream = await findStream(bus, name, patience);
      if (stream === undefined) throw unknownTeamError(name, await listOn(bus));
      return openStream(bus, { name, stream, letGo });
    });

  const openStream = async (
    bus: Bus,
    { name, stream, letGo }: { name: string; stream: string; letGo: () => Promise<void> },
  ): Promise<StoredTeam> => {
    const opened = await openBusTeam(teamOptions(bus, name, stream));
    const close = async () => {
      try {
        await opened.close();
      } finally {
        await letGo();
      }
    };
    let closing: Promise<void> | undefined;
    return { ...opened, close: () => (closing ??= close()) };
  };

  const teamOptions = (bus: Bus, name: string, stream: string): BusTeamOptions => {
    const { limitBytes = 1_000_000, keepRead = 50, leaseMs = 10_000, beatMs = 2000 } = options;
    const { uptime = () => clock.monotonic() } = options;
    const more = { waitMs, limitBytes, keepRead, leaseMs, beatMs, uptime, replicas: replicasOn(bus) };
    return { bus, name, stream, folder: folderOf(stream), clock, createId, ...more };
  };

  const namesOn = async (bus: Bus): Promise<string[]> => (await listOn(bus)).map(({ name }) => name);

  const listOn = async (bus: Bus): Promise<TeamSummary[]> => {
    const summaries: TeamSummary[] = [];
    for (const stream of await streamsOn(bus, "troupe.*.team", patience)) {
      const summary = await summarize(stream, (token) => teamOptions(bus, token, stream));
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  const remove: TeamStore["delete"] = (name, { force = false, except = [] } = {}) =>
    shared.use(async (bus) => {
      const stream = await findStream(bus, name, patience);
      if (stream === undefined) throw unknownTeamError(name, await listOn(bus));
      if (!force) await assertQuiet(bus, { name, stream, except });
      await deleteStream(bus, stream, patience);
      const folder = folderOf(stream);
      await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
        throw storageError("delete", folder, error);
      });
    });

  const assertQuiet = async (bus: Bus, of: { name: string; stream: string; except: readonly string[] }) => {
    const { name, stream, except } = of;
    const opened = await openBusTeam(teamOptions(bus, name, stream));
    try {
      await assertNoActiveMembers(opened, except);
    } finally {
      await opened.close();
    }
  };

  return { create, open, list: () => shared.use(listOn), delete: remove };
}

/** Returns undefined for a team that was just deleted or is not complete yet. */
async function summarize(
  stream: string,
  optionsOf: (token: string) => BusTeamOptions,
): Promise<TeamSummary | undefined> {
  const token = stream.slice(streamPrefix.length, stream.lastIndexOf("="));
  const subject = `troupe.${token}.team`;
  const options = optionsOf(token);
  try {
    const journal = await openBusJournal(teamFold, { ...options, subject });
    const { team } = journal.read();
    await journal.close();
    return team && { name: team.name, team };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    const there = await streamsOn(options.bus, subject, options);
    return there.includes(stream) ? { name: token, problem: error.message } : undefined;
  }
}
