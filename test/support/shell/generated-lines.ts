import * as fc from "fast-check";

/** Ways to write the name of a program so that bash still runs it. */
const spellings = (name: string) =>
  fc.constantFrom(
    name,
    `\\${name}`,
    `${name[0]}\\${name.slice(1)}`,
    `"${name}"`,
    `'${name}'`,
    `${name[0]}''${name.slice(1)}`,
    `"${name[0]}""${name.slice(1)}"`,
    `$'\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}'`,
    `$'\\${name.charCodeAt(0).toString(8)}${name.slice(1)}'`,
    `/bin/${name}`,
    `/usr/bin/${name}`,
    `${name[0]}\\\n${name.slice(1)}`,
  );

const args = fc.constantFrom("x", "-rf x", "'a b'", '"$x"', "x y z", "-- x", "*.ts", "~/x", "{a,b}");
const harmless = fc.constantFrom(
  "ls",
  "echo a",
  "cat a.txt",
  "true",
  "git status",
  "grep -n x a.txt",
  "wc -l a.txt",
  ":",
);
const nl = fc.constantFrom("\n", "; ", " ;", "\n\n");

/** Prefixes that run the same command later or in another place. */
const prefixes = fc.constantFrom(
  "command",
  "env",
  "env A=1",
  "env -i",
  "timeout 5",
  "timeout -k 1 5s",
  "nice",
  "nice -n 5",
  "nohup",
  "time",
  "time -p",
  "stdbuf -oL",
  "xargs",
  "xargs -n 1",
  "xargs -I{}",
  "exec",
  "sudo",
  "sudo -u me",
  "doas",
  "busybox",
  "setsid",
  "ionice -c 3",
  "A=1",
  "A=1 B=2",
  "builtin command",
  "2>&1",
  "< a.txt",
  "> /dev/null",
);

const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const double = (text: string) => `"${text.replace(/[\\"$`]/g, "\\$&")}"`;
const backticked = (text: string) => `\`${text.replace(/[\\`$]/g, "\\$&")}\``;

/** Each form embeds a command line so that it runs. `h` is a harmless command. */
const forms: readonly ((line: string, h: string, end: string) => string)[] = [
  (line, h, end) => `${h}${end}${line}`,
  (line, h, end) => `${line}${end}${h}`,
  (line, h) => `${h} && ${line}`,
  (line, h) => `${h} || ${line}`,
  (line, h) => `${h} | ${line}`,
  (line, h) => `${h} |& ${line}`,
  (line, h) => `${h} & ${line}`,
  (line, h) => `${line} | ${h}`,
  (line) => `( ${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `! ${line}`,
  (line) => `echo $(${line}\n)`,
  (line) => `echo "a $(${line}\n) b"`,
  (line) => `echo ${backticked(line)}`,
  (line) => `echo "${backticked(line)}"`,
  (line) => `echo \${x:-$(${line}\n)}`,
  (line) => `echo "\${x:+$(${line}\n)}"`,
  (line) => `echo \${x/a/$(${line}\n)}`,
  (line) => `echo \${x#$(${line}\n)}`,
  (line) => `echo \${a[$(${line}\n)]}`,
  (line) => `echo \${x:$(${line}\n):1}`,
  (line) => `echo $(( 1 + $(${line}\n) ))`,
  (line) => `echo $[ $(${line}\n) ]`,
  (line) => `(( $(${line}\n) ))`,
  (line) => `cat <(${line}\n)`,
  (line) => `ls > >(${line}\n)`,
  (line) => `ls > $(${line}\n)`,
  (line) => `cat <<E\na $(${line}\n) b\nE\n`,
  (line) => `cat <<-E\n\t${backticked(line)}\n\tE\n`,
  (line) => `cat <<< "$(${line}\n)"`,
  (line) => `cat <<'E'\nx\nE\n${line}`,
  // Text after a newline would belong to the here-document.
  (line) => (line.includes("\n") ? line : `git commit -F - <<'M' 2>&1 | ${line}\nm\nM\n`),
  (line) => `if ${line}\nthen ls; fi`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `if true; then ls; elif ${line}\nthen :; else :; fi`,
  (line) => `if false; then :; else ${line}\nfi`,
  (line) => `while ${line}\ndo break; done`,
  (line) => `until false; do ${line}\nbreak; done`,
  (line) => `for i in 1 2; do ${line}\ndone`,
  (line) => `for i in $(${line}\n); do ls; done`,
  (line) => `for (( i=$(${line}\n); i<1; i++ )); do ls; done`,
  (line) => `case x in x) ${line}\n;; esac`,
  (line) => `case $(${line}\n) in *) ls;; esac`,
  (line) => `case x in $(${line}\n)) ls;; esac`,
  (line) => `[[ -n $(${line}\n) ]]`,
  (line) => `[[ a == "$(${line}\n)" ]] && ls`,
  (line) => `[ -n "$(${line}\n)" ]`,
  (line) => `f() { ${line}\n}; f`,
  (line) => `function g { ${line}\n}; g`,
  (line) => `h() ( ${line}\n); h`,
  (line) => `coproc { ${line}\n}`,
  (line) => `coproc N { ${line}\n}`,
  (line) => `x=$(${line}\n)`,
  (line) => `x="$(${line}\n)" ls`,
  (line) => `x=(1 $(${line}\n))`,
  (line) => `x[$(${line}\n)]=1`,
  (line) => `declare x=$(${line}\n)`,
  (line) => `export A="$(${line}\n)"`,
  (line) => `bash -c ${single(line)}`,
  (line) => `sh -c ${double(line)}`,
  (line) => `env bash -c ${single(line)}`,
  (line) => `timeout 5 sh -c ${single(line)}`,
  (line) => `xargs -I{} sh -c ${single(line)}`,
  (line) => `find . -exec sh -c ${single(line)} \\;`,
  (line) => `trap ${single(line)} EXIT`,
  (line) => `eval ${single(line)}`,
  (line) => `echo a#b;${line}`,
  (line) => `echo "#"; ${line}`,
  (line) => `ls # comment\n${line}`,
  (line) => `time ${line}`,
  (line) => `{ ${line}\n} 2>&1 | ls`,
  (line) => `( ls; ${line}\n) > /dev/null`,
];

/** A line that runs one denied program somewhere inside. Every form keeps the end of the last line free of comments. */
export function nestedLine(name: string): fc.Arbitrary<string> {
  const plain = fc.tuple(spellings(name), args).map((words) => words.join(" "));
  const wrapped = fc
    .tuple(fc.array(prefixes, { maxLength: 3 }), plain)
    .map(([before, command]) => [...before, command].join(" "));
  const found = fc
    .tuple(spellings(name), fc.constantFrom("\\;", "+", "';'"))
    .map(([n, end]) => `find . -exec ${n} {} ${end}`);
  const core = fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 3, arbitrary: wrapped },
    { weight: 1, arbitrary: found },
  );
  const layer = fc.tuple(fc.constantFrom(...forms), harmless, nl);
  return fc
    .tuple(core, fc.array(layer, { maxLength: 4 }))
    .map(([inner, layers]) => layers.reduce((line, [form, h, end]) => form(line, h, end), inner));
}

