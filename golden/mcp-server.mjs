// A small MCP server on standard input and output with two tools. It answers once the given file exists.
import { existsSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";

const number = { type: "number" };
const tools = [
  {
    name: "add",
    description: "Adds two numbers.",
    inputSchema: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
  },
  { name: "fail", description: "Always fails.", inputSchema: { type: "object", properties: {} } },
];
const text = (words, isError = false) => ({ content: [{ type: "text", text: words }], isError });

function answer({ method, params }) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "small", version: "1.0.0" },
      instructions: "Use add to add.",
    };
  if (method === "tools/list") return { tools };
  if (method !== "tools/call") return {};
  const { a, b } = params.arguments ?? {};
  return params.name === "add" ? text(`${a + b}`) : text("it failed, as always", true);
}

const [, , ready] = process.argv;
while (!existsSync(ready)) await new Promise((resolve) => setTimeout(resolve, 20));
rmSync(ready);

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: answer(request) })}\n`);
}
