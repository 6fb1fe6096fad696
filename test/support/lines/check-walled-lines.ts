import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { createRandom, type Random } from "../../../simulation/random.ts";
import { runProcess } from "../../../src/platform/index.ts";
import type { CommandPlace, PermissionMode } from "../../../src/protocol/index.ts";
import {
  authorize,
  type CommandSandbox,
  createCommandSandbox,
  parseRules,
  placeInSandbox,
  realDisk,
  shellEnvironment,
} from "../../../src/tool/index.ts";
import { placeOutsideTmp } from "../tools/sandbox-bench.ts";
import { generateLine } from "./generate-line.ts";
import { buildFolder } from "./line-world.ts";
import { walledLine } from "./walled-line.ts";

/** The ways in which a line runs without a question where there are walls. */
const modes: readonly { readonly name: string; readonly mode: PermissionMode; readonly allow: readonly string[] }[] = [
  { name: "default", mode: "default", allow: [] },
  { name: "plan", mode: "plan", allow: [] },
  { name: "acceptEdits", mode: "acceptEdits", allow: [] },
  { name: "all allowed", mode: "dontAsk", allow: ["Bash"] },
  { name: "bypassPermissions", mode: "bypassPermissions", allow: [] },
];
const deny = ["Read(denied/**)"];

export interface WalledReport {
  readonly judged: number;
  /** The number of lines that ran, by mode. */
  readonly ran: Readonly<Record<string, number>>;
  readonly wrong: readonly { readonly mode: string; readonly line: string; readonly fault: string }[];
}

export interface WalledRun {
  readonly seed: number;
  readonly lines: number;
  /** Maximum number of lines that run, for each mode. */
  readonly most: number;
}

const batchSize = 40;

/** Judges hostile lines in every mode, runs the allowed ones behind the real walls, and reports what got through. */
export async function checkWalledLines({ seed, lines, most }: WalledRun): Promise<WalledReport> {
  const world = await openWalledWorld();
  const random = createRandom(seed);
  const ran: Record<string, number> = Object.fromEntries(modes.map(({ name }) => [name, 0]));
  const waiting = new Map<string, { readonly mode: string; readonly place: CommandPlace; readonly lines: string[] }>();
  const wrong: { mode: string; line: string; fault: string }[] = [];
  const flush = async (key: string) => {
    const batch = waiting.get(key);
    waiting.delete(key);
    if (batch === undefined) return;
    const faults = await world.faults(batch.lines, batch.place);
    wrong.push(...faults.map((each) => ({ mode: batch.mode, ...each })));
  };
  try {
    for (let count = 0; count < lines; count++) {
      const line = nextLine(random, world);
      for (const { name, mode, allow } of modes) {
        const decision = judge(line, { mode, rules: parsedRules(allow), world });
        if (decision.behavior !== "allow" || (ran[name] ?? 0) >= most) continue;
        ran[name] = (ran[name] ?? 0) + 1;
        const place: CommandPlace = decision.place ?? { walls: "work" };
        if (place.walls === "open") wrong.push({ mode: name, line, fault: "it would leave the walls" });
        const key = `${name} ${JSON.stringify(place)}`;
        const batch = waiting.get(key) ?? { mode: name, place, lines: [] };
        waiting.set(key, batch);
        batch.lines.push(line);
        if (batch.lines.length >= batchSize) await flush(key);
      }
    }
    for (const key of waiting.keys()) await flush(key);
  } finally {
    await world.close();
  }
  return { judged: lines, ran, wrong };
}

const nextLine = (random: Random, { port, home }: WalledWorld) =>
  random.chance(0.5) ? generateLine(random).line : walledLine(random, { port, home });

const rulesOf = new Map<readonly string[], ReturnType<typeof parseRules>>();
function parsedRules(allow: readonly string[]) {
  const known = rulesOf.get(allow) ?? parseRules({ allow: [...allow], deny });
  rulesOf.set(allow, known);
  return known;
}

interface Judged {
  readonly mode: PermissionMode;
  readonly rules: ReturnType<typeof parseRules>;
  readonly world: WalledWorld;
}

const judge = (command: string, { mode, rules, world }: Judged) =>
  authorize({
    tool: { name: "Bash", access: "run" },
    subject: { kind: "command", command },
    title: command,
    mode,
    rules,
    roots: [world.cwd],
    cwd: world.cwd,
    home: world.home,
    stateRoot: join(world.home, ".troupe"),
    walls: { isReady: true, required: false, outside: [] },
    disk: realDisk,
  });

interface WalledWorld {
  readonly cwd: string;
  readonly home: string;
  readonly port: number;
  faults(lines: readonly string[], place: CommandPlace): Promise<{ line: string; fault: string }[]>;
  close(): Promise<void>;
}

const canary = `KEY=${"Q".repeat(400)}\n`;
/** Long enough that no time or file number looks like it. */
const leak = /QQQQ|UVFRUVFR|(5151 ?){4}|(Q {3}){4}|(121 ){4}|(050521 ){3}/;

