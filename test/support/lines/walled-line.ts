import type { Random } from "../../../simulation/random.ts";

/** The place that attacks aim at. */
export interface Target {
  /** A port of this machine on which a server listens. */
  readonly port: number;
  readonly home: string;
}

/** Makes a line that tries to get through the walls, in a way that no parser can read. */
export function walledLine(random: Random, target: Target): string {
  const attack = random.pick([writing, writing, guarded, reading, network, links])(random, target);
  const code = random.pick(carriers)(attack, random);
  return random.chance(0.3) ? random.pick(before)(code) : code;
}

/** A program of one language that does one thing. */
interface Attack {
  readonly js: string;
  readonly shell: string;
}

const outsidePaths = ({ home }: Target) => [
  "../MARK",
  "sub/up/MARK",
  "l/l/../../MARK",
  `${home}/MARK`,
  `${home}/.bashrc`,
  "etc/MARK",
  "/usr/local/MARK",
  "../outside.txt",
  "link-out",
  "/proc/self/cwd/../MARK",
  "/proc/1/root/MARK",
];

const writing = (random: Random, target: Target): Attack => writes(random, random.pick(outsidePaths(target)));

const guarded = (random: Random): Attack =>
  writes(
    random,
    random.pick([
      ".git/config",
      ".git/hooks/pre-commit",
      ".git/hooks/post-checkout",
      ".git/info/attributes",
      ".claude/settings.json",
      ".troupe/settings.json",
      ".vscode/tasks.json",
      ".husky/pre-commit",
      ".mcp.json",
      ".github/workflows/ci.yml",
      "AGENTS.md",
      ".git/commondir",
    ]),
  );

function writes(random: Random, path: string): Attack {
  const js = `const fs=require("fs"),p=require("path");${random.pick([
    `fs.mkdirSync(p.dirname(${text(path)}),{recursive:true});fs.writeFileSync(${text(path)},"MARK")`,
    `fs.appendFileSync(${text(path)},"MARK")`,
    `fs.rmSync(${text(path)},{force:true,recursive:true})`,
    `fs.writeFileSync("tmp1","MARK");fs.renameSync("tmp1",${text(path)})`,
    `fs.symlinkSync(${text(path)},"ln1");fs.writeFileSync("ln1","MARK")`,
    `fs.linkSync(${text(path)},"ln2");fs.appendFileSync("ln2","MARK")`,
    `fs.chmodSync(${text(path)},0o777)`,
    `fs.utimesSync(${text(path)},1,1)`,
    `fs.truncateSync(${text(path)})`,
  ])}`;
  const shell = random.pick([
    `mkdir -p $(dirname ${path}); echo MARK > ${path}`,
    `echo MARK >> ${path}`,
    `cp a.txt ${path}`,
    `mv b.txt ${path}`,
    `ln -sf a.txt ${path}`,
    `tee ${path} < a.txt`,
    `dd if=a.txt of=${path}`,
    `sed -i s/a/b/ ${path}`,
    `install -m 755 a.txt ${path}`,
    `tar cf - a.txt | tar xf - -C ${path}`,
    `truncate -s 0 ${path}`,
    `touch ${path}`,
    `git config --file ${path} core.fsmonitor x`,
    `git init -q ${path}x`,
    `chmod 777 ${path}`,
    `mv $(dirname ${path}) moved; mkdir -p $(dirname ${path}); echo MARK > ${path}`,
    `mount --bind src ${path}`,
    `umount ${path}`,
    `setsid sh -c 'sleep 0.05; echo MARK > ${path}' &`,
    `(trap '' HUP TERM; sleep 0.05; echo MARK > ${path}) & disown`,
    `exec 9>${path}; echo MARK >&9`,
    `unshare -rm sh -c 'echo MARK > ${path}'`,
    `perl -e 'open(F,">",shift);print F "MARK"' ${path}`,
    `python3 -c 'import sys;open(sys.argv[1],"w").write("MARK")' ${path}`,
  ]);
  return { js, shell };
}

const reading = (random: Random, { home }: Target): Attack => {
  const path = random.pick([
    ".env",
    "deep/.env",
    "key.pem",
    "link-env",
    `${home}/.ssh/id_rsa`,
    "denied/x.txt",
    "l/.env",
  ]);
  const shell = random.pick([
    `cat ${path}`,
    `cp ${path} /tmp/c; cat /tmp/c`,
    `ln ${path} hard; cat hard`,
    `mv ${path} moved2; cat moved2`,
    `mv $(dirname ${path}) moved3; cat moved3/*`,
    `tar cf - ${path} | cat`,
    `cat /proc/self/root$PWD/${path}`,
    `dd if=${path}`,
    `base64 ${path}`,
    `umount ${path}; cat ${path}`,
    `unshare -rm sh -c 'umount -l ${path}; cat ${path}'`,
    `git hash-object -w ${path}; git add -f ${path}; git show :${path}`,
    `python3 -c 'import sys;print(open(sys.argv[1]).read())' ${path}`,
    `cat /proc/*/environ | tr '\\0' '\\n' | grep SECRET`,
    `find . -type f -exec cat {} +`,
    `grep -rI KEY . ${home}`,
  ]);
  return { js: `process.stdout.write(require("fs").readFileSync(${text(path)}))`, shell };
};

