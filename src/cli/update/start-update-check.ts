import { version } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";
import { loadConfig } from "../../session/index.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { findUpdate, mayCheckForUpdate } from "./find-update.ts";

/** The check starts after the screen is ready, so that it delays nothing. */
const delayMs = 5000;

/** Looks for a newer version while the user works. `printNotice` ends the check and prints what it has found. */
export function startUpdateCheck(flags: Partial<RunFlags>): { printNotice(): void } {
  const ending = new AbortController();
  let notice: string | undefined;
  const timer = setTimeout(() => {
    check().catch((error: unknown) => (notice = `cannot check for a newer version: ${messageOf(error)}`));
  }, delayMs);
  timer.unref();
  return {
    printNotice() {
      clearTimeout(timer);
      ending.abort();
      if (notice !== undefined) process.stdout.write(`${notice}\n`);
    },
  };

  async function check(): Promise<void> {
    const { home, childEnv, terminal } = await loadConfig({ cwd: process.cwd(), env: process.env, flags });
    if (!mayCheckForUpdate(process.env, terminal.updateCheck)) return;
    notice = await findUpdate({ home, env: childEnv, current: version, now: Date.now(), signal: ending.signal });
  }
}
