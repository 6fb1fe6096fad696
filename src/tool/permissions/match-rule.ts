import { join, resolve } from "node:path";
import type { PermissionSubject } from "../define-tool.ts";
import { globPattern, staticPrefix } from "./glob-pattern.ts";
import { realDisk } from "./disk.ts";
import type { Rule } from "./permission-rules.ts";
import { editingTools } from "../tool-names.ts";

export interface RuleTarget {
  readonly tool: string;
  /** Paths in it are real and absolute. Commands are not matched here. */
  readonly subject: PermissionSubject;
  /** The session's start folder: paths in rules are relative to it, even after the agent changes its directory. */
  readonly base: string;
  readonly home?: string | undefined;
  readonly realPath?: ((path: string) => string) | undefined;
  /** For deny rules: ignores letter case, and matches both a folder and its contents. */
  readonly wide: boolean;
}

export function matchesRule(rule: Rule, target: RuleTarget): boolean {
  if (!namesTool(rule.tool, target.tool)) return false;
  const { specifier } = rule;
  if (specifier === undefined) return true;
  const { subject } = target;
  switch (subject.kind) {
    case "none":
    case "own":
    case "mcp":
    case "command":
      return false;
    case "name":
      return specifier.trim() === subject.name;
    case "path":
      return pathTest(rule, target)(subject.path);
    case "url":
      return matchesUrl(specifier.trim(), subject.url);
  }
}

const reading = new Set(["Read", "Glob", "Grep", "LS", "NotebookRead"]);

/**
 * `Edit` matches every tool that changes files, `Read` every tool that reads them, `mcp__server` all tools of that
 * server.
 */
const namesTool = (rule: string, tool: string) =>
  rule === "*" ||
  rule === tool ||
  (rule === "Edit" && editingTools.has(tool)) ||
  (rule === "Read" && reading.has(tool)) ||
  (rule.startsWith("mcp__") && tool.startsWith(`${rule.replace(/__\*$/, "")}__`));

/**
 * `//x` is absolute, `~/x` is in the user's home, `/x` in the folder of the settings file. `./x` and `x/y` are relative
 * to the session's start folder; a name without a slash matches at any depth there. A folder name matches everything in
 * the folder.
 */
export function pathTest(rule: Rule, target: Omit<RuleTarget, "tool" | "subject">): (path: string) => boolean {
  const pattern = absolutePattern(rule, rule.specifier?.trim() ?? "", target);
  if (pattern === undefined) return () => false;
  const { folder, rest } = staticPrefix(pattern);
  const real = target.realPath && folder !== "" ? join(target.realPath(folder), rest) : pattern;
  const tests = [...new Set([pattern, real])].flatMap((each) => {
    const test = globPattern(each.replace(/(.)\/+$/, "$1"));
    return test ? [target.wide ? new RegExp(test.source, "siu") : test] : [];
  });
  return (path) =>
    tests.some((test) => prefixesOf(path).some((each) => test.test(each)) || (target.wide && test.test(`${path}/`)));
}

/** True if a rule denies reading this file (real and absolute). */
export const deniesReading = (
  path: string,
  { rules, bases, home }: { rules: readonly Rule[]; bases: readonly string[]; home: string | undefined },
): boolean =>
  rules.some(
    (rule) =>
      rule.tool === "Read" &&
      rule.specifier !== undefined &&
      bases.some((base) => pathTest(rule, { base, home, realPath: realDisk.realPath, wide: true })(path)),
  );

/** Returns the absolute pattern that a path rule stands for, or undefined if it depends on an unknown home. */
export function absolutePattern(
  rule: Rule,
  specifier: string,
  { base, home, wide }: Omit<RuleTarget, "tool" | "subject">,
): string | undefined {
  if (specifier.startsWith("//")) return resolve("/", specifier.slice(2));
  if (specifier === "~" || specifier.startsWith("~/"))
    return home === undefined ? undefined : join(home, specifier.slice(1));
  if (specifier.startsWith("/")) return join(rule.folder ?? base, specifier);
  if (/^[^/]+\/?$/.test(specifier) && !/^\.\.?\/?$/.test(specifier)) return join(wide ? "/" : base, "**", specifier);
  return resolve(base, specifier);
}

/** Returns the path and all its parent folders. */
function prefixesOf(path: string): string[] {
  const all = [path];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) all.push(path.slice(0, at));
  return all;
}

/** Matches the exact address, or `domain:host` by whole labels; `*.host` matches the hosts below it. */
function matchesUrl(specifier: string, address: string): boolean {
  const domain = /^domain:(.+)$/.exec(specifier)?.[1];
  if (domain === undefined) return specifier === address;
  const host = plainHost(new URL(address).hostname);
  const below = domain.startsWith("*.");
  const wanted = canonicalHost(below ? domain.slice(2) : domain);
  return wanted !== undefined && (below ? host.endsWith(`.${wanted}`) : host === wanted);
}

const canonicalHost = (host: string) =>
  URL.canParse(`http://${host}/`) ? plainHost(new URL(`http://${host}/`).hostname) : undefined;

const plainHost = (host: string) => host.toLowerCase().replace(/\.$/, "");

/** Returns the folders that relative rules start from: the session's start folder, and the agent's worktree. */
export const basesOf = (place: {
  readonly bases?: readonly string[] | undefined;
  readonly roots: readonly string[];
  readonly cwd: string;
}): readonly string[] => place.bases ?? [place.roots[0] ?? place.cwd];
