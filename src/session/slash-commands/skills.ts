import { dirname, join, relative } from "node:path";
import { markdownProblemLine, parseMarkdown } from "../../platform/index.ts";
import { oneLine } from "../../protocol/index.ts";
import type { LoadedSkill, SkillSource } from "../../tool/index.ts";
import { visibleLine } from "../../view/index.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import { fillArguments } from "./fill-arguments.ts";
import { listFolder } from "../files/list-folder.ts";
import { type CommandFolder, findCommandFolders, readOwnedText } from "./command-folders.ts";
import { SkillFrontmatter, toolList } from "./command-frontmatter.ts";

/** A `SKILL.md` file. Its body is read on demand. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string | undefined;
  readonly file: string;
  readonly folder: string;
  readonly owner: CommandFolder["owner"];
  readonly allowedTools: readonly string[];
  /** A model may load it itself. */
  readonly forModels: boolean;
  /** A user can run it with `/name`. */
  readonly forPeople: boolean;
}

export interface SkillsFound {
  readonly skills: readonly Skill[];
  readonly notices: readonly string[];
}

const foldersLimit = 500;

/**
 * Finds all skills, sorted by name. A broken skill, or one with the name of another skill, gives a notice and does not
 * affect other skills.
 */
export async function findSkills(places: DiscoveryFolders): Promise<SkillsFound> {
  const skills = new Map<string, { skill: Skill; text: string }>();
  const seen = new Set<string>();
  const notices: string[] = [];
  for (const place of findCommandFolders("skills", places)) {
    for (const entry of listFolder(place.path).slice(0, foldersLimit)) {
      if (!entry.isFolder) continue;
      const file = join(entry.path, "SKILL.md");
      const read = readOwnedText(file, place.owner, places);
      if (read.notice !== undefined) notices.push(read.notice);
      if (!("text" in read) || seen.has(read.real)) continue;
      seen.add(read.real);
      const found = await parseSkill(read.text, { file, folder: entry.path, name: entry.name, owner: place.owner });
      if ("problem" in found) {
        notices.push(found.problem);
        continue;
      }
      const first = skills.get(found.name);
      if (!first) skills.set(found.name, { skill: found, text: read.text });
      else if (first.text !== read.text)
        notices.push(`${file} is ignored: ${first.skill.file} already defines the skill ${found.name}`);
    }
  }
  const all = [...skills.values()].map(({ skill }) => skill);
  return { skills: all.toSorted((a, b) => (a.name < b.name ? -1 : 1)), notices };
}

async function parseSkill(
  text: string,
  found: { file: string; folder: string; name: string; owner: CommandFolder["owner"] },
): Promise<Skill | { problem: string }> {
  const reading = await parseMarkdown(text, SkillFrontmatter);
  if (!reading.ok) {
    const [first] = reading.problems;
    return { problem: `${first ? markdownProblemLine(found.file, first) : found.file}; the skill is ignored` };
  }
  const { fields, body } = reading.file;
  const name = fields.name ?? found.name;
  if (!slashName.test(name)) {
    return {
      problem: `${found.file}: invalid name ${JSON.stringify(name)}; the skill is ignored. Use letters, digits, - and _.`,
    };
  }
  const description = fields.description ?? firstParagraph(body);
  if (description === "") {
    return {
      problem: `${found.file}: it has no description that says when to use it; the skill is ignored`,
    };
  }
  return {
    ...found,
    name,
    description: visibleLine(oneLine(description)),
    argumentHint: fields["argument-hint"],
    allowedTools: toolList(fields["allowed-tools"]),
    forModels: fields["disable-model-invocation"] !== true,
    forPeople: fields["user-invocable"] !== false,
  };
}

/** The valid names of slash commands and skills. */
export const slashName = /^[A-Za-z0-9][\w.-]{0,63}(?::[A-Za-z0-9][\w.-]{0,63}){0,7}$/;

/** Returns the start of the first paragraph that is not a heading. */
export const firstParagraph = (body: string): string =>
  body
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/^#.*$/gm, "").trim())
    .find((paragraph) => paragraph !== "")
    ?.slice(0, 300) ?? "";

/** The skills for the `Skill` tool. Calls `onLoad` before it returns a skill's text. */
export function skillSource(
  skills: readonly Skill[],
  { places, onLoad }: { places: DiscoveryFolders; onLoad?: (skill: Skill) => Promise<void> },
): SkillSource {
  const forModels = skills.filter((skill) => skill.forModels);
  return {
    names: () => forModels.map(({ name }) => name),
    async load(name, args) {
      const skill = forModels.find((each) => each.name === name);
      if (!skill) return { problem: `there is no skill ${name}` };
      const loaded = await loadSkill(skill, { args, places });
      if (!("problem" in loaded)) await onLoad?.(skill);
      return loaded;
    },
  };
}

const filesLimit = 50;

/** Reads the skill's current file, which may have changed since it was found. Without `args` the placeholders stay. */
export async function loadSkill(
  skill: Skill,
  { args, places }: { args?: string; places: DiscoveryFolders },
): Promise<LoadedSkill | { problem: string }> {
  const read = readOwnedText(skill.file, skill.owner, places);
  if (!("text" in read)) return { problem: read.notice ?? `${skill.file} no longer exists` };
  const reading = await parseMarkdown(read.text, SkillFrontmatter);
  if (!reading.ok) {
    const [first] = reading.problems;
    return { problem: first ? markdownProblemLine(skill.file, first) : `${skill.file} is invalid` };
  }
  const files = filesBeside(dirname(read.real), 3).filter((file) => file !== "SKILL.md");
  return {
    name: skill.name,
    body: args === undefined ? reading.file.body : fillArguments(reading.file.body, args),
    folder: skill.folder,
    files: files.slice(0, filesLimit),
    moreFiles: Math.max(0, files.length - filesLimit),
  };
}

function filesBeside(root: string, depth: number, folder = root): string[] {
  return listFolder(folder).flatMap((entry) => {
    if (!entry.isFolder) return [relative(root, entry.path)];
    return depth > 1 && entry.name !== "node_modules" ? filesBeside(root, depth - 1, entry.path) : [];
  });
}
