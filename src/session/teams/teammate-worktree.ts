import { basename } from "node:path";
import type { Clock, CreateId } from "../../platform/index.ts";
import { type AgentId, type Member, teamLead, TroupeError } from "../../protocol/index.ts";
import { type LeftWorktree, type WorktreeFacts, worktreeStateLine } from "../../agent/index.ts";
import {
  type LeadTeamOptions,
  type Mailbox,
  portsForExternalWorktree,
  releasePorts,
  type WorktreeEngine,
} from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import type { SessionHost } from "../session-host.ts";
import { hookWorktreeFacts } from "../subagents/isolate-in-worktree.ts";
import { runWorktreeRemoveHooks } from "./worktree-remove-hooks.ts";

export interface TeammateWorktreePorts {
  readonly config: Pick<Config, "home" | "userHome" | "childEnv" | "hooks" | "cwd">;
  readonly worktrees: WorktreeEngine;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** The worktrees of a lead's members. */
export const memberWorktrees = (ports: TeammateWorktreePorts): LeadTeamOptions["worktrees"] => ({
  cleanUp: (member) => cleanUpWorktree(member, ports),
  leftBy: (member) => leftWorktree(member, ports),
});

/**
 * Cleans up the worktree of a member that could not do it itself. It is kept if it has changes, otherwise removed. A
 * worktree that a hook created is left to the hook. Returns the problems of the `WorktreeRemove` hooks.
 */
async function cleanUpWorktree(
  { name: member, worktreePath, worktreeBranch, cwd }: Member,
  ports: TeammateWorktreePorts,
): Promise<readonly string[]> {
  if (worktreePath === undefined) return [];
  const place = placeOf({ cwd }, ports);
  const name = basename(worktreePath);
  if (!(await ports.worktrees.isOwn(place, { name, path: worktreePath }))) return [];
  const { outcome } = await ports.worktrees.finish(place, { name, endedAgent: member });
  const removed = outcome === "removed" ? [{ path: worktreePath, name, branch: worktreeBranch }] : [];
  return runWorktreeRemoveHooks(removed, ports);
}

/**
 * The work of a member's worktree that has not landed, in one line: `branch troupe/x: 1 commit that main does not have,
 * 0 uncommitted files`. Undefined if the member has no worktree, or it is gone.
 */
async function memberWorktreeLine(
  { worktreePath, cwd }: Pick<Member, "worktreePath" | "cwd">,
  ports: TeammateWorktreePorts,
): Promise<string | undefined> {
  if (worktreePath === undefined) return undefined;
  try {
    const state = await ports.worktrees.state(placeOf({ cwd }, ports), worktreePath);
    return state && worktreeStateLine(state);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return `its worktree ${worktreePath} cannot be inspected: ${error.message}`;
  }
}

export interface TeammateWorktree {
  readonly path: string;
  readonly facts: WorktreeFacts;
  readonly env: Readonly<Record<string, string>>;
  /** Its work that has not landed, in one line. */
  stateLine(): Promise<string | undefined>;
  finish(): Promise<void>;
}

export interface OpenWorktreePorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: Pick<SessionHost, "clock" | "createId" | "loadConfig" | "worktrees">;
  readonly mailbox: Pick<Mailbox, "send">;
}

