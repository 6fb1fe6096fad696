import { expect, test } from "vitest";
import type { AgentId } from "../../../src/protocol/index.ts";
import type { RepositoryContext, WorktreeEngine } from "../../../src/team/index.ts";

/** A repository with one branch, main, and the actions of its agents. */
export interface WorktreeWorld {
  readonly engine: WorktreeEngine;
  readonly place: RepositoryContext;
  write(folder: string, file: string): void;
  commit(folder: string): void;
  land(branch: string): Promise<void>;
  /** Removes the folder behind the back of the engine. */
  loseFolder(path: string): void;
}

/** The tests that every engine for worktrees passes. */
export function testWorktreeEngine(open: () => WorktreeWorld): void {
  const made = async (label = "dev") => {
    const world = open();
    const { engine, place } = world;
    const worktree = await engine.create(place, { agentId: "agt_1" as AgentId, label, settings: {} });
    return { ...world, worktree, state: () => engine.state(place, worktree.path) };
  };

  test("a new worktree has its own branch and no work, and is removed when its agent ends", async () => {
    const { engine, place, worktree, state } = await made();
    const { name, path, branch } = worktree;
    expect(branch).toBe(`troupe/${name}`);
    expect(worktree.facts).toMatchObject({ path, branch, baseBranch: "main" });
    expect(await state()).toEqual({ path, branch, target: "main", commits: 0, uncommitted: [] });
    expect([engine.hasFolder(path), await engine.isOwn(place, worktree)]).toEqual([true, true]);
    expect(await engine.finish(place, { name })).toMatchObject({ outcome: "removed", landed: undefined });
    expect([engine.hasFolder(path), await engine.isOwn(place, worktree)]).toEqual([false, false]);
    expect(await state()).toBeUndefined();
    expect(await engine.resume(place, name)).toBeUndefined();
    await expect(engine.finish(place, { name })).rejects.toThrow(`there is no worktree ${name}`);
  });

  test("work keeps a worktree until it has landed", async () => {
    const { engine, place, worktree, state, write, commit, land } = await made();
    const { name, path, branch } = worktree;
    write(path, "a.txt");
    expect(await state()).toMatchObject({ commits: 0, uncommitted: ["a.txt"] });
    expect(await engine.finish(place, { name })).toMatchObject({ outcome: "kept", path, branch });
    expect(await engine.resume(place, name)).toMatchObject({ name, path, branch });
    commit(path);
    expect(await state()).toMatchObject({ commits: 1, uncommitted: [] });
    expect(await engine.finish(place, { name })).toMatchObject({ outcome: "kept" });
    expect(await engine.resume(place, name, { adopt: true })).toMatchObject({ path });
    await land(branch);
    expect(await state()).toMatchObject({ commits: 0, uncommitted: [] });
    const landed = { commits: 1, target: "main" };
    expect(await engine.finish(place, { name })).toMatchObject({ outcome: "removed", landed });
  });

  test("the uncommitted work of an agent that is over is committed to its branch", async () => {
    const { engine, place, worktree, state, write } = await made();
    const { name, path } = worktree;
    write(path, "a.txt");
    expect(await engine.finish(place, { name, endedAgent: "dev" })).toMatchObject({ outcome: "kept" });
    expect(await state()).toMatchObject({ commits: 1, uncommitted: [] });
  });

  test("an agent that continues finds its uncommitted work as it left it, unless that has landed", async () => {
    const { engine, place, worktree, state, write, land } = await made();
    const { name, path, branch } = worktree;
    write(path, "a.txt");
    await engine.finish(place, { name, endedAgent: "dev" });
    await engine.resume(place, name);
    expect(await state()).toMatchObject({ commits: 0, uncommitted: ["a.txt"] });
    await engine.finish(place, { name, endedAgent: "dev" });
    await land(branch);
    await engine.resume(place, name);
    expect(await state()).toMatchObject({ commits: 0, uncommitted: [] });
  });

  test("a lost folder is made again with the commits of its branch", async () => {
    const { engine, place, worktree, state, write, commit, loseFolder } = await made();
    const { name, path, branch } = worktree;
    write(path, "a.txt");
    commit(path);
    write(path, "b.txt");
    loseFolder(path);
    expect(await state()).toBeUndefined();
    expect(await engine.resume(place, name)).toBeUndefined();
    const again = await engine.recreate(place, { agentId: "agt_1" as AgentId, path, branch });
    expect(again).toMatchObject({ name, path, branch });
    expect(again.facts.recreated).toContain("It has the commits of that branch.");
    expect(await state()).toMatchObject({ commits: 1, uncommitted: [] });
  });

  test("two agents with the same name have two worktrees", async () => {
    const { engine, place, worktree } = await made();
    const other = await engine.create(place, { agentId: "agt_2" as AgentId, label: "dev", settings: {} });
    expect(other.path).not.toBe(worktree.path);
    expect(other.branch).not.toBe(worktree.branch);
  });
}