const starts =
  "find . -name x,git log,git diff,git status,git show HEAD,rg x,sed -n 1p a.txt,ls,cat a.txt,npm test,echo x,head a.txt";

/** Options of allowed programs that make them do more. */
const options: readonly (readonly [string, readonly string[]])[] = [
  [
    "find . -name x",
    [
      "-exec touch f \\;",
      "-execdir touch f +",
      "-delete",
      "-fprint f",
      "-fprintf f %p",
      "-fls f",
      "-okdir touch f \\;",
    ],
  ],
  ["git log", ["--output=f", "--outpu=f", "--output f", "-p --ext-diff", "--outp f -1"]],
  ["git diff", ["--output=f", "--ou=f", "--no-index /etc/passwd a", "--ext-diff", "--no-inde /etc/passwd a"]],
  ["git show HEAD", ["--output=f", "--ext-d"]],
  ["rg x", ["--pre ./x", "--pre=./x", "--hostname-bin=./x", "-z", "--pr=./x", "--search-zip"]],
  ["sed -n 1p a.txt", ["-i", "--in-place", "-e '1w f'", "--in-place=.bak", "-f s.sed", "-ni", "-i.bak"]],
  [
    "sed -n",
    ["'1w f' a", "1e a", "'s/a/b/e' a", "'s/a/b/w f' a", "'r /etc/passwd' a", "'s/[/]/p;/w f/p' a", "'1{w f\n}' a"],
  ],
  ["npm test", ["--script-shell=./x", "--prefix=/x", "--node-options=--require=./x", "--userconfig=x"]],
];

const tails: readonly string[] = [
  "> f",
  ">> f",
  ">| f",
  "&> f",
  "<> f",
  "2> f",
  ">& f",
  "| tee f",
  "| sh",
  "| bash -s",
  "| xargs touch",
  "| python3 -",
  "; touch f",
  "&& touch f",
  "|| touch f",
  "& touch f",
  "\ntouch f",
  "$(touch f)",
  "`touch f`",
  "<(touch f)",
  '"$(touch f)"',
  "; a=touch; $a f",
  "; . ./f",
  "; source f",
  "; eval touch f",
  "; PATH=. ls",
  "; alias ls=touch",
  "; export PATH=.",
  "; ls() { touch f; }; ls",
  "; trap 'touch f' EXIT",
  "; exec touch f",
  "; bash f",
  "; ./f",
  "; ${x@P}",
  "; echo ${!x}",
  "; echo $((a[$(touch f)]))",
  "; sed -i s/a/b/ f",
  "; sed -n '1w f' a.txt",
  "; sed '1e touch f' a.txt",
  "; awk '{print > \"f\"}' a",
  "; git -c alias.x='!touch f' x",
  "; git -c core.pager='touch f' log",
  "; git grep -Otouch x",
  "; sort -o f a",
  "; sort -of a",
  "; sort --outp=f a",
  "; uniq a f",
  "; tar cf f x",
  "; env -S 'touch f'",
  "; timeout 5 touch f",
  "; command touch f",
  "; xargs touch <<< f",
  "; printf -v 'a[$(touch f)]' x",
  "; test -v 'a[$(touch f)]'",
  "; coproc touch f",
  "; for PATH in .; do ls; done",
  "; read x < f; $x",
  "; {touch,f}",
  "; /bin/touch f",
  "; t\\ouch f",
  "; $'\\x74ouch' f",
  "; for x in 'a[$(touch f)]'; do echo $((x)); done",
  "; [[ 'a[$(touch f)]' -eq 1 ]]",
  "; echo {a,$(touch f)}",
  "; rg x *",
];

/** Lines that begin like an allowed command and then do more. */
export const allowedLooking: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      fc
        .constantFrom(...options)
        .chain(([start, unsafe]) => fc.constantFrom(...unsafe).map((option) => `${start} ${option}`)),
      fc.tuple(fc.constantFrom(...starts.split(",")), fc.constantFrom(...tails)).map((parts) => parts.join(" ")),
    ),
    fc.constantFrom("", " ", " # done", "\n", "; true", " 2>&1"),
  )
  .map((parts) => parts.join(""));
