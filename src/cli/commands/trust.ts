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

/** `troupe trust`: shows everything that a folder requests. Stores the user's consent for exactly these values. */
export async function trust(folder: string | undefined, flags: TrustFlags): Promise<number> {
  const wanted = resolve(folder ?? ".");
  if (flags.list) return list(flags.json ?? false);
  if (flags.remove) return remove(wanted);
  if (!existsSync(wanted)) throw new TroupeError("usage", `there is no folder ${wanted}. Check the path.`);
  const config = await loadConfig({ cwd: wanted, env: process.env, trust: "none" });
  show(config);
  if (!flags.yes && !process.stdin.isTTY) {
    throw new TroupeError(
      "usage",
      "cannot ask for confirmation: there is no terminal. Check the list, then run again with --yes to trust the folder.",
    );
  }
  if (!flags.yes && !(await confirmed(config.cwd))) {
    printLine("not trusted");
    return exitCodes.failed;
  }
  await openStateRoot(config.home);
  await trustFolder(config.home, { cwd: config.cwd, withheld: config.untrusted, now: Date.now() });
  printLine(`${config.cwd} is trusted. Undo it with 'troupe trust --remove'.`);
  return exitCodes.done;
}

/** Finds the folder for trust decisions without reading the project folder, which may be missing or broken. */
const homeOf = async () => (await loadConfig({ cwd: "/", env: process.env, trust: "none" })).home;

async function list(json: boolean): Promise<number> {
  const records = listTrustRecords(await homeOf());
  if (records.length === 0 && !json) printLine("no folder is trusted");
  for (const { path, trustedAt, owner, shown } of records) {
    const stale = !existsSync(path)
      ? "no longer exists"
      : ownerOf(path) === owner
        ? undefined
        : "has another owner now";
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

/** Shows every value in full, because the user trusts exactly what is shown. */
function show({ cwd, untrusted }: Config): void {
  if (untrusted.length === 0) {
    printLine(`${cwd} requests nothing that needs trust now. You are asked again when it requests something.`);
    return;
  }
  printLine(`${cwd} requests:`);
  for (const { source, key, value } of untrusted) {
    printLine(`\n${relative(cwd, source)}: ${key}`);
    for (const line of (JSON.stringify(value, null, 2) ?? "").split("\n")) printLine(`  ${line}`);
  }
  printLine("\nThese commands run as you, outside any sandbox, with the contents that their files have at that time.");
}

/** The end of the input counts as no. */
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
