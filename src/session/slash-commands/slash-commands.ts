import { relative } from "node:path";
import { markdownProblemLine, parseMarkdown } from "../../platform/index.ts";
import { type ContentPart, oneLine } from "../../protocol/index.ts";
import { visibleLine } from "../../view/index.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import { listFolder } from "../files/list-folder.ts";
import { type CommandFolder, findCommandFolders, readOwnedText } from "./command-folders.ts";
import { firstParagraph, loadSkill, type Skill, slashName } from "./skills.ts";
import { CommandFrontmatter, toolList } from "./command-frontmatter.ts";

/** A command that a user runs with `/name`: an instruction file, a skill or a prompt of an MCP server. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string | undefined;
  /** The source, for users. */
  readonly source: string;
  /** A project's command grants nothing until the folder is trusted. */
  readonly owner: CommandFolder["owner"];
  readonly allowedTools: readonly string[];
  readonly model?: string | undefined;
  load(args: string): Promise<SlashText | { readonly problem: string }>;
}

/** `text` still has placeholders for arguments, `parts` are final. */
export type SlashText = { readonly text: string } | { readonly parts: readonly ContentPart[] };

export const builtInCommands = [
  { name: "compact", description: "replace older turns by a summary", argumentHint: "[what to keep]" },
  { name: "help", description: "list all commands", argumentHint: undefined },
];

/**
 * Finds all commands: skills first, then files. A broken or hidden command gives a notice and does not affect others.
 */
export async function findSlashCommands(
  places: DiscoveryFolders,
  skills: readonly Skill[],
): Promise<{ commands: readonly SlashCommand[]; notices: readonly string[] }> {
  const notices: string[] = [];
  const commands = new Map<string, SlashCommand>();
  const add = (command: SlashCommand) => {
    const first = commands.get(command.name);
    if (builtInCommands.some(({ name }) => name === command.name))
      notices.push(`${command.source} is ignored: /${command.name} is a built-in command`);
    else if (first) notices.push(`${command.source} is ignored: ${first.source} already defines /${command.name}`);
    else commands.set(command.name, command);
  };
  for (const skill of skills) if (skill.forPeople) add(fromSkill(skill, places));

  const seen = new Map<string, string>();
  for (const place of findCommandFolders("commands", places)) {
    for (const { file, name } of filesIn(place.path)) {
      const read = readOwnedText(file, place.owner, places);
      if (read.notice !== undefined) notices.push(read.notice);
      if (!("text" in read) || seen.has(read.real) || seen.get(name) === read.text) continue;
      seen.set(read.real, name).set(name, read.text);
      const found = await parseCommand(read.text, { file, name, owner: place.owner, places });
      if ("problem" in found) notices.push(`${found.problem}; the command is ignored`);
      else add(found);
    }
  }
  return { commands: [...commands.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), notices };
}

const depthLimit = 5;

/** Names nested files with colons: `git/commit.md` is `git:commit`. */
function filesIn(root: string, depth = depthLimit, folder = root): { file: string; name: string }[] {
  return listFolder(folder).flatMap((entry) => {
    if (entry.isFolder) return depth > 1 ? filesIn(root, depth - 1, entry.path) : [];
    if (!entry.name.endsWith(".md")) return [];
    return [{ file: entry.path, name: relative(root, entry.path).slice(0, -3).replaceAll("/", ":") }];
  });
}

interface CommandFile {
  readonly file: string;
  readonly name: string;
  readonly owner: CommandFolder["owner"];
  readonly places: DiscoveryFolders;
}

async function parseCommand(text: string, found: CommandFile): Promise<SlashCommand | { problem: string }> {
  const { file, name, owner, places } = found;
  if (!slashName.test(name)) return { problem: `${file}: invalid name. Use letters, digits, - and _` };
  const reading = await parseMarkdown(text, CommandFrontmatter);
  if (!reading.ok) return { problem: reading.problems.map((each) => markdownProblemLine(file, each))[0] ?? file };
  const { fields, body } = reading.file;
  return {
    name,
    owner,
    source: file,
    description: visibleLine(oneLine(fields.description ?? firstParagraph(body))),
    argumentHint: fields["argument-hint"],
    allowedTools: toolList(fields["allowed-tools"]),
    model: fields.model === "inherit" ? undefined : fields.model,
    async load() {
      const read = readOwnedText(file, owner, places);
      if (!("text" in read)) return { problem: read.notice ?? `${file} no longer exists` };
      const now = await parseMarkdown(read.text, CommandFrontmatter);
      if (now.ok) return { text: now.file.body };
      return { problem: now.problems.map((each) => markdownProblemLine(file, each))[0] ?? file };
    },
  };
}

const fromSkill = (skill: Skill, places: DiscoveryFolders): SlashCommand => ({
  name: skill.name,
  owner: skill.owner,
  source: skill.file,
  description: skill.description,
  argumentHint: skill.argumentHint,
  allowedTools: skill.allowedTools,
  async load() {
    const loaded = await loadSkill(skill, { places });
    if ("problem" in loaded) return loaded;
    return {
      text: `The folder of this skill is ${loaded.folder}. Paths in the skill are relative to it.\n\n${loaded.body}`,
    };
  },
});
