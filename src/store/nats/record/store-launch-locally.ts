import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { ifPresent, makeFolder, readJsonFile, safeName, writeFileAtomic } from "../../../platform/index.ts";
import { LaunchFlags, type Member, type Team } from "../../../protocol/index.ts";
import type { TeamRecord } from "../../team/record/team-record.ts";

/**
 * Keeps the launch options of members on the machine that starts them. Settings can contain keys, and the paths mean
 * nothing on other machines.
 */
export async function storeLaunchLocally(record: TeamRecord, folder: string): Promise<TeamRecord> {
  const known = await readAll(folder);

  const keep = async (name: string, launch: LaunchFlags) => {
    known.set(name, launch);
    await makeFolder(folder);
    await writeFileAtomic(join(folder, `${safeName(name)}.json`), JSON.stringify({ name, launch }));
  };

  const withLaunch = (member: Member): Member => {
    const launch = known.get(member.name);
    return launch === undefined ? member : { ...member, launch };
  };
  const whole = (team: Team): Team => (known.size === 0 ? team : { ...team, members: team.members.map(withLaunch) });

  async function* wholeOf(teams: AsyncIterable<Team>) {
    for await (const team of teams) yield whole(team);
  }

  return {
    ...record,
    read: async () => whole(await record.read()),
    current: () => whole(record.current()),
    join: async ({ launch, ...wanted }) => {
      const joined = await record.join(wanted);
      if (launch !== undefined && joined.isNew) await keep(joined.member.name, launch);
      return { ...joined, member: withLaunch(joined.member) };
    },
    change: async (name, { launch, ...patch }) => {
      if (launch !== undefined) await keep(name, launch);
      return withLaunch(await record.change(name, patch));
    },
    end: async (name, ended) => withLaunch(await record.end(name, ended)),
    changeTeam: async (patch) => whole(await record.changeTeam(patch)),
    allowPath: async (path) => whole(await record.allowPath(path)),
    free: async (by, paths) => whole(await record.free(by, paths)),
    follow: (signal) => wholeOf(record.follow(signal)),
  };
}

const Kept = z.object({ name: z.string(), launch: LaunchFlags });

async function readAll(folder: string): Promise<Map<string, LaunchFlags>> {
  const known = new Map<string, LaunchFlags>();
  for (const file of await namesIn(folder)) {
    const kept = await readJsonFile(join(folder, file), Kept);
    if (kept !== undefined) known.set(kept.name, kept.launch);
  }
  return known;
}

async function namesIn(folder: string): Promise<string[]> {
  return ((await ifPresent(() => readdir(folder), { action: "read the folder", path: folder })) ?? []).filter((name) =>
    name.endsWith(".json"),
  );
}
