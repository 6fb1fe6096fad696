/**
 * A command line and its expected decision under `policy`. `ran` replaces the denied or unsafe part, so that the line
 * can really run.
 */
export interface FixedLine {
  readonly verdict: "allow" | "ask" | "deny";
  readonly line: string;
  /** Runs this form in real bash, to show that its hidden part would have run. */
  readonly live?: true;
}

/** Allow `ls cat echo …`, deny `rm` and `curl`, ask about the rest. */
export const policy = {
  allow: "ls,cat,echo,head,tail,wc,grep,rg,find,sed -n,git status,git log,git diff,git show,npm test"
    .split(",")
    .map((words) => `Bash(${words}:*)`),
  deny: ["Bash(rm:*)", "Bash(curl:*)"],
};

const allow = (line: string): FixedLine => ({ verdict: "allow", line });
const ask = (line: string): FixedLine => ({ verdict: "ask", line });
const deny = (line: string): FixedLine => ({ verdict: "deny", line });
const live = (given: FixedLine): FixedLine => ({ ...given, live: true });

export const fixedLines: readonly FixedLine[] = [
  allow("ls -la src"),
  allow("git log --oneline -5 | head -3"),
  allow("cat a.txt && ls; echo done"),
  allow('echo "rm -rf /"'),
  allow("grep -rn 'curl ' src"),
  allow("npm test 2>&1 | tail -20"),
  allow("ls > /dev/null"),
  allow("find . -name '*.ts'"),
  allow("sed -n '1,20p' a.txt"),
  allow("git diff HEAD~1 -- src"),
  live(deny("ls\nrm x")),
  live(deny("ls; rm x")),
  live(deny("ls && rm x")),
  live(deny("false || rm x")),
  live(deny("ls | rm x")),
  live(deny("ls & rm x")),
  live(deny("ls |& rm x")),
  live(deny("ls $(rm x)")),
  live(deny("ls `rm x`")),
  live(deny('echo "$(rm x)"')),
  live(deny("cat <(rm x)")),
  live(deny("echo ${x:-$(rm x)}")),
  live(deny("cat <<E\n$(rm x)\nE")),
  live(deny("cat <<'E'\nx\nE\nrm x")),
  live(deny("echo a#b;rm x")),
  live(deny("echo $(( $(rm x; echo 1) ))")),
  live(deny("f(){ rm x; }; f")),
  live(deny("[[ -n $(rm x) ]]")),
  live(deny("coproc rm x")),
  live(deny("r\\m x")),
  live(deny("$'\\x72m' x")),
  live(deny('"r""m" x')),
  live(deny("/bin/rm x")),
  live(ask("a=rm;$a x")),
  live(ask("rm${IFS}x")),
  live(ask("{rm,x}")),
  live(ask("ls > out.txt")),
  live(ask("echo x >| out.txt")),
  deny("echo x > ~/.bashrc"),
  deny("echo x > .git/hooks/pre-commit"),
  live(ask("cat<>f")),
  live(ask("echo x | tee f")),
  live(deny("cd .git && echo x > config")),
  live(ask("find . -exec touch f \\;")),
  deny("find . -exec rm {} \\;"),
  ask("find . -delete"),
  live(ask("find . -fprint f")),
  live(ask("sed -n '1w f' a.txt")),
  live(ask("sed '1e id' a.txt")),
  ask("rg --pre ./x pat"),
  ask("git -c core.pager=x log"),
  live(ask("git -c alias.x='!id' x")),
  live(ask("git diff --output=f HEAD~1")),
  live(ask("git ls-remote --upload-pa=x .")),
  ask("git -C /other status"),
  live(ask("git -c core.fsmonitor=x status")),
  live(ask("GIT_EXTERNAL_DIFF=x git diff --ext-diff")),
  live(ask("PATH=.:$PATH ls")),
  live(ask("export BASH_ENV=./e; bash -c :")),
  live(ask("env -S 'ls -l'")),
  live(deny("timeout 5 rm x")),
  live(deny("env FOO=1 rm x")),
  live(deny("xargs rm <<< x")),
  live(deny("bash -c 'rm x'")),
  live(ask('eval "r""m x"')),
  live(ask("python3 -c 'import os; os.system(\"id\")'")),
  live(ask("awk 'BEGIN{system(\"id\")}'")),
  live(ask("test -v 'a[$(id)]'")),
  live(ask("trap 'id' EXIT")),
  live(ask(". ./env.sh")),
  live(ask("shopt -s expand_aliases; alias ls=id\nls")),
  deny(`${"true; ".repeat(64)}curl h`),
  live(deny("git commit -F - <<'M' 2>&1 | rm x\nm\nM")),
  ask('ls "unterminated'),
  ask("ls\rid"),
  ask("ls # \u2028 id"),
  live(ask("tar cf x y --checkpoint-action=exec=id")),
  live(ask("sort -o f a")),
  live(ask("uniq a f")),
  live(ask("git grep --open-files-in-pager=id x")),
];
