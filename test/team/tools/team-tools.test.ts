import { describe, expect, onTestFinished, test } from "vitest";
import { leadConduct } from "../../../src/agent/index.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { teamLead } from "../../../src/protocol/index.ts";
import { createFileTeamStore } from "../../../src/store/index.ts";
import { createTeamTools } from "../../../src/team/index.ts";
import { toolSpecs } from "../../../src/tool/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { openToolBench } from "../../support/tools/tool-bench.ts";
import { callTool, named } from "../../support/tools/team-tool-bench.ts";

/** TeamCreate and TeamDelete over real teams. */
function teams() {
  const home = tempTree().path("home");
  const bench = openToolBench();
  onTestFinished(() => bench.close());
  const store = createFileTeamStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
  let mine: string | undefined;
  const tools = createTeamTools({
    async create(name, description) {
      const made = await store.create({ name, description, cwd: bench.folder });
      onTestFinished(() => made.close());
      mine = made.name;
      return { team: made.name, lead: teamLead };
    },
    async remove(name = mine) {
      await store.delete(name ?? "none");
      return { team: name ?? "none" };
    },
    conduct: (team, lead) => leadConduct({ team, lead, tools: new Set() }),
  });
  return {
    store,
    tools,
    call: (name: string, input: object = {}) => callTool(named(tools, name), input, bench.context),
  };
}

describe("3.4 TeamCreate and TeamDelete", () => {
  test("creates a team and explains teams to its lead; a name in use gets a number", async () => {
    const it = teams();
    const first = await it.call("TeamCreate", { team_name: "parser", description: "fixes it" });
    expect(first.text).toMatch(/^The team parser is ready, and you are team-lead in it\. Start teammates/);
    expect(first.text).toContain("You lead the team parser");
    const second = await it.call("TeamCreate", { team_name: "parser" });
    expect(second.text).toContain(
      `The team parser-2 is ready, and you are team-lead in it. The name "parser" was taken.`,
    );
    expect((await it.store.list()).map(({ name, team }) => [name, team?.description])).toEqual([
      ["parser", "fixes it"],
      ["parser-2", undefined],
    ]);
  });

  test("accepts name for team_name, and a call without a name", async () => {
    const it = teams();
    expect((await it.call("TeamCreate", { name: "parser" })).text).toMatch(/^The team parser is ready/);
    expect((await it.call("TeamCreate")).text).toMatch(/^The team team is ready/);
    expect((await it.call("TeamDelete", { name: "parser" })).ok).toBe(true);
    expect((await it.store.list()).map(({ name }) => name)).toEqual(["team"]);
  });

  test("an invalid name is refused with a message", async () => {
    const it = teams();
    for (const name of ["..", "a/b", "*"]) {
      const said = await it.call("TeamCreate", { team_name: name });
      expect(said.ok, name).toBe(false);
      expect(said.text, name).not.toMatch(/^TeamCreate failed/);
    }
    expect(await it.store.list()).toEqual([]);
  });

  test("deletes a team with its files; active members prevent it and are named", async () => {
    const it = teams();
    await it.call("TeamCreate", { team_name: "parser" });
    const team = await it.store.open("parser");
    onTestFinished(() => team.close());
    await team.record.join({ name: "alice", cwd: "/", backendType: "in-process" });
    const alice = await team.presence.announce("alice", "working");
    const refused = await it.call("TeamDelete");
    expect(refused.ok).toBe(false);
    expect(refused.text).toMatch(/alice/);
    await alice.set("ended");
    await alice.close();
    await team.record.end("alice", { reason: "shutdown" });
    expect(await it.call("TeamDelete")).toEqual({
      ok: true,
      text: "The team parser is deleted, with its mail and its tasks. You lead no team now, and your task list is yours alone. The work of the team is over. Your next answer is what the user gets: give the whole answer, with what you said before.",
    });
    expect(await it.store.list()).toEqual([]);
  });

  test("an unknown team is refused with the known ones", async () => {
    const it = teams();
    await it.call("TeamCreate", { team_name: "parser" });
    expect((await it.call("TeamDelete", { team_name: "parsr" })).text).toMatch(
      /no team "parsr"\. Did you mean parser\?/,
    );
  });

  test("descriptions for the model", () => {
    expect(toolSpecs(teams().tools)).toMatchSnapshot();
  });
});
