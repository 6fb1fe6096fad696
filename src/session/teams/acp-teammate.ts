import { teammateConduct } from "../../agent/index.ts";
import { createProcessScope, type CreateId } from "../../platform/index.ts";
import type { AgentDefinition, CallId, ModelClient, PermissionMode, RequestId } from "../../protocol/index.ts";
import type { Config } from "../config/load-config.ts";
import { type StoreOptions, storeVariables } from "../config/store-variables.ts";
import { ownExecutable } from "../config/own-executable.ts";
import type { MemberContext } from "../member-context.ts";
import type { PermissionAsker } from "../session-context.ts";

export interface AcpTeammateOptions {
  readonly member?: MemberContext | undefined;
  readonly config: Pick<Config, "home" | "cwd">;
  readonly flags: StoreOptions;
  /** The user's full environment: the external program finds its own keys and settings in it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly asker: PermissionAsker;
  readonly createId: CreateId;
}

/**
 * Returns a model client for a teammate that an external program runs over the Agent Client Protocol. Returns undefined
 * for other teammates.
 */
export async function createAcpTeammate(
  definition: AgentDefinition,
  options: AcpTeammateOptions,
): Promise<(ModelClient & { close(): Promise<void> }) | undefined> {
  const { member, config } = options;
  if (definition.backend !== "acp" || !member) return undefined;
  const { createAcpModel } = await import("../../model/index.ts").then(({ loadAcp }) => loadAcp());
  const { team, name } = member;
  const processes = createProcessScope();
  const env = Object.fromEntries(
    Object.entries({ ...options.env, ...storeVariables(options.flags), TROUPE_HOME: config.home }).flatMap(
      ([key, value]) => (value === undefined ? [] : [[key, value] as const]),
    ),
  );
  const [program, ...words] = ownExecutable();
  const model = createAcpModel({
    name: definition.name,
    command: commandOf(definition),
    cwd: member.folder ?? config.cwd,
    env,
    processes,
    introduction: introductionOf(definition, member),
    mcpServers: [
      {
        name: "troupe",
        command: program,
        args: [...words, "mcp", "serve", "--team", team, "--as", name, "--voice"],
        env: passedVariables.flatMap((key) => (env[key] ? [{ name: key, value: env[key] }] : [])),
      },
    ],
    ask: (question, signal) => askPermission(question, { ...options, mode: member.modeNow?.() ?? member.mode }, signal),
  });
  return {
    ...model,
    async close() {
      await model.close();
      await processes.close();
    },
  };
}

/** Variables that `troupe mcp serve` needs to find the team store. */
const passedVariables = ["TROUPE_HOME", "PATH", "HOME", "TROUPE_BUS", "TROUPE_TEAM_STORE", "CLAUDE_CONFIG_DIR"];

const toolNote =
  "Use the tools of the MCP server troupe (SendMessage, TaskList, TaskUpdate and others) for your team's mail and tasks. Messages to you arrive automatically. When you have nothing left to do, summarize in a few words what you did, and stop. That summary goes to team-lead automatically.";

/** Its own program tells it how to work with files. Only what the team adds is said here. */
function introductionOf(definition: AgentDefinition, { prompt }: Omit<MemberContext, "definition">): string {
  const role = definition.prompt.trim();
  const team =
    prompt.team &&
    teammateConduct({ ...prompt.team, role, tools: serverTools, hasInstructions: false, onlyReads: false });
  return [team ?? role, ...prompt.blocks, toolNote].filter((text) => text !== "").join("\n\n");
}

/** The tools of the MCP server that it uses. */
const serverTools = new Set(["SendMessage", "TaskCreate", "TaskList", "TaskUpdate"]);

/** Splits a string at spaces. No shell reads it. */
const commandOf = ({ command = [] }: AgentDefinition): readonly string[] =>
  typeof command === "string" ? command.trim().split(/\s+/) : command;

async function askPermission(
  { title, tool, input }: { title: string; tool: string; input: unknown },
  { mode, asker, createId }: Pick<AcpTeammateOptions, "asker" | "createId"> & { mode: PermissionMode },
  signal: AbortSignal,
): Promise<boolean> {
  if (mode === "bypassPermissions" || (mode === "acceptEdits" && tool === "edit")) return true;
  if (mode === "dontAsk" || typeof asker !== "function") return false;
  const question = {
    requestId: createId<RequestId>("ask"),
    callId: createId<CallId>("call"),
    tool: `acp:${tool}`,
    input,
    question: title,
    suggestions: [],
  };
  return (await asker(question, signal)).behavior === "allow";
}
