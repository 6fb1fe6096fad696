import type { ProcessRequest } from "../../platform/index.ts";
import type { CommandPlace } from "../../protocol/index.ts";
import { gitPins } from "../shell-environment.ts";
import type { CommandSandbox } from "./command-sandbox.ts";

export type PlacedCommand =
  | {
      readonly kind: "sandbox";
      readonly request: ProcessRequest;
      readonly hidden: readonly string[];
      release(): Promise<void>;
    }
  | { readonly kind: "open"; readonly request: ProcessRequest; release(): Promise<void> }
  | { readonly kind: "refused"; readonly message: string };

/** Decides where a command runs. The policy has checked it already; this check is the final one. */
export async function placeInSandbox(
  given: ProcessRequest,
  { sandbox, place }: { sandbox: CommandSandbox | undefined; place: CommandPlace },
): Promise<PlacedCommand> {
  const isInside = sandbox !== undefined && place.walls !== "open";
  const hookless = place.hookless || place.walls === "look" || (isInside && !sandbox.trusted);
  const request = hookless ? { ...given, env: gitPins(given.env) } : given;
  const open = { kind: "open", request, release: () => Promise.resolve() } as const;
  if (sandbox === undefined) return open;
  const problem = place.walls === "open" ? "this call asks to run outside it" : await sandbox.problem();
  if (problem === undefined) return { kind: "sandbox", ...(await sandbox.enter(request, place)) };
  if (!sandbox.required) return open;
  return { kind: "refused", message: `Not run: commands must run in the sandbox here, and ${problem}.` };
}

export interface RanInSandbox {
  readonly output: string;
  readonly place: CommandPlace;
  readonly hidden: readonly string[];
}

/** Returns a note for a command that failed in the sandbox, if its output suggests that the sandbox is the cause. */
export function sandboxNote(
  { output, place, hidden }: RanInSandbox,
  {
    hosts,
    asks,
    attended,
    required,
    writable,
  }: Pick<CommandSandbox, "hosts" | "asks" | "attended" | "required" | "writable">,
): string | undefined {
  if (!refusals.test(output)) return undefined;
  const through = "through the proxy in HTTP_PROXY if your lead allows";
  const listed =
    hosts.length === 0
      ? asks
        ? `hosts can be reached only ${through} it`
        : "there is no network"
      : `only these hosts can be reached: ${hosts.join(", ")}${asks ? `, and others ${through} them` : ""}`;
  const network = place.network ? "the network can be used" : place.walls === "look" ? "there is no network" : listed;
  const folders =
    place.walls === "look"
      ? "only /tmp can be written"
      : `only ${[...writable, "/tmp"].join(", ")} can be written, except .git and the settings of agents and editors`;
  const named = hidden.filter((path) => output.includes(path.slice(path.lastIndexOf("/") + 1)));
  const secret = named.length === 0 ? "" : `; ${named.slice(0, 5).join(", ")} cannot be read: it may hold secrets`;
  const way = required
    ? "This cannot be bypassed: report what you need."
    : !attended
      ? "No user is available to let it run outside: work without it, and say in your answer what you could not do."
      : "If the task needs more access, call Bash again with outside_sandbox set to true: the user will be asked.";
  return `This ran in a sandbox: ${folders}; ${network}${secret}. ${way}`;
}

const refusals =
  /read-only file system|operation not permitted|permission denied|device or resource busy|network is unreachable|could not resolve|name resolution|name or service not known|tunnel failed|sandbox|\b(EROFS|EPERM|EACCES|EBUSY|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b|connection refused|unable to create '.*\.lock'/i;
