import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { nearestName, redactSecrets } from "../../platform/index.ts";
import type { ContentPart } from "../../protocol/index.ts";
import { findImports } from "../instructions/instruction-imports.ts";
import { fillArguments, fillPlaceholders } from "./fill-arguments.ts";
import { realPathOf } from "./command-folders.ts";
import { readInstructionText } from "../instructions/read-instruction-text.ts";
import { builtInCommands, type SlashCommand } from "./slash-commands.ts";

export type Expansion =
  | { readonly kind: "plain" }
  | { readonly kind: "compact"; readonly instructions: string | undefined }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "expanded"; readonly command: SlashCommand; readonly parts: readonly ContentPart[] };

export interface ExpandPorts {
  readonly commands: readonly SlashCommand[];
  readonly cwd: string;
  readonly userHome: string;
  /** Whether the agent itself could read the file now without asking. */
  readonly canRead: (path: string) => Promise<boolean>;
}

/**
 * What a prompt means that begins with `/`. Only a name right at its beginning, with a space or nothing after it, is a
 * command; `/usr/bin/x is broken` is a prompt, and so is `/tmp is full`, since there is such a path. A name that nobody
 * knows is refused rather than sent to a model that knows it even less.
 */
export async function expandPrompt(parts: readonly ContentPart[], ports: ExpandPorts): Promise<Expansion> {
  const [first, ...others] = parts;
  const called = first?.type === "text" ? /^\/([A-Za-z0-9][\w.:-]*)(?:\s+([\s\S]*))?$/.exec(first.text) : null;
  if (!called) return { kind: "plain" };
  const [, name = "", rest = ""] = called;
  const args = rest.trim();
  if (name === "compact") return { kind: "compact", instructions: args === "" ? undefined : args };
  if (name === "help") return { kind: "help", text: helpText(ports.commands) };

  const found = findCommand(name, ports.commands);
  if (!found) return existsSync(`/${name}`) ? { kind: "plain" } : refuse(name, ports.commands);
  if (Array.isArray(found)) {
    return {
      kind: "refused",
      message: `/${name} could be ${found.map((each) => `/${each.name}`).join(" or ")}: say which`,
    };
  }
  const loaded = await found.load(args);
  if ("problem" in loaded) return { kind: "refused", message: `/${name} cannot be used: ${loaded.problem}` };
  const opening = `/${found.name}${args === "" ? "" : ` ${args}`}`;
  if ("parts" in loaded) {
    return { kind: "expanded", command: found, parts: [text(opening), ...loaded.parts, ...others] };
  }
  const body = fillArguments(withRunLines(loaded.text), args).trim();
  const runText = text(`${opening}\n\n<command name=${JSON.stringify(found.name)}>\n${body}\n</command>`);
  const files = await attachedFiles(fillAll(loaded.text, args, ports), ports);
  return { kind: "expanded", command: found, parts: [runText, ...files, ...others] };
}

/** By its whole name, or by the last part of it where that is the only one. */
function findCommand(name: string, commands: readonly SlashCommand[]): SlashCommand | SlashCommand[] | undefined {
  const exact = commands.find((command) => command.name === name);
  if (exact) return exact;
  const ending = commands.filter((command) => command.name.endsWith(`:${name}`));
  return ending.length > 1 ? ending : ending[0];
}

function refuse(name: string, commands: readonly SlashCommand[]): Expansion {
  const names = [...commands, ...builtInCommands].map((command) => command.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? "/help lists what there is." : `did you mean /${near}?`;
  return { kind: "refused", message: `there is no command /${name}; ${hint} To say it as it is, begin with a space.` };
}

function helpText(commands: readonly SlashCommand[]): string {
  const line = ({ name, argumentHint, description }: Pick<SlashCommand, "name" | "argumentHint" | "description">) =>
    `/${name}${argumentHint ? ` ${argumentHint}` : ""}  ${description.slice(0, 160)}`;
  return [...builtInCommands, ...commands].map(line).join("\n");
}

/**
 * Lines that other agents would run by themselves while they read a command, here become something for the model to do:
 * its own call, with all that stands between a call and the machine.
 */
const withRunLines = (body: string): string =>
  body.replace(/(^|\s)!`([^`\n]+)`/g, (_, before: string, command: string) => {
    return `${before}[the output of \`${command}\`: run it with Bash before you go on]`;
  });

const fillAll = (body: string, args: string, { cwd, userHome }: ExpandPorts): string[] =>
  findImports(body, { folder: cwd, userHome }).imports.map(({ written }) => fillPlaceholders(written, args).trim());

const filesLimit = 20;

/** Files that a command names with `@`, where the agent could read them anyway. The others stay names. */
async function attachedFiles(names: readonly string[], { cwd, canRead }: ExpandPorts): Promise<ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const name of new Set(names)) {
    // What is judged and what is read is the file that the name leads to now.
    const path = realPathOf(resolve(cwd, name));
    if (name === "" || path === undefined || parts.length >= filesLimit || !(await canRead(path))) continue;
    const { text: content } = readInstructionText(path);
    if (content !== undefined) {
      parts.push(text(`<file path=${JSON.stringify(name)}>\n${redactSecrets(content).trimEnd()}\n</file>`));
    }
  }
  return parts;
}

const text = (runText: string): ContentPart => ({ type: "text", text: runText });