export async function openWalledWorld(): Promise<WalledWorld> {
  const top = realpathSync(mkdtempSync(join(placeOutsideTmp(), "walled-lines-")));
  const [cwd, home] = [join(top, "outer/work"), join(top, "home")];
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => socket.destroy()).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  let sandbox: CommandSandbox | undefined;
  let before = new Map<string, string>();

  const reset = async () => {
    await sandbox?.close();
    for (const name of ["outer", "home"]) rmSync(join(top, name), { recursive: true, force: true });
    buildFolder(cwd, home, canary);
    writeFileSync(join(cwd, "../outside.txt"), "outside\n");
    for (const name of ["denied", ".github/workflows", ".git/hooks"]) mkdirSync(join(cwd, name), { recursive: true });
    writeFileSync(join(cwd, "denied/x.txt"), canary);
    writeFileSync(join(cwd, ".github/workflows/ci.yml"), "ci\n");
    writeFileSync(join(cwd, "AGENTS.md"), "good\n");
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh/id_rsa"), canary);
    rmSync(join(home, "secret"));
    sandbox = createCommandSandbox({
      settings: { mode: "required", writable: ["build"] },
      roots: [cwd],
      bases: [cwd],
      userHome: home,
      stateRoot: join(home, ".troupe"),
      rules: () => parseRules({ deny }),
      trusted: true,
      env: { PATH: process.env["PATH"] ?? "" },
      readable: () => [],
    });
    before = stateOf(top);
  };
  await reset();

  const run = async (lines: readonly string[], place: CommandPlace) => {
    if (sandbox === undefined) throw new Error("the sandbox is off");
    // Many lines wait for something, so several run at once.
    const script = lines
      .map((line, at) => `timeout -k 1 3 bash --noprofile --norc -c ${quoted(line)} &${at % 10 === 9 ? " wait" : ""}`)
      .concat("wait")
      .join("\n");
    const env = shellEnvironment({ PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8", MY_SECRET: canary });
    const request = { command: "/bin/bash", args: ["--noprofile", "--norc", "-c", script], cwd, env };
    const placed = await placeInSandbox(request, { sandbox, place });
    if (placed.kind !== "sandbox") throw new Error("it did not run in the sandbox");
    let output = "";
    await runProcess({
      ...placed.request,
      timeoutMs: 8_000 * lines.length + 20_000,
      onOutput: (chunk) => {
        if (output.length < 64 << 20) output += chunk.toString("latin1");
      },
    });
    await placed.release();
    return output;
  };

  const faultOf = async (lines: readonly string[], place: CommandPlace) => {
    const reached = connections;
    const output = await run(lines, place);
    const after = stateOf(top);
    const isInside = (path: string) => path.startsWith(`${cwd}/`) && !guarded.test(path.slice(cwd.length + 1));
    const changed = [...new Set([...before.keys(), ...after.keys()])]
      .filter((path) => before.get(path) !== after.get(path))
      .filter((path) => place.walls === "look" || !isInside(path))
      .filter(
        (path) => !(place.git && /^\.git\/(?!(config|hooks|info|commondir)(\/|$))/.test(path.slice(cwd.length + 1))),
      );
    if (changed.length > 0) return `it changed ${changed.slice(0, 3).join(", ")}`;
    const shown = leak.exec(output);
    if (shown) return `it showed a file that must not be read: ${output.slice(shown.index - 40, shown.index + 40)}`;
    return connections > reached ? "it reached this machine" : undefined;
  };

  return {
    cwd,
    home,
    port,
    async faults(lines, place) {
      const fault = await faultOf(lines, place);
      await reset();
      if (fault === undefined) return [];
      const found: { line: string; fault: string }[] = [];
      for (const line of lines) {
        const own = await faultOf([line], place);
        await reset();
        if (own !== undefined) found.push({ line, fault: own });
      }
      return found.length > 0 ? found : [{ line: lines.join("\n"), fault: `together: ${fault}` }];
    },
    async close() {
      server.close();
      await sandbox?.close();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** Paths in the working folder that no command may change. */
const guarded = /^(\.git|\.claude|\.troupe|\.vscode|\.husky|\.mcp\.json|\.github\/workflows|AGENTS\.md|denied)(\/|$)/;

const quoted = (line: string) => `'${line.replaceAll("'", `'\\''`)}' < /dev/null 2>&1 | head -c 1000000`;

/** Links are not followed. A folder has no time: placeholders come and go in it. */
function stateOf(folder: string, found = new Map<string, string>()): Map<string, string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (stats.isDirectory()) stateOf(path, found);
    const content = stats.isSymbolicLink() ? readlinkSync(path) : `${stats.size} ${stats.mtimeMs} ${stats.mode}`;
    found.set(path, stats.isDirectory() ? `folder ${stats.mode}` : content);
  }
  return found;
}
