/** Groups programs by how they run other programs. Names have no folder. */

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/**
 * Programs that run the command after their own options. Only the ones in `unwrapCommand` can be removed for an allow
 * rule.
 */
export const wrappers = names(
  "env timeout nice nohup command time stdbuf xargs sudo doas exec builtin busybox toybox setsid ionice chrt taskset " +
    "watch parallel flock strace ltrace chroot unshare nsenter systemd-run xvfb-run dbus-run-session firejail bwrap " +
    "setarch linux32 linux64 gtimeout unbuffer caffeinate fakeroot proxychains torsocks catchsegv script su runuser " +
    "start-stop-daemon daemonize prlimit numactl cgexec pkexec entr rlwrap ssh",
);

/** Programs that read some of their arguments as shell commands. */
export const scriptCarriers = names(
  "bash sh dash ash zsh ksh mksh rbash fish csh tcsh trap su runuser script watch parallel ssh flock entr env sudo doas tmux screen",
);

const shells = names("bash sh dash ash zsh ksh mksh rbash fish csh tcsh");

export const isShell = (name: string): boolean => shells.has(name);

/** Programs that run any code they are given. A rule that leaves arguments open cannot allow them. */
const interpreters = names(
  "bash sh dash ash zsh ksh mksh rbash fish csh tcsh pwsh eval source . trap exec sudo doas su runuser pkexec chroot unshare nsenter " +
    "node nodejs deno bun ts-node tsx perl ruby php lua luajit awk gawk mawk nawk tclsh wish expect osascript Rscript R julia java " +
    "groovy jshell scala ghci guile racket sbcl erl elixir iex irb ipython ipython3 pypy pypy3 make gmake bmake cmake ninja npx " +
    "pnpx bunx uvx pipx ssh parallel watch tmux screen script flock strace ltrace gdb lldb vi vim nvim view ex ed emacs nano less " +
    "more man at batch crontab busybox toybox entr systemd-run start-stop-daemon setsid alias unalias shopt set export declare " +
    "typeset local readonly unset enable hash bind builtin read mapfile readarray let getopts complete compgen compopt fc history sqlite3 psql mysql m4 dc",
);

/** Pairs of program and subcommand that run any code they are given. */
const runners = names(
  "npm-exec npm-x npm-explore pnpm-exec pnpm-dlx pnpm-x yarn-exec yarn-dlx yarn-node bun-x bun-run uv-run poetry-run pipenv-run " +
    "bundle-exec pipx-run cargo-run go-run go-generate dotnet-exec deno-run deno-eval conda-run mamba-run rye-run hatch-run " +
    "git-config git-filter-branch git-difftool git-mergetool git-bisect git-submodule git-hook git-daemon git-credential git-rebase",
);

/** Built-in commands that run code or change how bash reads the rest of the line. */
const shellBuiltins = names(
  "eval source . trap exec alias unalias shopt set export declare typeset local readonly unset enable hash bind builtin read " +
    "mapfile readarray let getopts complete compgen compopt fc history",
);

/** True for built-in commands that run code, set variables or change how bash reads the rest of the line. */
export const changesShell = (name: string): boolean => shellBuiltins.has(name);

/**
 * Returns how many words name a program that runs any code it is given, such as 1 for `node` and 2 for `npm exec`.
 * Undefined for all other commands and for commands that are built into bash.
 */
export function runnerWords(name: string, subcommand: string | undefined): number | undefined {
  if (shellBuiltins.has(name.slice(name.lastIndexOf("/") + 1))) return undefined;
  if (isInterpreter(name, undefined)) return 1;
  return isInterpreter(name, subcommand) ? 2 : undefined;
}

/** Also true for names such as python3.12. */
export function isInterpreter(name: string, subcommand: string | undefined): boolean {
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (interpreters.has(base) || /^(python|pypy|perl|ruby|lua|php|node|awk)[\d.]*$/.test(base)) return true;
  return subcommand !== undefined && runners.has(`${base}-${subcommand}`);
}

/** Programs whose options change only what is shown, so that a file named like an option does no harm. */
export const inertPrograms = names(
  "ls cat head tail wc grep egrep fgrep echo basename dirname realpath readlink stat du md5sum sha1sum sha256sum cksum nl tac rev cut",
);
