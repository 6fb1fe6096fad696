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
  /** True if the agent could read the file now without asking. */
  readonly canRead: (path: string) => Promise<boolean>;
}

/**
 * Expands a prompt that starts with a slash command. Only a name at the very start, followed by a space or nothing, is
 * a command. `/usr/bin/x is broken` is a plain prompt, and so is `/tmp is full`, because that path exists. An unknown
 * name is refused instead of sent to the model.
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
      message: `/${name} is ambiguous. Use ${found.map((each) => `/${each.name}`).join(" or ")}.`,
    };
  }
  const loaded = await found.load(args);
  if ("problem" in loaded) return { kind: "refused", message: `cannot use /${name}: ${loaded.problem}` };
  const opening = `/${found.name}${args === "" ? "" : ` ${args}`}`;
  if ("parts" in loaded) {
    return { kind: "expanded", command: found, parts: [text(opening), ...loaded.parts, ...others] };
  }
  const body = fillArguments(withRunLines(loaded.text), args).trim();
  const runText = text(`${opening}\n\n<command name=${JSON.stringify(found.name)}>\n${body}\n</command>`);
  const files = await attachedFiles(fillAll(loaded.text, args, ports), ports);
  return { kind: "expanded", command: found, parts: [runText, ...files, ...others] };
}

/** Finds a command by its full name, or by its last part if that is unique. */
function findCommand(name: string, commands: readonly SlashCommand[]): SlashCommand | SlashCommand[] | undefined {
  const exact = commands.find((command) => command.name === name);
  if (exact) return exact;
  const ending = commands.filter((command) => command.name.endsWith(`:${name}`));
  return ending.length > 1 ? ending : ending[0];
}

function refuse(name: string, commands: readonly SlashCommand[]): Expansion {
  const names = [...commands, ...builtInCommands].map((command) => command.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? "Use /help to list all commands." : `Did you mean /${near}?`;
  return {
    kind: "refused",
    message: `there is no command /${name}. ${hint} To send it as a prompt, start with a space.`,
  };
}

function helpText(commands: readonly SlashCommand[]): string {
  const line = ({ name, argumentHint, description }: Pick<SlashCommand, "name" | "argumentHint" | "description">) =>
    `/${name}${argumentHint ? ` ${argumentHint}` : ""}  ${description.slice(0, 160)}`;
  return [...builtInCommands, ...commands].map(line).join("\n");
}

/**
 * Other programs run these lines while they read a command. Here the model gets an instruction instead, so its call
 * passes the usual permission checks.
 */
const withRunLines = (body: string): string =>
  body.replace(/(^|\s)!`([^`\n]+)`/g, (_, before: string, command: string) => {
    return `${before}[the output of \`${command}\`: run it before you continue]`;
  });

const fillAll = (body: string, args: string, { cwd, userHome }: ExpandPorts): string[] =>
  findImports(body, { folder: cwd, userHome }).imports.map(({ written }) => fillPlaceholders(written, args).trim());

/** Returns the files that a plain prompt names with `@`, as parts for the model. */
export async function filesNamedIn(
  parts: readonly ContentPart[],
  ports: Omit<ExpandPorts, "commands">,
): Promise<readonly ContentPart[]> {
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (!words.includes("@")) return [];
  const { imports } = findImports(words, { folder: ports.cwd, userHome: ports.userHome });
  return attachedFiles(
    imports.map(({ written }) => written),
    ports,
  );
}

const filesLimit = 20;

/** Attaches files that a prompt or a command names with `@`, if the agent could read them anyway. Other names stay as text. */
async function attachedFiles(
  names: readonly string[],
  { cwd, canRead }: Pick<ExpandPorts, "cwd" | "canRead">,
): Promise<ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const name of new Set(names)) {
    // Check and read the same real file.
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
