import type { Random } from "../../../simulation/random.ts";
import { expansion, secretWord } from "./hostile-words.ts";
import { evaluated, gitLine, marker, writing } from "./special-lines.ts";

/** A generated line: an attack of one kind, or an ordinary line that only looks. */
export interface GeneratedLine {
  readonly kind: string;
  readonly line: string;
}

/** Makes one command line. The same random source makes the same line. */
export function generateLine(random: Random): GeneratedLine {
  const kinds = Object.keys(makers);
  const kind = random.pick(kinds);
  const line = makers[kind]?.(random) ?? "";
  return { kind, line: random.chance(0.35) ? around(random, line) : line };
}

type Maker = (random: Random) => string;

const makers: Readonly<Record<string, Maker>> = {
  ordinary: (random) => ordinary(random),
  expansion: (random) => expansion(random, attack(random), 0),
  reading: (random) => `${random.pick(readers)} ${options(random)}${secretWord(random)}`,
  redirect: (random) => `${random.pick(["cat", "wc -l", "head -3", "grep KEY"])} < ${secretWord(random)}`,
  recursive: (random) => random.pick(recursive),
  wrapper: (random) => `${wrapper(random)} ${attack(random)}`,
  xargs: (random) => xargs(random),
  evaluated: (random) => evaluated(random),
  git: (random) => gitLine(random),
  folder: (random) => folderLine(random),
  writing: (random) => writing(random),
  version: (random) => `${random.pick(programs)} ${random.pick(["version", "-V", "-version", "--version", "-v"])}`,
  loop: (random) => loop(random),
  options: (random) =>
    `${random.pick(readers)} ${options(random)}${options(random)}${random.pick(["a.txt", "src", secretWord(random)])}`,
  find: (random) => find(random),
};

const attack: Maker = (random) =>
  random.pick([
    `/bin/touch ${marker}`,
    `touch ${marker}`,
    "cat .env",
    "cat ../outside.txt",
    `cp a.txt ${marker}`,
    `tee ${marker} < a.txt`,
  ]);

const ordinaryLines = (
  "ls -la src|cat a.txt|head -5 src/a.ts|grep -n export src/*.ts|grep -rn export src|rg export src|find src -name '*.ts'|git status --short|" +
  "git log --oneline -3|git diff --stat|wc -l src/*.ts|sort a.txt \\| uniq -c|sed -n '1,3p' a.txt|awk '{print $1}' a.txt|cut -d: -f1 a.txt|" +
  "for f in src/*.ts; do wc -l \"$f\"; done|find src -name '*.ts' \\| xargs wc -l|test -f a.txt && echo yes|diff a.txt b.txt|stat a.txt|" +
  'git show HEAD:a.txt|git branch -a|du -sh src|tail -2 a.txt|jq . package.json|echo "$HOME" \\| wc -c|cd src && ls|basename src/a.ts|ls *.md'
)
  .split(/(?<!\\)\|/)
  .map((line) => line.replaceAll("\\|", "|"));

const ordinary: Maker = (random) => random.pick(ordinaryLines);

const readers = (
  "cat|head|tail|head -2|tail -n 1|wc|nl|tac|rev|strings|od -c|od -w|xxd|base64|less|more|grep KEY|grep -e KEY|grep --exclude -A KEY|rg KEY|sort|uniq|" +
  "cut -c1-9|cut -f1- --output-delimiter -d|paste|comm a.txt|diff a.txt|diff --label -U|cmp a.txt|join a.txt|fold|expand|column|md5sum|jq .|sed -n p|" +
  "awk '{print}'|file|stat|hexdump -C|git diff --no-index a.txt|sort --files0-from|wc --files0-from|tar tf|unzip -l|grep -f|diff --to-file|sort --random-source"
).split("|");

const programs = "bash sh node python3 perl make git npm curl php java tsc psql docker gcc go cmake ruby".split(" ");

function options(random: Random): string {
  if (random.chance(0.5)) return "";
  return `${random.pick(["--", "-n", "-n 3", "-c", "-A", "-B 1", "-e x", "--include '*.ts'", "-f", "--color", "--lines 2", "-", "-- -n", "--exclude x", "-w", "-d :", "--files0-from=-", "-r", "-R", "-s", "--help", "-o x", "-z", "-L"])} `;
}

