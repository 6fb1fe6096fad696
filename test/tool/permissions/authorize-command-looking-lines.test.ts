import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { judge } from "../../support/shell/judge-command.ts";

const lines = readFileSync(new URL("../../fixtures/shell/looking-lines.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

it("at most one in twenty of the lines of a developer who only looks asks, without any rule", () => {
  expect(lines.length).toBeGreaterThanOrEqual(230);
  const verdicts = lines.map((line) => [judge(line).behavior, line] as const);
  const asked = verdicts.filter(([verdict]) => verdict !== "allow").map(([, line]) => line);
  expect(asked).toMatchInlineSnapshot(`
    [
      "env -i ls",
      "cat a.txt | tee /dev/null",
      "env | grep NODE",
      "docker ps",
      "kubectl get pods",
      "gh pr list",
      "npm view react version",
      "cargo --version",
    ]
  `);
  expect(asked.length / lines.length).toBeLessThanOrEqual(0.05);
});
