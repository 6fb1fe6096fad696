import * as z from "zod";
import type { RefusedCommand } from "../../agent/index.ts";
import { type LandSettings, TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import {
  defineTool,
  failedResult,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../tool/index.ts";
import { branchesOf } from "./branches-of.ts";
import type { ResolveConflict } from "./describe-conflict.ts";
import { isLandingInterrupted, land, type LandReport } from "./land.ts";
import { openRepository, type RepositoryContext } from "../worktree/repository.ts";
import { filesInTheWay, type InTheWayAdvice, inTheWayText } from "./files-in-the-way.ts";
import { pathsOfBranches } from "./touched-paths.ts";
import { landResult } from "./land-result.ts";

export interface LandToolPorts {
  /** The checkout that branches are landed on. */
  readonly place: RepositoryContext;
  readonly settings: { readonly land: LandSettings; readonly worktree: WorktreeSettings };
  /** The refusal of this check. Undefined if the agent may run it without asking. */
  readonly refuseCheck: (command: string) => Promise<RefusedCommand | undefined>;
  /** The same for a command that the agent runs itself. */
  readonly refuseCommand: (command: string) => Promise<RefusedCommand | undefined>;
  /** True for an agent of this name that works in the checkout itself. */
  readonly worksHere: (name: string) => Promise<boolean>;
  /** The branch that this agent works on, if it is known. */
  readonly branchOf?: ((name: string) => Promise<string | undefined>) | undefined;
  readonly resolveConflict: ResolveConflict;
  /** The id of the agent that has the tool. A fork of it has the tool too, and may not use it. */
  readonly ownerId: () => string;
}

const LandInput = z.strictObject({
  branches: z
    .array(z.string().min(1))
    .min(1)
    .max(50)
    .describe('Branches in landing order, such as "troupe/dev-7c1d", or names of agents that worked in worktrees'),
  check: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Command that must succeed on the result, such as npm test: one that is allowed without asking. If none is, leave it out and tell the user that no check was run. Default: land.check of the settings",
    ),
});
type LandInput = z.infer<typeof LandInput>;

/** Creates the tool with which a lead brings the branches of its agents to its own branch. */
export function createLandTool(ports: LandToolPorts): Tool {
  return defineTool<LandInput>({
    name: "Land",
    description:
      "Brings branches of agents to your branch and folder. In a temporary worktree each branch is rebased on the one before it, an agent resolves conflicts, and the check runs on the result. A branch that conflicts or fails the check is left out; the others land. Only commits land; branches and worktrees remain. Your uncommitted changes stay; a file that a branch changes must have none, or the same content.",
    input: LandInput,
    access: "write",
    subject: () => ({ kind: "path", path: ports.place.cwd, change: true }),
    title: ({ branches }) => `Land ${branches.join(", ")}`,
    execute: (input, context) => runLand(input, context, ports),
  });
}

async function runLand(input: LandInput, context: ToolContext, ports: LandToolPorts): Promise<ToolResult> {
  if (context.agent.id !== ports.ownerId()) return failedResult("You are a fork. Leave landing to your parent.");
  const { settings } = ports;
  const check = input.check ?? settings.land.check;
  const place = { ...ports.place, signal: context.signal };
  try {
    const { branches, problems } = await branchesOf(place, { ...ports, names: input.branches });
    // The check of the settings is the user's own.
    const refusal = check === undefined || check === settings.land.check ? undefined : await ports.refuseCheck(check);
    if (check !== undefined && refusal) problems.push(refusedCheckText(check, refusal, settings.land.check));
    const advice = { changed: await adviceOnChanges(branches, ports), untracked: adviceOnUntracked };
    if (problems.length > 0) return notLanded([...problems, ...(await problemsInTheWay(place, branches, advice))]);
    const report: LandReport = await land(place, {
      branches,
      advice,
      settings: { ...settings.land, ...(check !== undefined && { check }) },
      worktree: settings.worktree,
      resolveConflict: ports.resolveConflict,
      onProgress: (line) => context.progress(`${line}\n`),
    });
    const text = landResult(report);
    return report.refused.some(({ reason }) => reason !== "nothing new") ? failedResult(text) : textResult(text);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return notLanded([error.message]);
  }
}

/** Names all problems at once, so that the next call can succeed. */
const notLanded = (problems: readonly string[]) =>
  failedResult(
    problems.length === 1
      ? `Nothing was landed: ${problems[0]}`
      : ["Nothing was landed:", ...problems.map((problem) => `- ${problem}`)].join("\n"),
  );

/** The changed files of an interrupted landing are no problem: the next landing recovers them. */
async function problemsInTheWay(
  place: RepositoryContext,
  branches: readonly string[],
  advice: InTheWayAdvice,
): Promise<readonly string[]> {
  const repository = await openRepository(place);
  if (await isLandingInterrupted(repository)) return [];
  const before = await repository.ask(["rev-parse", "--verify", "HEAD"]);
  const tips = branches.map(async (branch) => ({
    branch,
    tip: await repository.ask(["rev-parse", "--verify", `refs/heads/${branch}`]),
  }));
  const chosen = await Promise.all(tips);
  const touched = await pathsOfBranches(repository, { before, branches: chosen });
  const { reasons } = await filesInTheWay(repository, touched, { results: chosen.map(({ tip }) => tip), advice });
  return reasons.length === 0 ? [] : [inTheWayText(repository, reasons)];
}

/** The files may be the user's, and then only the user decides about them. */
async function adviceOnChanges(branches: readonly string[], { refuseCommand }: LandToolPorts): Promise<string> {
  const refusal = await refuseCommand("git add -A && git commit -m changes");
  if (!refusal) return "Commit them yourself only if you or your agents made them; otherwise tell the user.";
  const { why, allowedWith } = refusal;
  const byUser = branches.length === 0 ? "" : `, and land with: troupe land ${branches.join(" ")}`;
  return `You may not commit them here (${why}). If you or your agents made them: start an agent with isolation: worktree that copies them with cp from this folder and commits them, then land its branch first. Otherwise leave them and the branches as they are: nothing is lost. Tell the user, who can commit them${byUser}.${allowedWith === undefined ? "" : ` The user can also allow you to commit with ${allowedWith}.`}`;
}

function refusedCheckText(check: string, { why, allowedWith }: RefusedCommand, ofSettings: string | undefined): string {
  const without =
    ofSettings === undefined
      ? "call Land without check and tell the user that no check was run"
      : `call Land without check: then the check of the settings runs (${ofSettings})`;
  const setting = `land.check ${JSON.stringify(check)} in the settings`;
  return `you may not run the check ${JSON.stringify(check)} without asking (${why}). Use a check that you may run, or ${without}. The user can allow this check with ${allowedWith === undefined ? setting : `${allowedWith}, or with ${setting}`}.`;
}

const adviceOnUntracked =
  "If you or one of your agents made them, rename or remove them, then land again. Otherwise leave them and tell the user: git has no copy of them.";