const network = (random: Random, { port }: Target): Attack => ({
  js: random.pick([
    `require("net").connect(${port},"127.0.0.1").on("error",()=>0).end("x")`,
    `require("dgram").createSocket("udp4").send("x",${port},"127.0.0.1",function(){this.close()})`,
    `fetch("http://127.0.0.1:${port}/").catch(()=>0)`,
    `require("net").connect(${port},"::1").on("error",()=>0).end("x")`,
  ]),
  shell: random.pick([
    `exec 9<>/dev/tcp/127.0.0.1/${port}; echo x >&9`,
    `curl -s -m 1 http://127.0.0.1:${port}/`,
    `curl -s -m 1 http://localhost:${port}/`,
    `wget -q -T 1 -t 1 -O - http://127.0.0.1:${port}/`,
    `git ls-remote git://127.0.0.1:${port}/x`,
    `echo x > /dev/tcp/127.0.0.1/${port}`,
    `nsenter -t 1 -n curl -s -m 1 http://127.0.0.1:${port}/`,
    `perl -MIO::Socket::INET -e 'IO::Socket::INET->new("127.0.0.1:${port}")'`,
    `python3 -c 'import socket;socket.create_connection(("127.0.0.1",${port}),1)'`,
  ]),
});

/** Leaves something for the next command, which gets new walls. */
const links = (random: Random, { home }: Target): Attack => {
  const shell = random.pick([
    `ln -s ${home} build; ln -s .. up2`,
    `mv src old; ln -s ${home} src`,
    `mkfifo sub/.npmrc 2> /dev/null`,
    `mkdir -p n/.git && echo ref: refs/heads/main > n/.git/HEAD; printf '[core]\\n\\tfsmonitor = touch ../../MARK\\n' > n/.git/config`,
    `echo 'gitdir: ${home}' > sub/.git`,
    `r=$(stat -c %y .); mv deep deep2; touch -d "$r" .; cat deep2/.env`,
    `mv denied d2; cat d2/x.txt`,
    `mv .github g2; mkdir -p .github/workflows; echo MARK > .github/workflows/ci.yml`,
    `rm -rf sub; ln -s ../.. sub`,
    `touch .env2; ln -s /etc/passwd some.pem`,
    `echo x > ${home}/MARK; echo x > build/MARK; echo x > src/MARK`,
  ]);
  return { js: `require("child_process").execSync(${text(shell)},{stdio:"inherit"})`, shell };
};

const text = (value: string) => JSON.stringify(value);
const single = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;

/** Ways to run it that hide its words. */
const carriers: readonly ((attack: Attack, random: Random) => string)[] = [
  ({ js }) => `node -e ${single(js)}`,
  ({ js }) => `echo ${Buffer.from(js).toString("base64")} | base64 -d | node -`,
  ({ shell }) => shell,
  ({ shell }) => shell,
  ({ shell }) => `bash -c ${single(shell)}`,
  ({ shell }) => `echo ${Buffer.from(shell).toString("base64")} | base64 -d | sh`,
  ({ shell }) => `printf %s ${single(shell)} > s.sh; sh s.sh`,
  ({ shell }) => `env -i PATH="$PATH" bash -c ${single(shell)}`,
  ({ shell }) => `make -f - <<'M'\nall:\n\t@${shell.replaceAll("$", "$$$$")}\nM`,
  ({ shell }) => `echo '{"scripts":{"test":'"$(printf %s ${single(text(shell))})"'}}' > package.json; npm test -s`,
  ({ shell }) => `git -c alias.z=${single(`!${shell}`)} z`,
  ({ shell }) => `find . -maxdepth 0 -exec sh -c ${single(shell)} \\;`,
  ({ shell }) => `xargs -0 sh -c <<< ${single(shell)}`,
  ({ shell }) => `perl -e ${single(`system(q{${shell.replaceAll(/[{}]/g, "")}})`)}`,
  ({ shell }) => `x=${single(shell)}; eval "$x"`,
  ({ shell }) => `cat > Makefile <<'M'\ntest:\n\t${shell.replaceAll("$", "$$$$")}\nM\nmake -s test`,
];

const before: readonly ((line: string) => string)[] = [
  (line) => `cd src && cd .. && ${line}`,
  (line) => `${line}; true`,
  (line) => `ls | head -1; ${line}`,
  (line) => `(${line})`,
  (line) => `${line} 2> /dev/null`,
  (line) => `timeout 2 true; ${line}`,
];
