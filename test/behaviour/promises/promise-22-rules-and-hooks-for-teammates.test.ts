import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PermissionAnswer } from "../../../src/protocol/index.ts";
import { alpha, bash, inState, leading, mate, report } from "../../support/team/scripted-team.ts";

const hook = (command: string, more: object = {}) => ({ ...more, hooks: [{ type: "command", command }] });
const write = (name: string) => ({ tool: "Write", input: { file_path: name, content: "x" } });

test("promise 22: rules and hooks apply to a teammate as to its lead, and hooks get its name", async () => {
  const team = await alpha({
    settings: {
      permissions: { deny: ["Bash(rm:*)"] },
      hooks: {
        PreToolUse: [
          hook("cat >> facts; if grep -q forbidden facts; then echo 'not this one' >&2; exit 2; fi", {
            matcher: "Bash",
          }),
        ],
      },
    },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ turn, results }) =>
      turn === 1
        ? { calls: [bash("rm -f something"), bash("echo forbidden")] }
        : { text: `came to: ${results.map(({ text }) => text).join(" | ")}` },
    ),
  });
  await team.ask("go");
  const { event } = await team.until(report(/came to: /));
  expect(JSON.stringify(event)).toMatch(/came to: .*rm.* \| .*not this one/);
  const facts = readFileSync(join(team.cwd, "facts"), "utf8");
  expect(facts).toMatch(/"agent_name":"scout"/);
  expect(facts).toMatch(/"team_name":"alpha"/);
});

test("promise 22: answer may change the input, carry a note, and apply to the whole team", async () => {
  const asked: string[] = [];
  const answers: Record<string, PermissionAnswer> = {
    scout: { behavior: "allow", scope: "once", input: { file_path: "b.txt", content: "y" }, message: "b is better" },
    maker: { behavior: "allow", scope: "once", team: true },
  };
  const team = await alpha({
    flags: { permissionMode: "default" },
    more: {
      async asker({ member }) {
        asked.push(member?.name ?? "lead");
        return answers[member?.name ?? ""] ?? { behavior: "deny", message: "no" };
      },
    },
    answer: leading(
      [
        { calls: [mate("scout", "a.txt")] },
        { text: "waiting" },
        { calls: [mate("maker", "c.txt")] },
        { text: "waiting" },
        { calls: [mate("third", "c.txt")] },
        { text: "waiting" },
      ],
      ({ turn, said, results }) =>
        turn === 1
          ? { calls: [write(/[abc]\.txt/.exec(said)?.[0] ?? "none")] }
          : { text: `came to: ${results.map(({ text }) => text).join(" | ")}` },
    ),
  });
  await team.ask("go");
  await team.until(report(/came to: .*b is better/));
  expect(existsSync(join(team.cwd, "a.txt"))).toBe(false);
  expect(readFileSync(join(team.cwd, "b.txt"), "utf8")).toBe("y");
  await inState(team, "scout", "idle");
  await team.ask("next");
  await inState(team, "maker", "idle");
  expect(existsSync(join(team.cwd, "c.txt"))).toBe(true);
  await team.ask("and the third");
  await inState(team, "third", "idle");
  // It had to read the file first, which needs no approval.
  expect(asked).toEqual(["scout", "maker"]);
});
