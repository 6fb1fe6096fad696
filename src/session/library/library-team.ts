import { resolve } from "node:path";
import { createIdFactory, openStateRoot, systemClock } from "../../platform/index.ts";
import type { BusAddress } from "../../store/index.ts";
import { createTeam as create, type OpenTeam, openTeam as open } from "../../team/index.ts";
import { busConfig } from "../config/bus-config.ts";
import { homeFolder } from "../config/home-folder.ts";

export interface TeamOptions {
  /** Where teams are kept; by default `TROUPE_HOME`, or `~/.troupe`. */
  readonly home?: string | undefined;
  /** Where teams are if not in files of this machine; by default what `TROUPE_BUS` says. `docs/scale-out.md`. */
  readonly bus?: BusAddress | undefined;
  /** From which `TROUPE_HOME` is read; by default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface NewTeamOptions extends TeamOptions {
  readonly description?: string | undefined;
  /** Names of members that programs speak for. */
  readonly members?: readonly string[] | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A team for any program, on the files that agents use too. */
export async function createTeam(
  name: string,
  options: NewTeamOptions & { readonly env: Environment; readonly cwd: string },
): Promise<OpenTeam> {
  return create(name, { ...options, ...(await placeOf(options)) });
}

export async function openTeam(name: string, options: TeamOptions & { readonly env: Environment }): Promise<OpenTeam> {
  return open(name, await placeOf(options));
}

async function placeOf({
  home,
  env,
  bus = busConfig({}, { env, userHome: "/" }),
}: TeamOptions & { readonly env: Environment }) {
  const { path } = await openStateRoot(home === undefined ? homeFolder(env) : resolve(home));
  return { home: path, bus, clock: systemClock, createId: createIdFactory(systemClock) };
}
