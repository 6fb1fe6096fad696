// The manual page, from the same help texts as the reference of the command line.
import { readCommands } from "./cli-page.mjs";
import { sentence } from "./markdown.mjs";

export function manPage() {
  const [program, ...commands] = readCommands();
  return `${[
    '.\\" Generated from the help texts by `npm run docs:generate`. Do not edit.',
    ".TH TROUPE 1",
    section("NAME"),
    "troupe \\- a coding agent that works as a team",
    section("SYNOPSIS"),
    roff(program.usage),
    section("DESCRIPTION"),
    roff(sentence(program.about)),
    section("OPTIONS"),
    ...rows(program.options),
    section("COMMANDS"),
    ...commands.flatMap(command),
    section("FILES"),
    ...rows([
      ["`~/.troupe`", "settings, sessions and teams of the user; TROUPE_HOME names another folder"],
      ["`.troupe/settings.json`", "settings of a project"],
      ["`AGENTS.md`", "instructions that agents read at each start"],
    ]),
    section("EXIT STATUS"),
    ...rows([
      ["`0`", "the answer is complete"],
      ["`1`", "the run failed, or its last answer is cut off, refused or empty"],
      ["`2`", "nothing started: a flag, a setting, a key, a file or a session is wrong"],
      ["`3`", "a limit was reached: turns, budget or tokens"],
      ["`4`", "the run ended, but its team left tasks, working members or branches that did not land"],
      ["`130`", "interrupted"],
    ]),
  ].join("\n")}\n`;
}

const section = (title) => `.SH ${title}`;

const command = ({ name, about, usage, args, options }) => [
  `.SS ${roff(name)}`,
  roff(sentence(about)),
  ".PP",
  `.B ${roff(usage)}`,
  ...rows([...args, ...options]),
];

const rows = (list) => list.flatMap(([name, meaning]) => [".TP", `.B ${roff(name)}`, roff(meaning) || "\\&"]);

/** Text without Markdown, with the characters quoted that start a request or an escape. */
function roff(text) {
  const plain = text.replaceAll("`", "").replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
