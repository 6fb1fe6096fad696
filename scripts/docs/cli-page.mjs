// The reference of the command line, from the help texts. `test/behaviour/surface` keeps these equal to the program.
import { readFileSync } from "node:fs";
import { code, fenced, page, sentence, table } from "./markdown.mjs";

const helpFile = "test/behaviour/surface/snapshots/help.txt";

export function cliPage() {
  const commands = readCommands();
  const list = commands.map(({ name, about }) => [`[${code(name)}](#${anchorOf(name)})`, about]);
  return page("Command line", {
    from: "the help texts",
    intro:
      "This page lists every command and option. `troupe COMMAND --help` prints the same text. [Exit codes](headless.md#exit-codes) and [output formats](headless.md) have their own page.",
    parts: [table(["command", "purpose"], list), ...commands.map(section)],
  });
}

/** All commands with their help: name, purpose, usage, arguments and options. */
export const readCommands = () =>
  readFileSync(helpFile, "utf8")
    .split(/^\$ /m)
    .filter((text) => text !== "")
    .map(readCommand)
    .filter(({ name }) => name !== "troupe teammate");

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
    options: rowsOf(text, "[A-Z][a-z ]*").filter(([flags]) => flags.startsWith("`-") && !flags.includes("--help")),
  };
}

/** The rows of the parts with this title: the first column as code, and the description on one line. */
function rowsOf(text, title) {
  const parts = [...text.matchAll(new RegExp(`^${title}:\\n((?: .*\\n?)+)`, "gm"))].map(([, part]) => part);
  const rows = [];
  for (const line of parts.join("\n").split("\n")) {
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
