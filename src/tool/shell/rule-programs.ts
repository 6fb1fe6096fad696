import type { ReadOnly } from "./looking/read-only-programs.ts";

/** The harmless options of a program that a rule allows, and what its other words may be. */
export interface RuleProgram extends ReadOnly {
  /** Every value of an option must match this. */
  readonly value?: RegExp;
  /** Every other word must match this. */
  readonly operand?: RegExp;
}

const files = (short: string, long: string, more: Omit<Partial<RuleProgram>, "short" | "long"> = {}): RuleProgram => ({
  short,
  long,
  operands: "paths",
  ...more,
});

/** Programs that can run others, write files or send them by an option. Any other option needs approval. */
export const rulePrograms: Readonly<Record<string, RuleProgram>> = {
  curl: files(
    "sSfLiIvkGH:X:A:m:d:46w:u:",
    "silent show-error fail fail-with-body location include head verbose insecure get header= request= user-agent= max-time= " +
      "connect-timeout= retry= retry-delay= retry-all-errors data= data-raw= json= ipv4 ipv6 compressed http1.1 http2 write-out= " +
      "user= no-progress-meter no-buffer",
    // A value that begins with @ or < is a file, and %output{} in a format writes one.
    { value: /^(?![@<])(?!.*%output)(?!.*[=]@)/s, operand: /^(https?:\/\/)?[\w.-]+(:\d+)?([/?#][^\s]*)?$/ },
  ),
  wget: files(
    "qSnvT:t:46",
    "quiet server-response no-verbose timeout= tries= spider no-check-certificate inet4-only inet6-only",
    { operand: /^https?:\/\//, value: /^[\w.]+$/ },
  ),
  tar: files(
    "cxtzjJvf:pkmhC:",
    "create extract get list gzip bzip2 xz zstd verbose file= directory= exclude= strip-components= keep-old-files preserve-permissions wildcards",
    // A colon in the name of an archive means another machine.
    { value: /^[^:]*$/, operand: /^[^:]*$/ },
  ),
  zip: files("rq9876543210jxuvyX", "recurse-paths quiet junk-paths exclude update verbose symlinks"),
  unzip: files("lqvnojd:tZ1", ""),
  rsync: files(
    "avzrhnPtuplogDcix",
    "archive verbose compress recursive human-readable dry-run partial progress stats delete exclude= include= update times perms links checksum itemize-changes size-only info=",
  ),
  gofmt: files("wldse", ""),
  split: files("l:b:n:da:C:", "lines= bytes= number= numeric-suffixes suffix-length= line-bytes= verbose"),
  sed: files("nErsuzie:", "quiet silent regexp-extended null-data unbuffered posix sandbox expression= separate"),
};

const packages =
  "silent loglevel= workspace= workspaces if-present include-workspace-root foreground-scripts color no-color json long global " +
  "save-dev save-exact save-optional save no-save production prod dev omit= include= legacy-peer-deps prefer-offline no-audit " +
  "no-fund offline dry-run force ignore-scripts no-progress depth= verbose watch watchAll coverage ci bail runInBand " +
  "updateSnapshot frozen-lockfile no-frozen-lockfile recursive filter= latest immutable";
const scripts: ReadOnly = { short: "sgDEOfPrdqw:u", long: packages, operands: "text" };

/** Programs with subcommands whose words after `--` belong to what they run. */
export const ruleSubcommands: Readonly<Record<string, ReadOnly>> = {
  npm: scripts,
  pnpm: { ...scripts, short: "sgDEOfPrw:F:u" },
  yarn: scripts,
  cargo: {
    short: "p:qvj:rF:",
    long:
      "release all workspace package= exclude= lib bin= bins test= tests example= examples bench= benches features= all-features " +
      "no-default-features quiet verbose locked offline frozen jobs= no-run no-fail-fast message-format= all-targets check doc " +
      "no-deps open document-private-items allow-dirty allow-staged fix depth= invert= duplicates prefix= profile= color= " +
      "keep-going edges=",
    operands: "text",
  },
};

/** The harmless options of git commands that change something. A rule that names the command allows them. */
const git = (short: string, long: string): ReadOnly => ({ short, long, operands: "text" });
const quiet = "quiet verbose progress no-progress dry-run force";

export const ruleGit: Readonly<Record<string, ReadOnly>> = {
  add: git(
    "AuvNnfpi",
    `all update intent-to-add patch renormalize refresh ignore-errors ignore-removal chmod= no-all ${quiet}`,
  ),
  commit: git(
    "aqsvm:nF:epoc:C:S;",
    `all message= signoff no-edit amend allow-empty allow-empty-message no-verify fixup= squash= author= date= file= patch only trailer= reuse-message= reset-author no-gpg-sign cleanup= ${quiet}`,
  ),
  push: git(
    "uqvfnd",
    `set-upstream tags follow-tags delete all force-with-lease force-if-includes atomic prune no-verify ${quiet}`,
  ),
  pull: git(
    "qvfr;",
    `rebase no-rebase ff-only no-ff ff autostash no-autostash tags prune all no-edit commit no-commit ${quiet}`,
  ),
  fetch: git("qvfptanj:4", `all prune prune-tags tags no-tags depth= unshallow deepen= jobs= ${quiet}`),
  checkout: git("qfbBtmp", `detach track no-track orphan ours theirs merge patch ${quiet}`),
  switch: git("qfcCdt", `create force-create detach track no-track orphan discard-changes guess merge ${quiet}`),
  restore: git("qSWps:", `staged worktree source= ours theirs patch ${quiet}`),
  merge: git(
    "qvm:nS;s:X:",
    `ff ff-only no-ff squash no-squash no-edit abort continue message= strategy= strategy-option= no-commit commit stat no-stat no-verify ${quiet}`,
  ),
  stash: git("qum:kapS", `include-untracked message= keep-index all patch staged index ${quiet}`),
  "cherry-pick": git("nxesm:", `no-commit signoff mainline= continue abort skip quit allow-empty no-edit ${quiet}`),
  revert: git("nesm:", `no-commit no-edit mainline= continue abort skip quit signoff ${quiet}`),
  reset: git("qp", `soft mixed hard keep merge patch ${quiet}`),
  rm: git("rfqn", `cached ignore-unmatch ${quiet}`),
  mv: git("fkvn", quiet),
  clean: git("dfxXnqe:", `exclude= ${quiet}`),
  branch: git(
    "dDmMarvfut:",
    `delete move force all remotes list verbose show-current set-upstream-to= unset-upstream merged no-merged contains no-contains sort= track no-track ${quiet}`,
  ),
  tag: git(
    "adflm:n;s",
    `annotate delete list message= sort= contains no-contains merged no-merged points-at= ${quiet}`,
  ),
  init: git("qb:", `initial-branch= bare ${quiet}`),
  clone: git("qvnb:", `depth= branch= single-branch no-single-branch no-checkout no-tags ${quiet}`),
  remote: git("v", "verbose all push"),
  worktree: git("bBfd", `detach lock porcelain expire= ${quiet}`),
};
