import { expect, test } from "vitest";
import { createSession } from "../../../src/session/index.ts";
import { fault } from "../../support/mcp/mcp-servers.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

test("session created from code has its MCP servers, and its view shows their state", async () => {
  const tree = tempTree({
    "home/x": "",
    "project/s.json": {
      version: 1,
      steps: [{ calls: [{ tool: "mcp__odd__echo", input: { text: "from code" } }] }, { text: "{{result}}" }],
    },
  });
  const session = await createSession({
    cwd: tree.path("project"),
    env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model: "scripted/s.json",
    memory: true,
    allowedTools: ["mcp__odd"],
    onPermission: "nobody",
    mcpServers: { odd: fault() },
  });
  try {
    expect((await session.ask("go")).text).toBe("from code");
    expect(session.view().mcpServers).toMatchObject([{ server: "odd", state: "connected" }]);
  } finally {
    await session.close();
  }
});
