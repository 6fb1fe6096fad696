import type { PermissionDecision } from "../../protocol/index.ts";
import type { PermissionSubject } from "../define-tool.ts";
import type { CommandWalls } from "../permissions/command-place.ts";
import type { CommandSandbox } from "./command-sandbox.ts";

/**
 * Returns the walls that a command can have, for the policy, or a refusal if the sandbox is required and cannot be used.
 * Without walls the sandbox is off.
 */
export async function judgeSandbox(
  subject: PermissionSubject,
  sandbox: CommandSandbox | undefined,
): Promise<{ readonly walls?: CommandWalls; readonly refusal?: PermissionDecision }> {
  if (subject.kind !== "command" || sandbox === undefined) return {};
  const { required, outside } = sandbox;
  const problem = await sandbox.problem();
  const why = subject.outsideSandbox ? "the call asks to run outside the sandbox" : problem;
  if (required && why !== undefined) {
    const reason = `commands must run in the sandbox here, and ${why}`;
    return { refusal: { behavior: "deny", rule: "sandbox required", reason } };
  }
  return { walls: { isReady: problem === undefined, required, outside } };
}

/**
 * The sandbox for commands. `off`: the user turned it off. `missing`: it does not work here, so only a few fixed commands
 * run without a question. `blocked`: it is required and does not work, so no command runs.
 */
export type SandboxState = "ready" | "off" | "missing" | "blocked";

export async function sandboxState(sandbox: CommandSandbox | undefined): Promise<SandboxState> {
  if (sandbox === undefined) return "off";
  if ((await sandbox.problem()) === undefined) return "ready";
  return sandbox.required ? "blocked" : "missing";
}
