import type { ProcessRequest } from "../../platform/index.ts";
import type { CommandSandbox } from "./command-sandbox.ts";

export type PlacedCommand =
  | { readonly kind: "sandbox" | "open"; readonly request: ProcessRequest; release(): Promise<void> }
  | { readonly kind: "refused"; readonly message: string };

/** Decides where a command runs. The policy has checked it already; this check is the final one. */
export async function placeInSandbox(
  request: ProcessRequest,
  { sandbox, outside }: { sandbox: CommandSandbox | undefined; outside: boolean },
): Promise<PlacedCommand> {
  const open = { kind: "open", request, release: () => Promise.resolve() } as const;
  if (sandbox === undefined) return open;
  const problem = outside ? "this call asks to run outside it" : await sandbox.problem();
  if (problem === undefined) return { kind: "sandbox", ...(await sandbox.enter(request)) };
  if (!sandbox.required) return open;
  return { kind: "refused", message: `Not run: commands must run in the sandbox here, and ${problem}.` };
}

/** Returns a note for a command that failed in the sandbox, if its output suggests that the sandbox is the cause. */
export function sandboxNote(output: string, { hosts, asks, required, writable }: CommandSandbox): string | undefined {
  if (!refusals.test(output)) return undefined;
  const others = asks ? ", and other hosts through the proxy in HTTP_PROXY if your lead allows them" : "";
  const listed = hosts.length === 0 ? "there is no network" : `only these hosts can be reached: ${hosts.join(", ")}`;
  const network = `${listed}${others}`;
  const folders = `only ${[...writable, "/tmp"].join(", ")} can be written, except .git and the settings of agents and editors`;
  const way = required
    ? "This cannot be bypassed: report what you need."
    : "If the task needs more access, call Bash again with outside_sandbox set to true: the user will be asked.";
  return `This ran in a sandbox: ${folders}; ${network}. ${way}`;
}

const refusals =
  /read-only file system|operation not permitted|permission denied|device or resource busy|network is unreachable|could not resolve|name resolution|name or service not known|tunnel failed|sandbox|\b(EROFS|EPERM|EACCES|EBUSY|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b|connection refused|unable to create '.*\.lock'/i;
