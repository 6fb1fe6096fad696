// The reference of the command line, from the help texts. `test/behaviour/surface` keeps these equal to the program.
import { readFileSync } from "node:fs";
import { code, fenced, page, sentence, table } from "./markdown.mjs";

const helpFile = "test/behaviour/surface/snapshots/help.txt";

export function cliPage() {
  const commands = readFileSync(helpFile, "utf8")
    .split(/^\$ /m)
    .filter((text) => text !== "")
    .map(readCommand)
    .filter(({ name }) => name !== "troupe teammate");
  const list = commands.map(({ name, about }) => [`[${code(name)}](#${anchorOf(name)})`, about]);
  return page("Command line", {
    from: "the help texts",
    intro:
      "This page lists every command and option. `troupe COMMAND --help` prints the same text. [Exit codes](headless.md#exit-codes) and [output formats](headless.md) have their own page.",
    parts: [table(["command", "purpose"], list), ...commands.map(section)],
  });
}

const anchorOf = (name) => name.replaceAll(" ", "-");

function section({ name, about, usage, args, options }) {
  const parts = [`## ${name}`, sentence(about), fenced("text", usage)];
  if (args.length > 0) parts.push(table(["argument", "meaning"], args));
  if (options.length > 0) parts.push(table(["option", "meaning"], options));
  return parts.join("\n\n");
}

function readCommand(text) {
  const [call, usage, ...rest] = text.split("\n");
  const [about = ""] = rest.join("\n").trim().split("\n\n");
  return {
    name: call.replace(/ --help$/, ""),
    usage: usage.replace(/^Usage: /, ""),
    about: withoutTags(about.replace(/\s+/g, " ")),
    args: rowsOf(text, "Arguments"),
    options: rowsOf(text, "Options").filter(([flags]) => !flags.includes("--help")),
  };
}

/** The rows of one part of a help text: the first column as code, and the description on one line. */
function rowsOf(text, title) {
  const part = new RegExp(`^${title}:\\n((?: .*\\n?)+)`, "m").exec(text)?.[1] ?? "";
  const rows = [];
  for (const line of part.split("\n")) {
    const start = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line);
    if (start !== null) rows.push([code(start[1]), start[2] ?? ""]);
    else if (line.trim() !== "") rows.at(-1)[1] += ` ${line.trim()}`;
  }
  return rows.map(([name, meaning]) => [name, withoutTags(meaning.trim())]);
}

/** A name in angle brackets becomes code: Markdown would take it for HTML. */
function withoutTags(text) {
  return text.replaceAll(/<[\w-]+>/g, code);
}
