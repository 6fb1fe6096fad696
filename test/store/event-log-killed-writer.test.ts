import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFileSessionStore } from "../../src/store/index.ts";
import { buildProgram } from "../support/processes/build-program.ts";
import { soakRounds } from "../support/setup/soak-rounds.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { newSessionId, storeOptions } from "../support/store/sample-events.ts";

/** Each chain has five kills. */
const chains = soakRounds({ suite: 3, soak: 20 });

let program: Awaited<ReturnType<typeof buildProgram>>;

beforeAll(async () => {
  program = await buildProgram("write-events-until-killed.ts");
});
afterAll(() => program.remove());

describe("session whose process is killed again and again", () => {
  it.concurrent.for([1, 2])("opens each time with all acknowledged events (%i)", async (seed, test) => {
    const cwd = temporaryFolder(test.onTestFinished);
    for (let chain = 0; chain < chains; chain++) {
      const home = temporaryFolder(test.onTestFinished);
      const sessionId = newSessionId();
      const acknowledged: string[] = [];
      for (let round = 0; round < 5; round++) {
        const which = acknowledged.length === 0 ? "new" : "old";
        const delay = (seed * (chain + 1) * (round + 1) * 7919) % 7;
        acknowledged.push(...(await writeAndKill([home, sessionId, which, cwd], delay)));
      }
      const store = createFileSessionStore({ ...storeOptions, home });
      const opened = await store.open(sessionId);
      const ids: string[] = opened.leadLog.replayed.map(({ id }) => id);
      await opened.close();
      const kept = new Set(ids);
      expect(kept.size).toBe(ids.length);
      expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
      // Each round leaves at most one event whose acknowledgement died with the process.
      expect(ids.length - acknowledged.length).toBeLessThanOrEqual(5);
      expect(readdirSync(home)).toEqual(["projects"]);
    }
  });
});

/** Kills the process `delay` milliseconds after its first output. */
async function writeAndKill(args: readonly string[], delay: number): Promise<string[]> {
  const child = spawn(process.execPath, [program.path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (data: Buffer) => {
    if (said === "") setTimeout(() => child.kill("SIGKILL"), delay);
    said += data.toString();
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  return said.split("\n").slice(0, -1);
}
