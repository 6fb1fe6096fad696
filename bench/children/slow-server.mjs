// A minimal MCP server: it delays its first answer by the given number of milliseconds.
import { createInterface } from "node:readline";

const delay = Number(process.argv[2]);
const send = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
const tools = [{ name: "echo", description: "echo", inputSchema: { type: "object" } }];

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "slow", version: "1" } };
    setTimeout(() => send(id, result), delay);
  } else if (method === "tools/list") send(id, { tools });
  else if (id !== undefined) send(id, {});
});
