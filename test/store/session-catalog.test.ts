import { appendFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { currentProcess } from "../../src/platform/index.ts";
import { createFileSessionStore, createSessionCatalog } from "../../src/store/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { newSessionId, note, sampleEvents, storeOptions } from "../support/store/sample-events.ts";

test("the list follows sessions written, opened, closed and removed", async () => {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const catalog = createSessionCatalog({ home });
  expect(await catalog.list()).toEqual([]);
  const sessionId = newSessionId();
  const opened = await createFileSessionStore({ ...storeOptions, home }).create({ sessionId, cwd });
  await opened.leadLog.recordAll(sampleEvents(sessionId, { cwd, prompt: "Dig" }));
  const [first] = await catalog.list();
  expect(first).toMatchObject({ sessionId, cwd, firstPrompt: "Dig", holder: currentProcess() });
  expect(await catalog.list()).toEqual([first]);
  expect((await catalog.filesOf(sessionId))?.log).toBe(first?.file);
  expect(catalog.projectFolders()).toHaveLength(1);

  await opened.leadLog.record({ type: "team.joined", team: "garden", name: "team-lead", role: "lead" });
  await opened.leadLog.record(note("later"));
  expect((await catalog.list())[0]).toMatchObject({ team: { name: "garden", role: "lead", member: "team-lead" } });
  await opened.close();
  expect((await catalog.list())[0]?.holder).toBeUndefined();

  const { owner, log } = (await catalog.filesOf(sessionId)) ?? { owner: "", log: "" };
  appendFileSync(owner, '\n{"who":"knows"}\n');
  expect((await catalog.list())[0]?.problem).toMatch(/unknown form/);
  rmSync(log);
  expect(await catalog.list()).toEqual([]);
  expect(await catalog.filesOf(sessionId)).toBeUndefined();
});

test("unchanged sessions are not read again", async () => {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const sessionId = newSessionId();
  const opened = await createFileSessionStore({ ...storeOptions, home }).create({ sessionId, cwd });
  await opened.leadLog.recordAll(sampleEvents(sessionId, { cwd, prompt: "Dig" }));
  await opened.close();
  const catalog = createSessionCatalog({ home });
  const { log } = (await catalog.filesOf(sessionId)) ?? { log: "" };
  const { size } = statSync(log);
  utimesSync(log, 1_700_000_000, 1_700_000_000);
  await catalog.list();
  writeFileSync(log, "x".repeat(size));
  utimesSync(log, 1_700_000_000, 1_700_000_000);
  expect((await catalog.list())[0]?.firstPrompt).toBe("Dig");
  writeFileSync(log, "x".repeat(size - 1));
  expect((await catalog.list())[0]?.firstPrompt).toBeUndefined();
});
