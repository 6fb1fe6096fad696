import type { Random } from "../../../simulation/random.ts";

/** Ways to name a file that must not be read. */
export function secretWord(random: Random): string {
  const plain = random.pick([
    ".env",
    "../outside.txt",
    "key.pem",
    "link-out",
    "link-env",
    "l/l/l/../../../outside.txt",
    "l/../outside.txt",
    "etc/hostname",
    "sub/../.env",
    "./.env",
    "$PWD/.env",
    "~/secret",
    "sub/up/outside.txt",
    "deep/.env",
  ]);
  return random.pick([
    plain,
    plain,
    `"${plain}"`,
    `'${plain}'`,
    ".e*",
    ".en?",
    ".[e]nv",
    ".e{nv,x}",
    "{.env,a.txt}",
    ".en{v,w}",
    "*env",
    "l*-out",
    "*.pem",
    "e*/hostname",
    "*",
    "./*",
    ".*",
    `"$(echo ${plain})"`,
    `$(echo ${plain})`,
    `\`echo ${plain}\``,
    `<(cat ${plain})`,
    `$'\\x2eenv'`,
    `.e""nv`,
    `.e\\nv`,
    "${x:-.env}",
    "${x-.e}nv",
    `--file=${plain}`,
    `-${plain}`,
    "l/*env",
    "l/l/.e*",
    "sub/../.e*",
    "lin?-out",
    "d*/.env",
  ]);
}

export function expansion(random: Random, command: string, depth: number): string {
  const inner = depth < 2 && random.chance(0.4) ? `echo ${word(random, command, depth + 1)}` : command;
  const place = random.pick([0, 1, 2, 3, 4, 5, 6, 7]);
  const text = word(random, inner, depth);
  const forms = [
    `echo ${text}`,
    `ls ${text}`,
    `cat <<< ${text}`,
    `cat <<E\n${text}\nE`,
    `[[ -n ${text} ]]`,
    `case ${text} in x) ls;; esac`,
    `for i in ${text}; do echo "$i"; done`,
    `: ${text}`,
  ];
  return forms[place] ?? "";
}

/** A word in which bash runs a command. */
function word(random: Random, command: string, depth: number): string {
  const run = random.pick([
    `$(${command})`,
    `\`${command}\``,
    `<(${command})`,
    `$( ${command} )`,
    `>(${command})`,
    `$[a[$(${command})]]`,
    `$((a[$(${command})]))`,
  ]);
  const operator = random.pick([
    ":-",
    ":+",
    "-",
    "+",
    ":?",
    "?",
    ":=",
    "#",
    "##",
    "%",
    "%%",
    "/",
    "//",
    "/#",
    "/%",
    "^",
    "^^",
    ",",
    ",,",
    "@",
    ":",
    "/a/",
    "//a/",
  ]);
  const name = random.pick(["HOME", "x", "1", "#", "@", "!x", "#x", "a[0]", "a[@]"]);
  const nested = depth < 2 && random.chance(0.3) ? `\${x:-${run}}` : run;
  const form = random.pick([
    `\${${name}${operator}${nested}}`,
    `\${${name}${operator}${nested}/x}`,
    `\${${name}${operator}'${nested}'}`,
    `\${${name}${operator}"${nested}"}`,
    `\${${name}${operator}a/${nested}/b}`,
    nested,
    `a${nested}b`,
    `\${x:-\${y/${nested}/z}}`,
    `\${x:-\${y:-${nested}}}`,
  ]);
  return random.pick([
    form,
    `"${form}"`,
    `$"${form}"`,
    `x"${form}"y`,
    `'a'${form}`,
    `# ${form}`,
    `\\${form}`,
    `'${form}'`,
    `"'${form}'"`,
    `$'${form}'`,
  ]);
}
