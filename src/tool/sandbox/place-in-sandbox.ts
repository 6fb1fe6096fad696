import type { ProcessRequest } from "../../platform/index.ts";
import type { CommandSandbox } from "./command-sandbox.ts";

export type PlacedCommand =
  | { readonly kind: "sandbox" | "open"; readonly request: ProcessRequest; release(): Promise<void> }
  | { readonly kind: "refused"; readonly message: string };

/** Puts a command where it is to run. It was judged before; this is the last word all the same. */
export async function placeInSandbox(
  request: ProcessRequest,
  { sandbox, outside }: { sandbox: CommandSandbox | undefined; outside: boolean },
): Promise<PlacedCommand> {
  const open = { kind: "open", request, release: () => Promise.resolve() } as const;
  if (sandbox === undefined) return open;
  const problem = outside ? "this call asked to run outside of it" : await sandbox.problem();
  if (problem === undefined) return { kind: "sandbox", ...(await sandbox.enter(request)) };
  if (!sandbox.required) return open;
  return { kind: "refused", message: `Not run: commands run in the sandbox here or not at all, and ${problem}.` };
}

/** For a command that failed in the sandbox and looks as if that was why. */
export function sandboxNote(output: string, { hosts, asks, required, writable }: CommandSandbox): string | undefined {
  if (!refusals.test(output)) return undefined;
  const others = asks ? ", and through the proxy of HTTP_PROXY what your lead allows when it is reached for" : "";
  const listed = hosts.length === 0 ? "there is no network" : `of the network only ${hosts.join(", ")} can be reached`;
  const network = `${listed}${others}`;
  const folders = `only ${[...writable, "/tmp"].join(", ")} can be written, without .git and the settings of agents and editors`;
  const way = required
    ? "There is no way round this: say what you would need."
    : "If the task needs more than that, call Bash again with outside_sandbox set to true: the user is asked.";
  return `This ran in a sandbox: ${folders}; ${network}. ${way}`;
}

const refusals =
  /read-only file system|operation not permitted|permission denied|device or resource busy|network is unreachable|could not resolve|name resolution|name or service not known|tunnel failed|sandbox|\b(EROFS|EPERM|EACCES|EBUSY|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b|connection refused|unable to create '.*\.lock'/i;
