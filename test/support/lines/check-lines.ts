import { createRandom } from "../../../simulation/random.ts";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { authorize, parseRules, realDisk } from "../../../src/tool/index.ts";
import { generateLine } from "./generate-line.ts";
import { openLineWorld, type Damage, type LineWorld } from "./line-world.ts";

interface LinePolicy {
  readonly name: string;
  readonly mode: PermissionMode;
  readonly rules: Parameters<typeof parseRules>[0];
  /** Returns what an allowed line did that the policy forbids. */
  readonly fault: (damage: Damage) => string | undefined;
  /** True if allowed lines may change files: each runs in a fresh folder. */
  readonly writes: boolean;
}

const looks = ({ changed, leaked }: Damage) =>
  changed.length > 0
    ? `it changed ${changed.slice(0, 3).join(", ")}`
    : leaked
      ? "it showed a file that must not be read"
      : undefined;
const rules = "ls,cat,head,tail,wc,grep,rg,find,sort,uniq,diff,git log,git show,git diff,xargs,timeout"
  .split(",")
  .map((words) => `Bash(${words}:*)`);

/** The policies that each line is judged by. */
export const linePolicies: readonly LinePolicy[] = [
  { name: "no rules", mode: "default", rules: {}, fault: looks, writes: false },
  { name: "plan", mode: "plan", rules: {}, fault: looks, writes: false },
  {
    name: "rules",
    mode: "default",
    rules: { allow: rules, deny: ["Bash(rm:*)", "Read(.env)"] },
    fault: ({ changed }) => (changed.length > 0 ? `it changed ${changed[0]}` : undefined),
    writes: false,
  },
  {
    name: "all but rm",
    mode: "default",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)"] },
    fault: ({ removed }) => (removed ? "it ran rm" : undefined),
    writes: true,
  },
];

export interface LineReport {
  readonly judged: number;
  /** The number of lines that ran, by policy. */
  readonly ran: Readonly<Record<string, number>>;
  /** Ordinary lines that asked. */
  readonly asked: readonly string[];
  readonly ordinary: number;
  readonly wrong: readonly { readonly policy: string; readonly line: string; readonly fault: string }[];
}

export interface LineRun {
  readonly seed: number;
  readonly lines: number;
  /** Maximum number of lines that run for real, for each policy. */
  readonly most: number;
}

const batchSize = 25;

/** Judges generated lines by every policy, runs the allowed ones, and reports what they should not have done. */
export function checkLines({ seed, lines, most }: LineRun): LineReport {
  const world = openLineWorld();
  const random = createRandom(seed);
  const asked: string[] = [];
  const wrong: { policy: string; line: string; fault: string }[] = [];
  const waiting = new Map<LinePolicy, Set<string>>(linePolicies.map((policy) => [policy, new Set()]));
  const ran = new Map<LinePolicy, Set<string>>(linePolicies.map((policy) => [policy, new Set()]));
  let ordinary = 0;
  const flush = (policy: LinePolicy) => {
    const batch = [...(waiting.get(policy) ?? [])];
    waiting.get(policy)?.clear();
    wrong.push(...faultsOf(batch, policy, world).map((each) => ({ policy: policy.name, ...each })));
  };
  try {
    for (let count = 0; count < lines; count++) {
      const { kind, line } = generateLine(random);
      for (const policy of linePolicies) {
        const text = policy.writes
          ? line.replaceAll(/\/bin\/touch MARK|touch MARK/g, "rm a.txt").replaceAll("echo touch", "echo rm")
          : line;
        const isAllowed = judgeLine(text, policy, world) === "allow";
        if (kind === "ordinary" && policy.name === "no rules" && text === line) ordinary += 1;
        if (kind === "ordinary" && policy.name === "no rules" && !isAllowed) asked.push(line);
        const done = ran.get(policy);
        if (!isAllowed || !done || done.has(text) || done.size >= most) continue;
        done.add(text);
        waiting.get(policy)?.add(text);
        if ((waiting.get(policy)?.size ?? 0) >= batchSize) flush(policy);
      }
    }
    for (const policy of linePolicies) flush(policy);
  } finally {
    world.remove();
  }
  const counts = Object.fromEntries([...ran].map(([{ name }, { size }]) => [name, size]));
  return { judged: lines, ran: counts, asked, ordinary, wrong };
}

const parsed = new Map(linePolicies.map((policy) => [policy, parseRules(policy.rules)]));

function judgeLine(command: string, policy: LinePolicy, world: LineWorld) {
  return authorize({
    tool: { name: "Bash", access: "run" },
    subject: { kind: "command", command },
    title: command,
    mode: policy.mode,
    rules: parsed.get(policy) ?? parseRules({}),
    roots: [world.cwd],
    cwd: world.cwd,
    home: world.home,
    disk: realDisk,
  }).behavior;
}

/** Runs many lines at once, and one by one only if something happened. */
function faultsOf(lines: readonly string[], policy: LinePolicy, world: LineWorld): { line: string; fault: string }[] {
  if (lines.length === 0) return [];
  const fault = policy.fault(world.run(lines));
  if (policy.writes || fault !== undefined) world.reset();
  if (fault === undefined) return [];
  return lines.flatMap((line) => {
    const found = policy.fault(world.run([line]));
    if (found !== undefined || policy.writes) world.reset();
    return found === undefined ? [] : [{ line, fault: found }];
  });
}
