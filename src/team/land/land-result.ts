import { cutAfter } from "../../protocol/index.ts";
import type { RefusedBranch } from "./build-batch.ts";
import type { CommitMessage } from "./describe-conflict.ts";
import type { LandReport } from "./land.ts";

/** The result of a landing for the lead: the branches that landed, the others with the reason, and the next step. */
export function landResult(report: LandReport): string {
  const target = report.target.replace("refs/heads/", "");
  const notLanded = report.refused.filter(({ reason }) => reason !== "nothing new");
  const nothingNew = report.refused.filter(({ reason }) => reason === "nothing new");
  return [
    ...(report.landed.length === 0
      ? [`Nothing landed on ${target}.`]
      : [
          `Landed on ${target}, now at ${report.after.slice(0, 9)}:`,
          ...report.landed.map(
            ({ branch, commits, resolved }) =>
              `- ${branch}: ${commits} commit${commits === 1 ? "" : "s"}${resolved ? "; an agent resolved a conflict" : ""}`,
          ),
          checkLine(report),
          "Your files have changed: read a file again before you edit it.",
          "The branches and worktrees stay for now: leave them. Troupe removes a worktree and its branch when its agent has ended, unless work is left in it.",
        ]),
    ...nothingNew.map(
      ({ branch }) =>
        `- ${branch}: it has no commits that ${target} lacks; nothing to land. If its agent left uncommitted files, have it commit them with SendMessage, then land ${branch} again.`,
    ),
    ...(notLanded.length === 0 ? [] : ["Not landed:", ...notLanded.map((refused) => refusedText(refused, target))]),
    ...report.notices.map((notice) => `Note: ${notice}.`),
  ].join("\n");
}

const checkLine = ({ check }: LandReport) =>
  check === undefined
    ? "No check was run. Run the tests yourself if you may; if you may not, tell the user that no check was run."
    : `The check passed on the result: ${check}`;

function refusedText(refused: RefusedBranch, target: string): string {
  const { branch } = refused;
  switch (refused.reason) {
    case "nothing new":
      return `- ${branch}: nothing to land.`;
    case "red":
      return [
        `- ${branch}: the check fails with it (${refused.how}). Its output ends with:`,
        indent(refused.tail.slice(-1500)),
        `  Next: have its agent fix it with SendMessage, or another agent if it has ended, then land ${branch} again.`,
      ].join("\n");
    case "conflict":
      return [
        `- ${branch}: conflict in ${refused.conflict.files.join(", ")}, and the agent for conflicts did not resolve it${refused.why === undefined ? "" : `: ${cutAfter(refused.why, 500, "…").replace(/\.$/, "")}`}.`,
        ...commits(`On ${target}`, refused.conflict.ours),
        ...commits("On the branch", refused.conflict.theirs),
        `  Next: have its agent run "git rebase ${target}" in its worktree and resolve it there, then land ${branch} again.`,
      ].join("\n");
  }
}

const commits = (where: string, list: readonly CommitMessage[]) =>
  list
    .slice(0, 5)
    .map(({ commit, message }) => `  ${where}: ${commit} ${cutAfter(message.split("\n")[0] ?? "", 200, "…")}`);

const indent = (text: string) =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
