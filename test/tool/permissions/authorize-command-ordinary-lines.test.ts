import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { judge } from "../../support/shell/judge-command.ts";

/** Typical rules of a developer in a project with several languages. All else follows the default mode. */
const rules = {
  allow: [
    "npm run:*,npm test:*,npm ci,npm install:*,npm outdated,git add:*,git commit:*,git fetch:*,git pull:*,git switch:*,git checkout:*",
    "git stash:*,git merge:*,git push:*,git restore:*,git cherry-pick:*,git branch -d:*,tsc:*,eslint:*,prettier:*,vitest:*,jest:*,biome:*",
    "cargo build:*,cargo test:*,cargo check:*,cargo clippy:*,cargo fmt:*,cargo doc:*,cargo tree:*,go build:*,go test:*,go vet:*",
    "go mod tidy,gofmt:*,pytest:*,ruff:*,mypy:*,black:*,pip list,pip show:*,pip install:*,docker ps:*,docker compose ps:*",
    "docker compose logs:*,docker images:*,kubectl get:*,kubectl describe:*,gh pr list:*,gh pr view:*,gh issue list:*,gh run list:*",
    "mkdir:*,touch:*,cp:*,mv:*,chmod:*,ln:*",
  ]
    .flatMap((line) => line.split(","))
    .map((words) => `Bash(${words})`),
};

const lines = readFileSync(new URL("../../fixtures/shell/ordinary-lines.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.replace(/\\(n|\\)/g, (_, char: string) => (char === "n" ? "\n" : "\\")));

it("at most one in twenty of 500 ordinary command lines asks without need", () => {
  expect(lines).toHaveLength(500);
  const verdicts = lines.map((line) => [judge(line, { rules }).behavior, line] as const);
  expect(verdicts.filter(([verdict]) => verdict === "deny")).toEqual([]);
  const asked = verdicts.filter(([verdict]) => verdict === "ask").map(([, line]) => line);
  expect(asked).toMatchInlineSnapshot(`
    [
      "env | grep NODE",
      "NODE_ENV=test npm test",
      "CI=1 npm run build",
      "npm test > out.log 2>&1",
      "python3 -m pytest",
      "npx tsc --noEmit",
      "make test",
      "node scripts/check.mjs",
    ]
  `);
  expect(asked.length).toBeLessThanOrEqual(25);
});

it("at most one in a hundred asks in mode acceptEdits behind walls, without any rule", () => {
  const options = { mode: "acceptEdits", isWalled: true } as const;
  const verdicts = lines.map((line) => [judge(line, options).behavior, line] as const);
  const asked = verdicts.filter(([verdict]) => verdict !== "allow").map(([, line]) => line);
  expect(asked.length).toBeLessThanOrEqual(5);
});
