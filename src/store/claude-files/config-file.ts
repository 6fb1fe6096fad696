import * as z from "zod";
import { currentProcess, type ProcessIdentity, definedFields } from "../../platform/index.ts";
import { AgentColor, type Member, type Team, teamLead, TroupeError } from "../../protocol/index.ts";
import { leadSessionOf } from "./lead-session.ts";

const optionalText = z.string().optional().catch(undefined);

/** An entry of `members` with the fields that are used. Unknown fields are kept. */
const ConfigMember = z.looseObject({
  agentId: optionalText,
  name: z.string().min(1),
  agentType: optionalText,
  model: optionalText,
  prompt: optionalText,
  color: optionalText,
  planModeRequired: z.boolean().optional().catch(undefined),
  joinedAt: z.number().optional().catch(undefined),
  tmuxPaneId: optionalText,
  cwd: optionalText,
  isActive: z.boolean().optional().catch(undefined),
});
export type ConfigMember = z.infer<typeof ConfigMember>;

export const ConfigFile = z.looseObject({
  name: z.string().min(1),
  description: optionalText,
  createdAt: z.number(),
  leadAgentId: optionalText,
  leadSessionId: optionalText,
  leadProcess: z
    .looseObject({ pid: z.number().int().positive(), pidSpace: optionalText, procStart: optionalText })
    .optional()
    .catch(undefined),
  members: z.array(ConfigMember),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

export function parseConfig(value: unknown, path: string): ConfigFile {
  const parsed = ConfigFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join(".") || "the whole file";
  throw new TroupeError("storage", `${path} is not a team config: ${where}: ${issue?.message ?? "wrong form"}.`);
}

/** Returns the config of a team that Troupe makes. Its lead is the first member. */
export function newConfig(team: Team): ConfigFile {
  const createdAt = Date.parse(team.createdAt);
  const lead = team.members[0];
  return {
    name: team.name,
    ...(team.description !== undefined && { description: team.description }),
    createdAt,
    leadAgentId: team.leadAgentId,
    leadSessionId: leadSessionOf(team),
    members: [
      {
        agentId: team.leadAgentId,
        name: teamLead,
        agentType: teamLead,
        joinedAt: createdAt,
        tmuxPaneId: "leader",
        cwd: lead?.cwd ?? "/",
        subscriptions: [],
        backendType: "in-process",
      },
    ],
  };
}

export function leadProcess(now: number, { pid, startedAt, host, pidNamespace }: ProcessIdentity = currentProcess()) {
  return { pid, pidSpace: `${host}#${pidNamespace}`, claimedAt: now, procStart: startedAt };
}

/** Converts a member of the record to an entry of their file. `before` is the existing entry. */
export function toConfigMember(member: Member, before: ConfigMember | undefined): ConfigMember {
  const { agentId, name, agentType, model, prompt, color, planModeRequired, cwd } = member;
  return {
    subscriptions: [],
    ...(member.backendType === "remote" ? ownProcess : ourProcess),
    ...before,
    agentId,
    name,
    ...definedFields({ agentType, color }),
    joinedAt: Date.parse(member.joinedAt),
    ...definedFields({ model, prompt }),
    planModeRequired: planModeRequired ?? false,
    cwd: member.worktreePath ?? cwd,
  };
}

/** Claude Code must not manage our panes. */
const ourProcess = { tmuxPaneId: "in-process", backendType: "in-process" };
/** Claude Code's own process. It ends after it agreed to end only if its entry says that it is not a thread of its lead. */
const ownProcess = { tmuxPaneId: "%none", backendType: "tmux" };

/** Converts an entry that another program wrote. */
export function fromConfigMember(entry: ConfigMember, team: string): Member {
  const { name, agentType, model, prompt, planModeRequired, joinedAt = 0, tmuxPaneId = "", cwd = "/" } = entry;
  const color = AgentColor.safeParse(entry.color);
  return {
    agentId: entry.agentId ?? `${name}@${team}`,
    name,
    ...definedFields({ agentType, model, prompt }),
    ...(color.success && { color: color.data }),
    ...(planModeRequired !== undefined && { planModeRequired }),
    joinedAt: new Date(joinedAt).toISOString(),
    tmuxPaneId,
    cwd,
    subscriptions: [],
    backendType: "remote",
  };
}
