import type { PermissionDecision, PermissionMode } from "../../../src/protocol/index.ts";
import { authorize, parseRules } from "../../../src/tool/index.ts";
import type { Disk } from "../../../src/tool/permissions/disk.ts";

export interface JudgeOptions {
  readonly rules?: Parameters<typeof parseRules>[0];
  readonly mode?: PermissionMode;
  readonly cwd?: string;
  readonly roots?: readonly string[];
  readonly disk?: Disk;
  /** True if commands run behind walls. */
  readonly isWalled?: boolean;
}

/** The policy's decision on a command line in /work, for a user whose home is /home/me. */
export function judge(command: string, options: JudgeOptions = {}): PermissionDecision {
  const { rules = {}, mode = "default", cwd = "/work", roots = ["/work"], disk, isWalled = false } = options;
  return authorize({
    tool: { name: "Bash", access: "run" },
    subject: { kind: "command", command },
    title: `$ ${command}`,
    mode,
    rules: parsed(rules),
    roots,
    cwd,
    home: "/home/me",
    disk,
    ...(isWalled && { walls: { isReady: true, required: false, outside: [] } }),
  });
}

const sets = new WeakMap<object, ReturnType<typeof parseRules>>();

/** Parses the same rules only once. */
function parsed(rules: Parameters<typeof parseRules>[0]) {
  const set = sets.get(rules) ?? parseRules(rules);
  sets.set(rules, set);
  return set;
}
