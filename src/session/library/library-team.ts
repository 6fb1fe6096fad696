import { resolve } from "node:path";
import { createIdFactory, openStateRoot, systemClock } from "../../platform/index.ts";
import type { BusAddress } from "../../store/index.ts";
import { createTeam as create, type OpenTeam, openTeam as open } from "../../team/index.ts";
import { busConfig } from "../config/bus-config.ts";
import { withDeadClaimsReleased } from "./release-dead-claims.ts";
import { homeFolder } from "../config/home-folder.ts";

export interface TeamOptions {
  /** The folder of Troupe's data. The default is `TROUPE_HOME`, or `~/.troupe`. */
  readonly home?: string | undefined;
  /** The bus that stores the teams instead of local files. The default is `TROUPE_BUS`. See `docs/explanation/several-machines.md`. */
  readonly bus?: BusAddress | undefined;
  /**
   * Keeps claims when the process that made them ends. The default is false: they are released, unless the claim names
   * another `holder`.
   */
  readonly keepClaims?: boolean | undefined;
  /** The environment with `TROUPE_HOME`. The default is that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface NewTeamOptions extends TeamOptions {
  readonly description?: string | undefined;
  /** Names of members that programs act for. */
  readonly members?: readonly string[] | undefined;
}

/** A team that is closed at the end of an `await using`. */
export interface LibraryTeam extends OpenTeam {
  [Symbol.asyncDispose](): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates a team for any program, in the same store that agents use. */
export async function createTeam(
  name: string,
  options: NewTeamOptions & { readonly env: Environment; readonly cwd: string },
): Promise<LibraryTeam> {
  return withOwnClaims(await create(name, { ...options, ...(await placeOf(options)) }), options);
}

export async function openTeam(
  name: string,
  options: TeamOptions & { readonly env: Environment },
): Promise<LibraryTeam> {
  return withOwnClaims(await open(name, await placeOf(options)), options);
}

const withOwnClaims = (team: OpenTeam, { keepClaims = false }: TeamOptions): LibraryTeam => ({
  ...team,
  tasks: withDeadClaimsReleased(team.tasks, { clock: systemClock, keepClaims }),
  [Symbol.asyncDispose]: team.close,
});

async function placeOf({
  home,
  env,
  bus = busConfig({}, { env, userHome: "/" }),
}: TeamOptions & { readonly env: Environment }) {
  const { path } = await openStateRoot(home === undefined ? homeFolder(env) : resolve(home));
  return { home: path, bus, clock: systemClock, createId: createIdFactory(systemClock) };
}