const recursive = [
  "grep -r KEY .",
  "grep -rh KEY",
  "grep -R x sub",
  "grep -d recurse KEY .",
  "grep --directories=recurse KEY .",
  "grep -r --include='*' KEY .",
  "grep -r --include='.e*' KEY .",
  "grep -r --include='*.ts' --include=.env KEY .",
  "grep -rn KEY deep",
  "rg KEY",
  "rg -u KEY",
  "rg -uu KEY .",
  "rg --hidden KEY",
  "rg -. KEY deep",
  "rg -L KEY",
  "rg --no-ignore --hidden KEY",
  "rg -g '.env' KEY",
  "rg -g '*.pem' KEY",
  "rg -z KEY",
  "diff -r . src",
  "diff -r deep src",
  "find . -type f -exec cat {} +",
  "find . -name '*' -exec grep KEY {} +",
  "find -L . -name hostname -exec cat {} +",
  "tree -l",
  "cat $(find . -name .env)",
  "cat $(git ls-files -o)",
  "grep KEY $(ls -A)",
  "head -n1 .* *",
  "tar cf - . | cat",
];

const wrappers =
  "env|timeout 5|nice|nice -n 5|nohup|command|time|stdbuf -oL|xargs|xargs -n1|env -i|env A=1|exec|builtin command|setsid|sudo -n|busybox|! |time -p|command -p|env -S|timeout -k 1 5|nice -n5 timeout 2|2>&1|< a.txt|> /dev/null|A=1|bash -c|sh -c|env --".split(
    "|",
  );
const wrapper: Maker = (random) => random.pick(wrappers);

function xargs(random: Random): string {
  const name = random.pick(["ls", "cat", "{}", "echo", "x", "grep"]);
  const input = random.pick([
    "touch",
    ".env",
    "--files0-from=.env",
    "../outside.txt",
    "'-exec'",
    "-n",
    "touch MARK",
    "a.txt .env",
  ]);
  const option = random.pick([
    "",
    `-I ${name}`,
    `-I${name}`,
    "-n1",
    "-0",
    "-a .env",
    "-d ,",
    `-i`,
    "--replace=ls",
    "-L 1",
    "-P 2",
  ]);
  const inner = random.pick([
    `env ${name} MARK`,
    `timeout 5 ${name} MARK`,
    `${name} MARK`,
    `bash -c "${name} MARK"`,
    "cat",
    "wc",
    "wc -l",
    "grep KEY",
    "head",
    "du",
    `cat ${name}`,
    "ls",
    "md5sum",
    "stat",
    "basename",
    "echo",
    `sh -c '${name} MARK'`,
    "uniq a.txt",
    "sort -o",
    `nice ${name} MARK`,
    `command ${name} MARK`,
  ]);
  const source = random.pick([
    `echo ${input}`,
    `printf '%s\\n' ${input}`,
    "find .",
    "find . -name '.e*'",
    "find . -print0",
    "git ls-files",
    "ls -A",
    "cat a.txt",
    "rg -l KEY --hidden",
    "grep -rl KEY src",
    "find src -name '*.ts'",
    "find . -name '*.ts'",
    "find . -print -name '*.ts'",
  ]);
  return `${source} | xargs ${option} ${inner}`;
}

function folderLine(random: Random): string {
  const enter = random.pick([
    "cd l",
    "cd l/..",
    "cd ..",
    "cd sub",
    "cd sub/up",
    "cd etc",
    "cd -P l",
    "cd l/l",
    "pushd sub",
    'cd "$(echo ..)"',
    "cd s*",
    "cd -",
    "cd ~",
    "cd -- sub",
    "cd sub && cd up",
    'cd sub <<< "$(cat ../outside.txt >&2)"',
    "cd deep",
    "cd ./l/../l",
  ]);
  const then = random.pick([
    "cat ../outside.txt",
    "cat outside.txt",
    "cat .env",
    "ls",
    "cat hostname",
    "cat ../.env",
    "cat ../a.txt",
    `echo x > ${marker}`,
    "pwd",
    "cat ../../outside.txt",
  ]);
  const join = random.pick([" && ", "; ", "\n", " || "]);
  const line = `${enter}${join}${then}`;
  return random.pick([
    line,
    line,
    `(${line})`,
    `{ ${line}; }`,
    `for i in 1 2; do ${line}; done`,
    `bash -c '${line.replaceAll("'", "'\\''")}'`,
    `while true; do ${line}; break; done`,
  ]);
}

