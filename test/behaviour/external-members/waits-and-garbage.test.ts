import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { program, workplace } from "../../support/cli/workplace.ts";

const collectGarbage = resolve(import.meta.dirname, "../../support/programs/collect-garbage.cjs");

test("WaitForMail ends at its time limit after a garbage collection", async () => {
  const place = workplace();
  expect(await place.run(["team", "create", "crew"])).toMatchObject({ code: 0 });
  const client = new Client({ name: "another-agent", version: "1" });
  onTestFinished(() => client.close());
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--require", collectGarbage, program, "mcp", "serve", "--team", "crew", "--as", "anna"],
    env: { PATH: process.env["PATH"] ?? "", HOME: place.home, TROUPE_HOME: join(place.home, ".troupe") },
    cwd: place.cwd,
    stderr: "ignore",
  });
  await client.connect(transport);
  const { content } = await client.callTool({ name: "WaitForMail", arguments: { timeout_seconds: 1 } });
  expect(content).toEqual([{ type: "text", text: "No mail. Call WaitForMail again to keep waiting." }]);
});
