import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { TroupeError } from "../../../src/protocol/index.ts";
import { spawnTeammate, type SpawnTeammatePorts } from "../../../src/session/teams/spawn-teammate.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { heldBackend, ledTeam } from "../../support/team/led-team.ts";

/** The lead's side of starting members: it counts its worktrees, and its log can be made to fail. */
async function starting({ logFails = false, isolated = true, asker = "reply", folder = "/" } = {}) {
  const { team } = await ledTeam({ backend: heldBackend({}) });
  const worktrees: string[] = [];
  const finished: string[] = [];
  const isolate = async () => {
    const path = `/worktrees/${worktrees.length + 1}`;
    worktrees.push(path);
    return { path, branch: "b", env: {}, notices: [], finish: async () => void finished.push(path) };
  };
  const definition = { name: "general-purpose" };
  const ports = {
    registry: { get: () => team, teammateStarted: () => undefined },
    options: {
      resolver: { resolve: () => ({ definition, model: "scripted/x", mode: "default", cwd: folder, isolated }) },
      launch: {},
      settings: {},
      createId: createIdFactory(systemClock),
    },
    ports: {
      tools: () => [],
      shared: { session: { role: {}, ports: { asker }, extensions: { definitions: [definition] } } },
      subagents: { acquireSlot: async () => ({ release: () => undefined }), isolate },
      agent: {
        record: async () => {
          if (logFails) throw new TroupeError("storage", "cannot write: EIO");
        },
      },
    },
  } as unknown as SpawnTeammatePorts;
  const wish = { name: "scout", description: "look", prompt: "look", callId: "call_1", planModeRequired: false };
  const start = (cwd = folder) =>
    spawnTeammate({ ...wish, signal: new AbortController().signal } as never, { id: "agt_lead", cwd } as never, ports);
  return { team, start, worktrees, finished };
}

test("a started member keeps its worktree, even if its lead cannot record it", async () => {
  const { team, start, worktrees, finished } = await starting({ logFails: true });
  await expect(start()).rejects.toThrow("EIO");
  expect(team.members().map(({ worktreePath, ended }) => [worktreePath, ended])).toEqual([[worktrees[0], undefined]]);
  expect(finished).toEqual([]);
  await team.stop("scout", { now: true });
});

test("a call made twice at once leaves one worktree", async () => {
  const { team, start, worktrees, finished } = await starting();
  await Promise.all([start(), start()]);
  const [member] = team.members();
  expect(team.members()).toHaveLength(1);
  expect(worktrees.filter((path) => !finished.includes(path))).toEqual([member?.worktreePath]);
  await team.stop("scout", { now: true });
});

test("the result says where a member without a worktree works", async () => {
  const { team, start } = await starting({ isolated: false });
  const text = JSON.stringify(await start());
  expect(text).toContain(
    "It works in your folder, /, and has no separate branch: you see its changes there at once, and there is nothing to land.",
  );
  expect(text).not.toContain("No agent can commit");
  // The same call again, as from another folder.
  expect(JSON.stringify(await start("/other"))).toContain("It works in / and has no separate branch");
  await team.stop("scout", { now: true });
});

test("the result says that a member in a folder without commits leaves its changes uncommitted", async () => {
  const folder = temporaryFolder();
  const { team, start } = await starting({ isolated: false, asker: "none", folder });
  await mkdir(join(folder, ".git"));
  expect(JSON.stringify(await start())).toContain(
    "there is nothing to land. No agent can commit in this folder in this run: its changes stay uncommitted. If they must be landed, start it with isolation: worktree.",
  );
  await team.stop("scout", { now: true });
});

test("the result says nothing about commits in a folder without git", async () => {
  const { team, start } = await starting({ isolated: false, asker: "none", folder: temporaryFolder() });
  expect(JSON.stringify(await start())).not.toContain("No agent can commit");
  await team.stop("scout", { now: true });
});