function loop(random: Random): string {
  const list = random.pick([
    ".env",
    ".e*",
    "*",
    "a.txt .env",
    "-n .env",
    "l/*",
    '"$(ls -A)"',
    "$(ls -A)",
    "{.env,a.txt}",
    "../*",
    "src/*.ts",
    "a.txt",
    "-v",
    ".en",
    "etc/host*",
  ]);
  const use = random.pick([
    'cat "$f"',
    "cat $f",
    'head "$f"',
    'wc -l "$f"',
    'cat "${f}v"',
    'cat "./$f"',
    'cat "$f" < "$f"',
    `touch "$f${marker}"`,
    'test -f "$f" && cat "$f"',
    'echo "$f"',
    'grep KEY "$f"',
    'cd "$f"',
    'bash "$f"',
    '"$f" a',
    'cat "sub/../$f"',
    'git show "HEAD:$f"',
    'f=.env; cat "$f"',
    'read -r f < a.txt; cat "$f"',
    'for f in .env; do :; done; cat "$f"',
  ]);
  return random.pick([
    `for f in ${list}; do ${use}; done`,
    `for f in ${list}; do for g in a; do ${use}; done; done`,
    `for f in ${list}; do :; done; ${use}`,
    `${use}; for f in ${list}; do :; done`,
    `(for f in ${list}; do ${use}; done)`,
  ]);
}

function find(random: Random): string {
  const start = random.pick([".", "src", "sub", "..", "l", "l/..", "etc", "deep", "s*", ". src", "-L .", "-P ."]);
  const test = random.pick([
    "-name .env",
    "-name '*.ts'",
    "-name '*'",
    "-type f",
    "-maxdepth 1",
    "-name '.e*'",
    "-not -name x",
    "-name a.txt -o -name .env",
    "-newer .env",
    "-samefile ../outside.txt",
    "-path '*env'",
    "\\( -name '*.ts' \\)",
    "-path -name -name '*.ts'",
  ]);
  const act = random.pick([
    "",
    "-print",
    "-ls",
    "-exec cat {} +",
    "-exec cat {} \\;",
    "-exec grep KEY {} +",
    "-exec head -1 {} \\;",
    "-exec cat {}/../.env \\;",
    `-exec touch ${marker} \\;`,
    "-exec ls {} \\;",
    "-exec sh -c 'cat \"$0\"' {} \\;",
    "-execdir cat {} \\;",
    `-fprintf ${marker} x`,
    "-printf '%p'",
    "-exec cat .env \\;",
    "-delete",
    "-exec echo {} \\;",
    "-exec wc -l {} +",
  ]);
  return random.chance(0.8) ? `find ${start} ${test} ${act}` : `find ${start} ${act} ${test}`;
}

/** Puts a line into another one. */
function around(random: Random, line: string): string {
  const quoted = `'${line.replaceAll("'", "'\\''")}'`;
  return random.pick([
    `ls; ${line}`,
    `${line} | cat`,
    `true && ${line}`,
    `false || ${line}`,
    `(${line})`,
    `{ ${line}\n}`,
    `echo $(${line}\n)`,
    `echo "$(${line}\n)"`,
    `bash -c ${quoted}`,
    `sh -c ${quoted}`,
    `${line} 2>&1 | head -5`,
    `${line} > /dev/null`,
    `if true; then ${line}\nfi`,
    `for i in 1; do ${line}\ndone`,
    `cat <(${line}\n)`,
    `cd src && ${line}`,
    `cd src; ${line}`,
    `! ${line}`,
    `time ${line}`,
    `ls # '\n${line} # '`,
    `echo "#"; ${line}`,
    `cat <<'E'\n${line}\nE\n`,
    `cat <<E\n$(${line}\n)\nE\n`,
    `${line} # done`,
    `while read -r a; do ${line}\ndone < a.txt`,
    `[[ -n "$(${line}\n)" ]]`,
    `echo a | ${line}`,
  ]);
}
