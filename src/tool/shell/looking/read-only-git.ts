import type { ReadOnly } from "./read-only-programs.ts";

const commits =
  "abbrev abbrev-commit after= all all-match ancestry-path author= basic-regexp before= bisect boundary branches cherry cherry-mark " +
  "cherry-pick children clear-decorations committer= count date date-order decorate decorate-refs= decorate-refs-exclude= " +
  "exclude extended-regexp first-parent fixed-strings follow format full-history glob graph grep= header invert-grep left-only " +
  "left-right log-size max-count= max-parents= merges min-parents= name-only name-status no-abbrev-commit no-color no-decorate " +
  "no-expand-tabs no-graph no-max-parents no-merges no-min-parents no-notes no-walk not notes objects oneline parents " +
  "perl-regexp pretty reflog regexp-ignore-case relative-date remotes remove-empty reverse right-only show-pulls " +
  "simplify-by-decoration simplify-merges since= skip= source sparse tags topo-order until= use-mailmap " +
  "walk-reflogs";
const changes =
  "binary break-rewrites cached cc check color color-moved color-words combined-all-paths compact-summary cumulative " +
  "diff-algorithm= diff-filter= diff-merges dirstat exit-code find-copies find-copies-harder find-object= find-renames " +
  "full-index function-context histogram ignore-all-space ignore-blank-lines ignore-cr-at-eol ignore-matching-lines " +
  "ignore-space-at-eol ignore-space-change ignore-submodules indent-heuristic inter-hunk-context= irreversible-delete " +
  "ita-invisible-in-index line-prefix= merge-base minimal name-only name-status no-color no-color-moved no-ext-diff " +
  "no-indent-heuristic no-patch no-prefix no-relative no-renames no-textconv numstat patch patch-with-raw patch-with-stat " +
  "patience pickaxe-all pickaxe-regex quiet raw relative rename-empty shortstat src-prefix= dst-prefix= staged stat stat-count= " +
  "stat-graph-width= stat-name-width= stat-width submodule summary text unified word-diff word-diff-regex= ws-error-highlight=";
const letters = "abB;cDgiI:l:mM;C;n:pqrRstuU:vwWzS:G:L:EFP0123456789";

const looking = (short: string, long: string): ReadOnly => ({ short, long, operands: "paths" });
const listing = (short: string, long: string): ReadOnly => ({ short, long, operands: "none" });

/** Read-only git subcommands, with the options that keep them read-only. */
export const readOnlyGit: Readonly<Record<string, ReadOnly>> = {
  status: looking(
    "sbvu;z",
    "short branch show-stash porcelain long verbose untracked-files ignored ignore-submodules column no-column ahead-behind no-ahead-behind renames no-renames find-renames",
  ),
  log: looking(letters, `${commits} ${changes}`),
  diff: looking(letters, changes),
  show: looking(letters, `${commits} ${changes}`),
  shortlog: looking("nsecw;C", `numbered summary email committer= group ${commits}`),
  "rev-list": looking(letters, `${commits} objects-edge disk-usage`),
  "rev-parse": looking(
    "q",
    "abbrev-ref verify show-toplevel show-prefix show-cdup git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository short symbolic symbolic-full-name absolute-git-dir all branches tags remotes quiet",
  ),
  "ls-files": looking(
    "cdmoiskutvfzx:",
    "cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol exclude exclude-standard error-unmatch full-name abbrev deduplicate",
  ),
  "ls-tree": looking("drtlz", "long name-only name-status object-only full-name full-tree abbrev format"),
  "cat-file": looking("tspe", ""),
  "diff-tree": looking(letters, `${changes} root no-commit-id`),
  "diff-index": looking(letters, changes),
  "name-rev": looking("", "name-only tags refs all always"),
  describe: looking(
    "",
    "all tags long abbrev always dirty exact-match match exclude first-parent contains candidates broken",
  ),
  "merge-base": looking("a", "all is-ancestor fork-point octopus independent"),
  "for-each-ref": looking(
    "",
    "count= sort= format= points-at= merged no-merged contains no-contains color ignore-case",
  ),
  "show-ref": looking("qsdh", "heads tags verify quiet hash abbrev head dereference branches"),
  "count-objects": listing("vH", "verbose human-readable"),
  blame: looking(
    "bcefFlL:nstwC;M;p",
    "line-porcelain porcelain root show-stats show-name show-number show-email date abbrev ignore-rev since= color-lines",
  ),
  annotate: looking("L:", ""),
  grep: {
    short: "iIvwhHEGPFnclLzoqWpA:B:C:e:a",
    long: "cached ignore-case word-regexp invert-match extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches files-without-match name-only count all-match quiet max-depth= recursive no-recursive heading break show-function function-context after-context before-context context only-matching null color no-color text and or not",
    operands: "pattern",
  },
  reflog: looking(letters, `${commits} ${changes}`),
  branch: listing(
    "arvi",
    "all remotes list verbose show-current sort= color no-color column no-column ignore-case contains no-contains merged no-merged points-at= format= abbrev=",
  ),
  tag: listing(
    "ln",
    "list sort= column no-column ignore-case contains no-contains merged no-merged points-at= format=",
  ),
  remote: listing("v", "verbose"),
  "check-ignore": looking("qvnz", "quiet verbose non-matching"),
  "check-attr": looking("az", "all cached"),
  whatchanged: looking(letters, `${commits} ${changes}`),
  version: listing("", "build-options"),
  help: { short: "ag", long: "all guides", operands: "none" },
};

/** Read-only pairs of git subcommand and its own subcommand. */
export const readOnlyGitPairs: Readonly<Record<string, ReadOnly>> = {
  "remote get-url": { long: "all push", operands: "text" },
  "stash list": looking(letters, `${commits} ${changes}`),
  "stash show": looking(letters, changes),
  "worktree list": listing("vz", "porcelain verbose"),
  "config --get": { operands: "text" },
  "config --get-all": { operands: "text" },
  "config --list": listing("", "show-origin show-scope name-only"),
  "config -l": listing("", "show-origin show-scope name-only"),
  "bisect log": listing("", ""),
  "notes list": looking("", ""),
  "notes show": looking("", ""),
};
