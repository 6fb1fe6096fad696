import { readFileSync, statSync } from "node:fs";
import { createIdFactory, systemClock, untilAborted } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { loadConfig, type StoreOptions } from "../../session/index.ts";
import { newToken, serveHttp, serveStdio } from "../../mcp-server/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { listenToSignals } from "../signals.ts";
import { openTeams } from "../team/open-teams.ts";

export interface McpServeFlags extends StoreOptions {
  readonly team: string;
  readonly as?: string;
  /** `true` if no port is given. */
  readonly http?: boolean | string;
  readonly tokenFile?: string;
  readonly runChecks?: boolean;
  /** Acts for a member that Troupe runs. */
  readonly voice?: boolean;
}

/** Serves a team's mail, tasks and roster to external programs, until they disconnect or the user stops it. */
export async function runMcpServe(flags: McpServeFlags): Promise<number> {
  if (flags.http !== undefined && flags.as !== undefined)
    throw new TroupeError("usage", "cannot use --as with --http: the URL names the member (/mcp/NAME). Remove --as.");
  if (flags.tokenFile !== undefined && flags.http === undefined)
    throw new TroupeError(
      "usage",
      "cannot use --token-file without --http: stdio needs no token. Remove --token-file.",
    );
  const { teams, cwd } = await openTeams(flags);
  const { childEnv: env } = await loadConfig({ cwd, env: process.env });
  const team = await teams.open(flags.team);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const signals = listenToSignals({ interrupt: leave, leave });
  const onError = (error: Error) => process.stderr.write(`troupe mcp serve: ${error.message}\n`);
  const place = { team, cwd, clock: systemClock, createId: createIdFactory(systemClock), env, onError };
  const connection = { ...place, runChecks: flags.runChecks ?? false, onlySpeaksFor: flags.voice };
  try {
    if (flags.http === undefined)
      await serveStdio({ ...connection, ...standardStreams, as: flags.as, signal: leaving.signal });
    else await overHttp(flags, connection, leaving.signal);
    return signals.exitCode ?? exitCodes.done;
  } finally {
    signals.stop();
    await team.close();
  }
}

const standardStreams = { input: process.stdin, output: process.stdout };

async function overHttp(
  { http, tokenFile }: McpServeFlags,
  connection: Omit<Parameters<typeof serveHttp>[0], "port" | "token">,
  signal: AbortSignal,
): Promise<void> {
  const token = tokenFile === undefined ? newToken() : tokenIn(tokenFile);
  const serving = await serveHttp({ ...connection, port: portOf(http), token });
  const announcement = tokenFile === undefined ? token : `(see ${tokenFile})`;
  process.stderr.write(
    `members of ${connection.team.name}: http://127.0.0.1:${serving.port}/mcp/NAME\nAuthorization: Bearer ${announcement}\n`,
  );
  await untilAborted(signal);
  await serving.close();
}

function portOf(http: boolean | string | undefined): number {
  if (typeof http !== "string") return 0;
  const port = Number(http);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new TroupeError(
    "usage",
    `cannot listen on port ${http}: it is not a port. Use a number from 0 (any free port) to 65535.`,
  );
}

/** Rejects a file that other users can read. */
function tokenIn(file: string): string {
  const { mode } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (mode === undefined)
    throw new TroupeError(
      "usage",
      `cannot read the token file ${file}: it does not exist. Write a token to it, or remove --token-file.`,
    );
  if ((mode & 0o077) !== 0)
    throw new TroupeError(
      "usage",
      `cannot use the token file ${file}: other users can read it. Run 'chmod 600 ${file}' and write a new token to it.`,
    );
  const token = readFileSync(file, "utf8").trim();
  if (/^\S{32,}$/.test(token)) return token;
  throw new TroupeError(
    "usage",
    `cannot use the token file ${file}: it must contain one token of at least 32 characters without spaces.`,
  );
}
