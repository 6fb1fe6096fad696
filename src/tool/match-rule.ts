import { resolve } from "node:path";
import type { PermissionSubject } from "./define-tool.ts";
import { globPattern } from "./glob-pattern.ts";
import type { Rule } from "./rules.ts";

export interface Judged {
  readonly tool: string;
  /** Paths in it are real and absolute. */
  readonly subject: PermissionSubject;
  readonly cwd: string;
}

/**
 * Whether a rule speaks of a call. A command is matched exactly and nothing else; a path by a file pattern, which is
 * relative to the working directory unless it is absolute; an address exactly or by `domain:host`.
 */
export function matchesRule(rule: Rule, judged: Judged): boolean {
  if (!namesTool(rule.tool, judged.tool)) return false;
  const { specifier } = rule;
  if (specifier === undefined) return true;
  const { subject } = judged;
  switch (subject.kind) {
    case "none":
    case "own":
    case "mcp":
      return false;
    case "name":
      return subject.name === specifier.trim();
    case "command":
      return subject.command.trim() === specifier.trim();
    case "path":
      return globPattern(resolve(judged.cwd, specifier))?.test(subject.path) ?? false;
    case "url":
      return matchesUrl(specifier, subject.url);
  }
}

/** `Edit` speaks of every tool that changes files, as people expect of it; `mcp__server` of all its tools. */
const namesTool = (rule: string, tool: string) =>
  rule === "*" ||
  rule === tool ||
  (rule === "Edit" && tool === "Write") ||
  (rule.startsWith("mcp__") && tool.startsWith(`${rule}__`));

function matchesUrl(specifier: string, address: string): boolean {
  const url = new URL(address);
  const domain = /^domain:(.+)$/.exec(specifier)?.[1]?.toLowerCase();
  return domain === undefined ? specifier === address : url.hostname === domain;
}
