import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { alpha, leading, mate, report } from "../../support/team/scripted-team.ts";

test("permission for the whole team also answers the waiting member's question", async () => {
  const writes = (name: string) => ({ calls: [{ tool: "Write", input: { file_path: "shared.txt", content: name } }] });
  const asked: string[] = [];
  let both: () => void = () => undefined;
  const bothAsked = new Promise<void>((resolve) => (both = resolve));
  let isFirst = true;
  const team = await alpha({
    flags: { permissionMode: "default" },
    more: {
      async asker({ member }, signal) {
        asked.push(member?.name ?? "lead");
        const answers = isFirst;
        isFirst = false;
        if (asked.length === 2) both();
        if (!answers)
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
        await bothAsked;
        return { behavior: "allow", scope: "once", team: true };
      },
    },
    answer: leading([{ calls: [mate("scout"), mate("tester")] }], ({ agent, result }) =>
      result ? { text: `came to: ${result.isError} ${result.text}` } : writes(agent),
    ),
  });
  await team.ask("go");
  await team.until(report(/came to: [\s\S]*scout|scout[\s\S]*came to/));
  await team.until(report(/tester[\s\S]*came to/));
  expect(asked.toSorted()).toEqual(["scout", "tester"]);
  expect(existsSync(join(team.cwd, "shared.txt"))).toBe(true);
  expect(readFileSync(join(team.cwd, "shared.txt"), "utf8")).toMatch(/@alpha/);
  await expect.poll(() => team.session.view().questions).toEqual([]);
});