/** Opens the teammate's worktree as it was. Makes it again if it is gone. */
export async function openTeammateWorktree(
  member: Member,
  { env, host, mailbox }: OpenWorktreePorts,
): Promise<TeammateWorktree | undefined> {
  const { worktreePath } = member;
  if (worktreePath === undefined) return undefined;
  const { clock, createId, worktrees } = host;
  const config = await host.loadConfig({ cwd: member.cwd, env });
  const ports = { config, worktrees, clock, createId, mailbox };
  const place = placeOf(member, ports);
  const name = basename(worktreePath);
  const resumed = await worktrees.resume(place, name, { adopt: true });
  const stateLine = () => memberWorktreeLine(member, ports);
  if (resumed) return { ...resumed, stateLine, finish: () => finishOwn(member, name, ports) };
  if (worktrees.hasFolder(worktreePath)) {
    const variables = await portsForExternalWorktree(place, { path: worktreePath, settings: config.worktree });
    return {
      path: worktreePath,
      facts: await hookWorktreeFacts(place, { path: worktreePath, branch: member.worktreeBranch ?? "" }),
      env: { TROUPE_WORKTREE: worktreePath, ...variables },
      stateLine,
      finish: () => releasePorts(place, worktreePath),
    };
  }
  const lost = {
    agentId: createId<AgentId>("agt"),
    path: worktreePath,
    branch: member.worktreeBranch ?? `troupe/${name}`,
  };
  const made = await worktrees.recreate(place, { ...lost, settings: config.worktree });
  await mailbox.send({
    from: member.name,
    to: teamLead,
    text: recreatedForLead(member.name, made.facts),
    wakes: false,
  });
  return { ...made, stateLine, finish: () => finishOwn(member, made.name, ports) };
}

const recreatedForLead = (name: string, { path, branch }: WorktreeFacts) =>
  `The worktree ${path} of ${name} was gone and was made again, on branch ${branch}. Files that were not committed are not there.`;

async function finishOwn(
  member: Member,
  name: string,
  ports: TeammateWorktreePorts & Pick<OpenWorktreePorts, "mailbox">,
): Promise<void> {
  const { outcome } = await ports.worktrees.finish(placeOf(member, ports), { name, endedAgent: member.name });
  if (outcome !== "removed") return tellWorkLeft(member, ports);
  const removed = { path: member.worktreePath ?? "", name, branch: member.worktreeBranch };
  const problems = await runWorktreeRemoveHooks([removed], ports);
  for (const text of problems) await ports.mailbox.send({ from: member.name, to: teamLead, text, wakes: false });
}

/** Tells the lead of the work that a member leaves when it ends. */
async function tellWorkLeft(
  member: Member,
  ports: TeammateWorktreePorts & Pick<OpenWorktreePorts, "mailbox">,
): Promise<void> {
  const state = await ports.worktrees.state(placeOf(member, ports), member.worktreePath ?? "");
  if (!state || (state.commits === 0 && state.uncommitted.length === 0)) return;
  const text = [
    `The worktree ${state.path} of ${member.name} is kept.`,
    worktreeStateLine(state),
    ...(state.commits > 0
      ? [`Bring it to ${state.target ?? "your branch"} with Land (branches: ["${state.branch}"]).`]
      : []),
    ...(state.uncommitted.length > 0 ? ["Uncommitted files do not land. They stay in that folder."] : []),
  ].join("\n");
  await ports.mailbox.send({ from: member.name, to: teamLead, text, wakes: false });
}

const placeOf = ({ cwd }: Pick<Member, "cwd">, { config, clock, createId }: TeammateWorktreePorts) => ({
  home: config.home,
  userHome: config.userHome,
  cwd,
  env: config.childEnv,
  clock,
  createId,
});

/** The work of this member that has not landed. Undefined if it has no worktree, or it cannot be inspected. */
export async function unlandedWorkOf(
  name: string,
  members: readonly Member[],
  leftBy: LeadTeamOptions["worktrees"]["leftBy"],
): Promise<LeftWorktree | undefined> {
  const member = members.find((each) => each.name === name);
  try {
    return member && (await leftBy(member));
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}

/** The work that a member left in its worktree. Undefined if it has none any more. */
async function leftWorktree(
  { worktreePath, cwd }: Member,
  ports: TeammateWorktreePorts,
): Promise<LeftWorktree | undefined> {
  const state =
    worktreePath === undefined ? undefined : await ports.worktrees.state(placeOf({ cwd }, ports), worktreePath);
  if (!state) return undefined;
  const { path, branch, target, commits, uncommitted } = state;
  return {
    path,
    target,
    branch: branch === "" ? undefined : branch,
    commits,
    uncommittedFiles: uncommitted.length,
    uncommitted,
  };
}
