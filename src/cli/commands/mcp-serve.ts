import { readFileSync, statSync } from "node:fs";
import { createIdFactory, systemClock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { loadConfig } from "../../session/index.ts";
import { newToken, serveHttp, serveStdio } from "../../mcp-server/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { listenToSignals } from "../signals.ts";
import { openTeams } from "../team/open-teams.ts";

export interface McpServeFlags {
  readonly team: string;
  readonly as?: string;
  /** `true` without a port. */
  readonly http?: boolean | string;
  readonly tokenFile?: string;
  readonly runChecks?: boolean;
  /** For a member whom Troupe runs. */
  readonly voice?: boolean;
}

/** A team's mail, tasks and roster for agents of other programs, until they or the user have enough. */
export async function runMcpServe(flags: McpServeFlags): Promise<number> {
  if (flags.http !== undefined && flags.as !== undefined)
    throw new TroupeError("usage", "over HTTP the address names the member (/mcp/NAME): leave out --as");
  if (flags.tokenFile !== undefined && flags.http === undefined)
    throw new TroupeError("usage", "--token-file is for --http: standard input and output need no token");
  const { teams, cwd } = await openTeams();
  const { childEnv: env } = await loadConfig({ cwd, env: process.env });
  const team = await teams.open(flags.team);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const signals = listenToSignals({ interrupt: leave, leave });
  const onError = (error: Error) => process.stderr.write(`troupe mcp serve: ${error.message}\n`);
  const place = { team, cwd, clock: systemClock, createId: createIdFactory(systemClock), env, onError };
  const connection = { ...place, runChecks: flags.runChecks ?? false, voice: flags.voice };
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
  const announcement = tokenFile === undefined ? token : `(as in ${tokenFile})`;
  process.stderr.write(
    `members of ${connection.team.name}: http://127.0.0.1:${serving.port}/mcp/NAME\nAuthorization: Bearer ${announcement}\n`,
  );
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await serving.close();
}

function portOf(http: boolean | string | undefined): number {
  if (typeof http !== "string") return 0;
  const port = Number(http);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new TroupeError("usage", `--http: ${http} is no port; give a number from 0 (any that is free) to 65535`);
}

/** What others can read is no secret. */
function tokenIn(file: string): string {
  const { mode } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (mode === undefined)
    throw new TroupeError("usage", `${file} is not there: put a token into it, or leave out --token-file`);
  if ((mode & 0o077) !== 0)
    throw new TroupeError("usage", `${file} can be read by others: chmod 600 ${file}, and put a new token in it`);
  const token = readFileSync(file, "utf8").trim();
  if (/^\S{32,}$/.test(token)) return token;
  throw new TroupeError("usage", `${file} must hold one token of at least 32 characters without blanks`);
}
