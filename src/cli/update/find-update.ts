import { join } from "node:path";
import * as z from "zod";
import { findExecutable, readJsonFile, runProcess, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";

export interface UpdateOptions {
  /** Troupe's folder. It keeps the last result in `update-check.json`. */
  readonly home: string;
  /** Its PATH finds npm. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version that runs. */
  readonly current: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

const StoredCheck = z.object({ checkedAt: z.number(), latest: z.string() });

const dayMs = 24 * 60 * 60 * 1000;
const timeoutMs = 30_000;

/** True if a person uses the program and has not turned the check off. */
export const mayCheckForUpdate = (
  env: Readonly<Record<string, string | undefined>>,
  setting: boolean | undefined,
): boolean => setting !== false && !env["CI"] && !env["NO_UPDATE_NOTIFIER"];

/**
 * Asks npm for the newest version, at most once a day. Returns a line for the user, or undefined if there is none. A
 * check that fails is silent: the user did not ask for it.
 */
export async function findUpdate(options: UpdateOptions): Promise<string | undefined> {
  const path = join(options.home, "update-check.json");
  const stored = await readStored(path);
  const isFresh = stored !== undefined && Math.abs(options.now - stored.checkedAt) < dayMs;
  const latest = isFresh ? stored.latest : await askNpm(options);
  if (latest === undefined) return undefined;
  if (!isFresh) await writeFileAtomic(path, `${JSON.stringify({ checkedAt: options.now, latest })}\n`);
  return isNewer(latest, options.current)
    ? `Troupe ${latest} is available; this is ${options.current}. Run 'npm install -g troupe@latest'.`
    : undefined;
}

/** A damaged file counts as no earlier check: the next write replaces it. */
async function readStored(path: string): Promise<z.infer<typeof StoredCheck> | undefined> {
  try {
    return await readJsonFile(path, StoredCheck);
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}

async function askNpm({ home, env, signal }: UpdateOptions): Promise<string | undefined> {
  const npm = await findExecutable("npm", env["PATH"]);
  if (npm === undefined) return undefined;
  const chunks: Buffer[] = [];
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { exitCode } = await runProcess({
    command: npm,
    args: ["view", "troupe", "version"],
    // Not the project's folder: its .npmrc has no say here.
    cwd: home,
    env: Object.fromEntries(variables),
    signal,
    timeoutMs,
    outputLimitBytes: 10_000,
    onOutput: (chunk, stream) => void (stream === "stdout" && chunks.push(chunk)),
  });
  const text = Buffer.concat(chunks).toString("utf8").trim();
  return exitCode === 0 && /^\d+\.\d+\.\d+$/.test(text) ? text : undefined;
}

function isNewer(latest: string, current: string): boolean {
  const [a, b] = [latest, current].map((version) => version.split(/[.-]/).slice(0, 3).map(Number));
  const at = [0, 1, 2].find((part) => a?.[part] !== b?.[part]);
  return at !== undefined && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}
