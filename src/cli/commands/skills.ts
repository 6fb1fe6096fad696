import { loadConfig, openCommandCatalog } from "../../session/index.ts";
import { visibleLine } from "../../view/index.ts";

/** Lists the skills and slash commands of this folder, their sources, and the problems of invalid ones. */
export async function listSkills(flags: { json?: boolean }): Promise<void> {
  const { commands, listed, notices } = openCommandCatalog(await loadConfig({ cwd: process.cwd(), env: process.env }));
  const names = new Set(listed.map(({ name }) => name));
  if (flags.json) {
    const list = commands.map(({ name, description, argumentHint, source, owner }) => ({
      name,
      description,
      argumentHint,
      source,
      owner,
      forModels: names.has(name),
    }));
    const hidden = listed.filter((skill) => !skill.forPeople);
    const others = hidden.map(({ name, description, file, owner }) => ({
      name,
      description,
      source: file,
      owner,
      forModels: true,
    }));
    process.stdout.write(`${JSON.stringify({ commands: [...list, ...others], problems: notices }, null, 2)}\n`);
    return;
  }
  if (commands.length + listed.length === 0) process.stdout.write("no skills and no commands in this folder\n");
  for (const { name, description, source } of commands) {
    const kind = names.has(name) ? "skill  " : "command";
    process.stdout.write(`${visibleLine(`${kind}  /${name}  ${description.slice(0, 100)}  (${source})`)}\n`);
  }
  for (const skill of listed.filter(({ forPeople }) => !forPeople)) {
    process.stdout.write(
      `${visibleLine(`skill    ${skill.name}  ${skill.description.slice(0, 100)}  (${skill.file})`)}\n`,
    );
  }
  for (const notice of notices) process.stderr.write(`troupe: ${visibleLine(notice)}\n`);
}
