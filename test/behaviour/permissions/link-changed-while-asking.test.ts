import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { createSession } from "../../../src/session/index.ts";
import { createScriptedModel, systemClock } from "../../../src/testing.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

/** Runs one call that needs approval. `meanwhile` runs between the question and the answer. */
async function answered(call: { tool: string; input: object }, meanwhile: (path: (name: string) => string) => void) {
  const tree = tempTree({ "outside/secret.txt": "SECRET\n", "project/dir/secret.txt": "mine\n" });
  const steps = [{ text: "Going.", calls: [call] }, { text: "Done." }];
  const session = await createSession({
    cwd: tree.path("project"),
    env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model: createScriptedModel({ version: 1, steps }, { clock: systemClock }),
    memory: true,
    onPermission: () => {
      meanwhile(tree.path);
      return Promise.resolve({ behavior: "allow", scope: "once" });
    },
  });
  const results: string[] = [];
  const following = (async () => {
    for await (const { event } of session.events()) {
      if (event.type !== "tool.settled") continue;
      results.push(
        `${event.outcome}: ${event.content.map((part) => (part.type === "text" ? part.text : "")).join("")}`,
      );
    }
  })();
  await session.ask("go");
  await session.close();
  await following;
  return { tree, result: results[0] ?? "" };
}

test("folder replaced by a link while the user is asked is not written through", async () => {
  const { tree, result } = await answered(
    { tool: "Write", input: { file_path: "dir/new.txt", content: "x" } },
    (path) => {
      renameSync(path("project/dir"), path("project/away"));
      symlinkSync(path("outside"), path("project/dir"));
    },
  );
  expect(result).toMatch(/^failed: .*replaced by a link/);
  expect(existsSync(tree.path("outside/new.txt"))).toBe(false);
});

test("link created while the user is asked does not change what is opened", async () => {
  const tree = tempTree({ "asked/a.txt": "asked\n", "other/a.txt": "OTHER\n" });
  const { result } = await answered({ tool: "Read", input: { file_path: tree.path("link/a.txt") } }, () => {
    symlinkSync(tree.path("other"), tree.path("link"));
  });
  // The file did not exist when the user was asked, and the user was not asked about the new target.
  expect(result).not.toContain("OTHER");
  expect(result).toMatch(/^failed/);
});

test("file outside the project is written after the user allows it", async () => {
  const tree = tempTree({});
  mkdirSync(tree.path("outside"));
  const file = tree.path("outside/new.txt");
  const { result } = await answered({ tool: "Write", input: { file_path: file, content: "x" } }, () => undefined);
  expect(result).toMatch(/^ok/);
  expect(readFileSync(file, "utf8")).toBe("x");
});
