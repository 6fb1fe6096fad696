import { nearestName, realPathSync } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { builtinTools } from "../builtin/builtin-tools.ts";
import type { PermissionSubject, Tool } from "../define-tool.ts";
import { resolvePath } from "../files/resolve-path.ts";

/** Parses a call as people write it, `Tool(specifier)`, for a permission decision. */
export function parseCallSyntax(
  what: { readonly command: string } | { readonly call: string },
  { cwd, home }: { cwd: string; home: string },
): { tool: Pick<Tool, "name" | "access">; subject: PermissionSubject } {
  if ("command" in what)
    return { tool: { name: "Bash", access: "run" }, subject: { kind: "command", command: what.command } };
  const found = /^([A-Za-z][\w-]*)(?:\((.*)\))?$/s.exec(what.call.trim());
  const [, name, value] = found ?? [];
  if (name === undefined) {
    throw new TroupeError(
      "usage",
      `${JSON.stringify(what.call)} is not a call: write a tool and a specifier, such as 'Bash(git push)'`,
    );
  }
  const access = accessOf(name);
  return { tool: { name, access }, subject: subjectOf(name, value, { cwd, home }) };
}

function accessOf(name: string): Tool["access"] {
  const known = builtinTools();
  const tool = known.find((each) => each.name === name);
  if (tool) return tool.access;
  if (name.startsWith("mcp__") || name === "Agent") return "run";
  const nearest = nearestName(name, [...known.map((each) => each.name), "Agent"]);
  throw new TroupeError(
    "usage",
    `there is no tool ${name}${nearest === undefined ? "" : `: did you mean ${nearest}?`}`,
  );
}

function subjectOf(
  name: string,
  value: string | undefined,
  { cwd, home }: { cwd: string; home: string },
): PermissionSubject {
  if (name === "Bash") return { kind: "command", command: requireValue(name, value, "a command line") };
  if (/^(Read|Write|Edit|Glob|Grep)$/.test(name)) {
    const path = realPathSync(resolvePath(value ?? ".", { cwd, env: { HOME: home } }));
    return { kind: "path", path, change: name === "Write" || name === "Edit" };
  }
  if (name === "WebFetch") return { kind: "url", url: addressOf(requireValue(name, value, "an address")) };
  if (name.startsWith("mcp__") || value === undefined) return { kind: "none" };
  return { kind: "name", name: value };
}

function requireValue(name: string, value: string | undefined, what: string): string {
  if (value !== undefined && value.trim() !== "") return value;
  throw new TroupeError("usage", `${name} needs ${what} in brackets: ${name}(…)`);
}

function addressOf(value: string): string {
  const address = value.replace(/^domain:/, "https://");
  if (URL.canParse(address)) return new URL(address).href;
  throw new TroupeError("usage", `${JSON.stringify(value)} is not an address: start it with https://`);
}
