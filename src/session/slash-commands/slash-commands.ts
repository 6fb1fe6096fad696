import { relative } from "node:path";
import { markdownProblemLine, parseMarkdown } from "../../platform/index.ts";
import type { ContentPart } from "../../protocol/index.ts";
import { visibleLine } from "../../view/index.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import { listFolder } from "../files/list-folder.ts";
import { type CommandFolder, findCommandFolders, readOwnedText } from "./command-folders.ts";
import { firstParagraph, loadSkill, type Skill, slashName } from "./skills.ts";
import { CommandFrontmatter, toolList } from "./command-frontmatter.ts";

/** Something a person calls with `/name`: a file of instructions, a skill, or a prompt of a server. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string | undefined;
  /** Where it comes from, for people. */
  readonly source: string;
  /** What a project brings along may loosen nothing before the folder is trusted. */
  readonly owner: CommandFolder["owner"];
  readonly allowedTools: readonly string[];
  readonly model?: string | undefined;
  load(args: string): Promise<SlashText | { readonly problem: string }>;
}

/** `text` has places for arguments still to be filled; `parts` are final. */
export type SlashText = { readonly text: string } | { readonly parts: readonly ContentPart[] };

export const builtInCommands = [
  { name: "compact", description: "replace older turns by a summary", argumentHint: "[what to keep]" },
  { name: "help", description: "list the commands there are", argumentHint: undefined },
];

/** All commands by name: skills first, then files. One that is broken or hidden is told and hides no other. */
export async function findSlashCommands(
  places: DiscoveryFolders,
  skills: readonly Skill[],
): Promise<{ commands: readonly SlashCommand[]; notices: readonly string[] }> {
  const notices: string[] = [];
  const commands = new Map<string, SlashCommand>();
  const add = (command: SlashCommand) => {
    const first = commands.get(command.name);
    if (builtInCommands.some(({ name }) => name === command.name))
      notices.push(`${command.source} is hidden by the built-in command /${command.name}`);
    else if (first) notices.push(`${command.source} is hidden by ${first.source}: both are /${command.name}`);
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
      if ("problem" in found) notices.push(`${found.problem}; the command is left out`);
      else add(found);
    }
  }
  return { commands: [...commands.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), notices };
}

const depthLimit = 5;

/** `git/commit.md` is `git:commit`. */
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
  if (!slashName.test(name)) return { problem: `${file}: its name cannot be used: letters, digits, - and _ can` };
  const reading = await parseMarkdown(text, CommandFrontmatter);
  if (!reading.ok) return { problem: reading.problems.map((each) => markdownProblemLine(file, each))[0] ?? file };
  const { fields, body } = reading.file;
  return {
    name,
    owner,
    source: file,
    description: visibleLine((fields.description ?? firstParagraph(body)).replace(/\s+/g, " ").trim()),
    argumentHint: fields["argument-hint"],
    allowedTools: toolList(fields["allowed-tools"]),
    model: fields.model === "inherit" ? undefined : fields.model,
    async load() {
      const read = readOwnedText(file, owner, places);
      if (!("text" in read)) return { problem: read.notice ?? `${file} is no longer there` };
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
      text: `The folder of this skill is ${loaded.folder}; paths in it are relative to that.\n\n${loaded.body}`,
    };
  },
});
