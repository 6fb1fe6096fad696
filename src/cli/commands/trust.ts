import { existsSync, realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { openStateRoot } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import {
  type Config,
  listTrustRecords,
  loadConfig,
  ownerOf,
  removeTrustRecord,
  trustFolder,
} from "../../session/index.ts";
import { visibleText } from "../../view/index.ts";
import { exitCodes } from "../exit-codes.ts";

export interface TrustFlags {
  readonly list?: boolean;
  readonly remove?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `troupe trust`: shows in full what a folder asks for, and keeps the user's yes together with just that. */
export async function trust(folder: string | undefined, flags: TrustFlags): Promise<number> {
  const wanted = resolve(folder ?? ".");
  if (flags.list) return list(flags.json ?? false);
  if (flags.remove) return remove(wanted);
  if (!existsSync(wanted)) throw new TroupeError("usage", `there is no folder ${wanted}`);
  const config = await loadConfig({ cwd: wanted, env: process.env, trust: "none" });
  show(config);
  if (!flags.yes && !process.stdin.isTTY) {
    throw new TroupeError(
      "usage",
      "there is no terminal to ask on: look at what is listed, and say --yes if it may act",
    );
  }
  if (!flags.yes && !(await confirmed(config.cwd))) {
    printLine("not trusted");
    return exitCodes.failed;
  }
  await openStateRoot(config.home);
  await trustFolder(config.home, { cwd: config.cwd, withheld: config.untrusted, now: Date.now() });
  printLine(`${config.cwd} is trusted; 'troupe trust --remove' takes it back`);
  return exitCodes.done;
}

/** Where trust is kept, without reading anything of a folder that may no longer be there or be broken. */
const homeOf = async () => (await loadConfig({ cwd: "/", env: process.env, trust: "none" })).home;

async function list(json: boolean): Promise<number> {
  const records = listTrustRecords(await homeOf());
  if (records.length === 0 && !json) printLine("no folder is trusted");
  for (const { path, trustedAt, owner, shown } of records) {
    const stale = !existsSync(path)
      ? "no longer there"
      : ownerOf(path) === owner
        ? undefined
        : "belongs to somebody else now";
    if (json) process.stdout.write(`${JSON.stringify({ path, trustedAt, shown, ...(stale && { stale }) })}\n`);
    else printLine(`${trustedAt.slice(0, 10)}  ${path}${stale ? `  (${stale})` : ""}`);
  }
  return exitCodes.done;
}

async function remove(folder: string): Promise<number> {
  const path = existsSync(folder) ? realpathSync(folder) : folder;
  const removed = await removeTrustRecord(await homeOf(), path);
  printLine(removed ? `${path} is no longer trusted` : `${path} was not trusted`);
  return removed ? exitCodes.done : exitCodes.failed;
}

/** Every value in full: what is trusted is what was seen. */
function show({ cwd, untrusted }: Config): void {
  if (untrusted.length === 0) {
    printLine(`${cwd} asks for nothing that needs trust now. What it asks for later will be shown and asked.`);
    return;
  }
  printLine(`${cwd} asks for this:`);
  for (const { source, key, value } of untrusted) {
    printLine(`\n${relative(cwd, source)}: ${key}`);
    for (const line of (JSON.stringify(value, null, 2) ?? "").split("\n")) printLine(`  ${line}`);
  }
  printLine("\nCommands in it run as you, outside of any sandbox, with whatever the files they name contain by then.");
}

/** An end of the input is a no. */
function confirmed(folder: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve) => {
    lines.once("close", () => resolve(false));
    lines.question(`Trust ${visibleText(folder)}? [y/N] `, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}

const printLine = (text: string) => void process.stdout.write(`${visibleText(text)}\n`);
