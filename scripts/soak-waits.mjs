// `npm run soak -- --waits`: a wait of 35 seconds ends in time on Node 20, 22 and 24, with constant garbage collections.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const root = resolve(import.meta.dirname, "..");
const program = join(root, "dist/troupe.cjs");
const collectGarbage = join(root, "test/support/programs/collect-garbage.cjs");
const seconds = 35;

const results = await Promise.all([20, 22, 24].map(play));
console.table(results);
process.exitCode = results.every(({ inTime }) => inTime) ? 0 : 1;

async function play(major) {
  const node = install(major);
  const home = mkdtempSync(join(tmpdir(), "troupe-waits-"));
  const env = { PATH: process.env.PATH, HOME: home, TROUPE_HOME: join(home, ".troupe") };
  const client = new Client({ name: "soak", version: "1" });
  try {
    execFileSync(node, [program, "team", "create", "crew"], { env, cwd: home, stdio: "ignore" });
    const args = ["--require", collectGarbage, program, "mcp", "serve", "--team", "crew", "--as", "anna"];
    await client.connect(new StdioClientTransport({ command: node, args, env, cwd: home, stderr: "ignore" }));
    const started = performance.now();
    const call = { name: "WaitForMail", arguments: { timeout_seconds: seconds } };
    const text = await client.callTool(call, { timeout: (seconds + 15) * 1000 }).then(
      ({ content }) => content[0].text,
      (error) => error.message,
    );
    const took = (performance.now() - started) / 1000;
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    return { version, seconds: took.toFixed(2), inTime: text.startsWith("No mail."), text };
  } finally {
    await client.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The path of a Node of this major version, from the npm package of that name. */
function install(major) {
  const folder = join(root, "node_modules/.cache/nodes", String(major));
  const node = join(folder, "node_modules/node/bin/node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const npm = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", `node@${major}`];
  execFileSync("npm", npm, { stdio: "inherit" });
  return node;
}
