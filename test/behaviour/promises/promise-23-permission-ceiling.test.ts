import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { heldBackend, ledTeam, wishFor } from "../../support/team/led-team.ts";
import { agent, lead, resultOf, teamSession } from "../../support/team/team-session.ts";
import { alpha, bash, inState, leading, mate, memberLog, membersOf, report } from "../../support/team/scripted-team.ts";

test("promise 23: subagent has its parent's rights, reduced by its definition, never more", async () => {
  const files = {
    "home/.troupe/agents/loose.md":
      "---\nname: loose\ndescription: l\npermissionMode: bypassPermissions\ntools: Bash(echo:*), Write\n---\nYou are loose.",
  };
  const calls = [
    { tool: "Bash", input: { command: "touch by-bash" } },
    { tool: "Bash", input: { command: "echo fine" } },
    { tool: "Write", input: { file_path: "by-write", content: "x" } },
  ];
  for (const permissionMode of ["default", "bypassPermissions"] as const) {
    const team = await teamSession({
      files,
      flags: { permissionMode, disallowedTools: ["Write"] },
      answer: lead(
        [{ calls: [agent("work", { subagent_type: "loose", mode: "bypassPermissions" })] }, { text: "over" }],
        (ask) => (ask.turn === 1 ? { calls } : { text: "done" }),
      ),
    });
    await team.ask("go");
    expect(team.all("agent.spawned")[1]?.permissionMode).toBe(permissionMode);
    expect(existsSync(`${team.cwd}/by-bash`), "not in its definition").toBe(false);
    expect(existsSync(`${team.cwd}/by-write`), "denied by a rule of the session").toBe(false);
    expect(resultOf(team).outcome).toBe("ok");
  }
});

const loose = {
  "home/.troupe/agents/loose.md":
    "---\nname: loose\ndescription: l\npermissionMode: bypassPermissions\ntools: Bash(echo:*), Write\n---\nYou are loose.",
};

test("promise 23: teammate has its lead's rights at the start, reduced by its definition, never more", async () => {
  for (const permissionMode of ["default", "bypassPermissions"] as const) {
    const team = await alpha({
      files: loose,
      flags: { permissionMode, disallowedTools: ["Write"] },
      answer: leading(
        [
          { calls: [mate("scout", "work", { subagent_type: "loose", mode: "bypassPermissions" })] },
          { text: "waiting" },
        ],
        ({ turn, results }) =>
          turn === 1
            ? {
                calls: [
                  bash("touch by-bash"),
                  bash("echo fine"),
                  { tool: "Write", input: { file_path: "by-write", content: "x" } },
                ],
              }
            : { text: `came to: ${results.map(({ isError }) => isError).join()}` },
      ),
    });
    await team.ask("go");
    await team.until(report(/came to: true,false,true/));
    expect((await membersOf(team.tree))[0]?.mode).toBe(permissionMode);
    const spawned = (await memberLog(team.tree, "scout")).find((event) => event.type === "agent.spawned");
    expect(spawned).toMatchObject({ permissionMode, agentType: "loose" });
    expect(existsSync(`${team.cwd}/by-bash`), "not in its definition").toBe(false);
    expect(existsSync(`${team.cwd}/by-write`), "denied by a rule of the session").toBe(false);
    await team.close();
  }
});

test("promise 23: team resumed by a lead with fewer rights has fewer; with the same it has the same", async () => {
  const touching = (name: string) =>
    leading([], ({ said, result }) =>
      said.includes(name) && result?.tool !== "Bash"
        ? { calls: [bash(`touch ${name}`)] }
        : { text: `came to: ${result?.isError}` },
    );
  const first = await alpha({
    answer: leading([{ calls: [mate("scout", "wait")] }, { text: "waiting" }], () => ({ text: "here" })),
  });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  const resume = { tree: first.tree, resume: first.session.id };
  const same = await alpha({ ...resume, answer: touching("one") });
  await inState(same, "scout", "idle");
  await same.command({ type: "mail.send", to: "scout", text: "touch one" });
  await same.until(report(/came to: false/));
  await same.close();
  const fewer = await alpha({ ...resume, flags: { permissionMode: "default" }, answer: touching("two") });
  await inState(fewer, "scout", "idle");
  await fewer.command({ type: "mail.send", to: "scout", text: "touch two" });
  await fewer.until(report(/came to: true/));
  expect(existsSync(`${first.cwd}/one`)).toBe(true);
  expect(existsSync(`${first.cwd}/two`)).toBe(false);
});

test("promise 23: lowering the lead's mode lowers all members; plan mode of the lead does not", async () => {
  const team = await alpha({
    answer: leading(
      [{ calls: [mate("scout", "wait"), mate("maker", "wait", { mode: "default" })] }],
      ({ said, result }) =>
        said.includes("write two") && result?.tool !== "Bash"
          ? { calls: [bash(`node -e 'fs.writeFileSync("two", "")'`)] }
          : { text: `came to: ${result?.isError}` },
    ),
  });
  const modes = async () => (await membersOf(team.tree)).map(({ name, mode }) => `${name} ${mode}`);
  await team.ask("go");
  await inState(team, "scout", "idle");
  await inState(team, "maker", "idle");
  expect(await team.command({ type: "set", permissionMode: "plan" })).toEqual({ ok: true });
  expect(await modes()).toEqual(["scout bypassPermissions", "maker default"]);
  expect(await team.command({ type: "set", permissionMode: "acceptEdits" })).toEqual({ ok: true });
  await team.until((event) => event.type === "mail.sent" && event.kind === "mode_set_request");
  await team.command({ type: "mail.send", to: "scout", text: "write two" });
  await team.until(report(/came to: (true|false)/));
  expect(existsSync(`${team.cwd}/two`)).toBe(false);
  await expect.poll(modes).toEqual(["scout acceptEdits", "maker default"]);
  const changes = (await memberLog(team.tree, "scout")).filter((event) => event.type === "agent.changed");
  expect(changes).toMatchObject([{ permissionMode: "acceptEdits" }]);
});

test("promise 23: member requested before its lead's mode was lowered starts with the lowered rights", async () => {
  const begun: (string | undefined)[] = [];
  let mode: PermissionMode = "bypassPermissions";
  const { team } = await ledTeam({
    mode: () => mode,
    backend: heldBackend({ start: async (member) => void begun.push(member.mode) }),
  });
  await team.spawn({ ...wishFor("before", "call_1"), mode: "bypassPermissions" });
  mode = "default";
  await team.spawn({ ...wishFor("after", "call_2"), mode: "bypassPermissions" });
  expect(begun).toEqual(["bypassPermissions", "default"]);
  expect(team.members().map((member) => member.mode)).toEqual(["bypassPermissions", "default"]);
  for (const { name } of team.members()) await team.stop(name, { now: true });
});

test("promise 23: respawned member has no more rights than its lead has then", async () => {
  const begun: (string | undefined)[] = [];
  let mode: PermissionMode = "bypassPermissions";
  const { team } = await ledTeam({
    mode: () => mode,
    backend: heldBackend({ start: async (member) => void begun.push(member.mode) }),
  });
  await team.spawn({ ...wishFor("scout", "call_1"), mode: "bypassPermissions" });
  await team.stop("scout", { now: true });
  mode = "default";
  await team.respawn("scout");
  expect(begun).toEqual(["bypassPermissions", "default"]);
  expect(team.members().map((member) => member.mode)).toEqual(["default"]);
  await team.stop("scout", { now: true });
});
