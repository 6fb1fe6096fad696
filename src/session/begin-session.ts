import { version } from "../platform/index.ts";
import { type CommandSandbox, sandboxState } from "../tool/index.ts";
import { agentOf, type AgentView } from "../view/index.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** Records how the session opens, recovers what its last run left, writes its agent's prompt and starts its teams. */
export async function beginSession(runtime: SessionRuntime): Promise<void> {
  const { context, own, subagents, team } = runtime;
  const { log, extensions, role } = context;
  const { replayed } = log.opened.leadLog;
  const roleNotices = await role.load(own.policy, runtime.tools);
  const sandboxNotices = await sandboxNoticesFor(own.sandbox);
  await recordOpening(runtime);
  for (const message of [...log.opened.notices, ...extensions.notices, ...sandboxNotices, ...roleNotices])
    await own.agent.record({ type: "notice.raised", level: "warning", code: "start", message });
  if (log.isResumed) await subagents.resumeRemoteAgents(own, replayed);
  await subagents.reportLostAgents(own, replayed);
  await own.agent.closeOpenCalls();
  await own.background.recover(replayed, subagents.reportLostWork);
  await composeSystemPrompt(runtime);
  attachServers(runtime);
  own.hooks?.started(log.isResumed ? "resume" : "startup");
  try {
    await team.start();
  } catch (error) {
    await team.close();
    throw error;
  }
}

async function recordOpening({ context, own, events }: SessionRuntime): Promise<void> {
  const { config, log, models, budget, role } = context;
  const { maxBudgetUsd } = budget.ledger.budget;
  await own.agent.record({
    type: "session.opened",
    sessionId: log.opened.sessionId,
    version,
    cwd: config.cwd,
    resumed: log.isResumed,
    ...(role.coordinator && { coordinator: true }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
  });
  const { path, type: agentType, permissionMode, cwd } = role.agent;
  if (!log.isResumed) {
    const model = models.own.ref;
    await own.agent.record({ type: "agent.spawned", path, agentType, model, permissionMode, cwd });
    return;
  }
  const changes = changesSince(agentOf(events.view, own.id), { cwd, permissionMode });
  if (changes) await own.agent.record({ type: "agent.changed", ...changes });
}

/** The facts of a resumed agent that its log does not have: commands of earlier versions could move it. */
function changesSince(
  before: AgentView | undefined,
  now: Pick<AgentView, "cwd" | "permissionMode">,
): Partial<typeof now> | undefined {
  if (!before) return undefined;
  const changes = {
    ...(before.cwd !== now.cwd && { cwd: now.cwd }),
    ...(before.permissionMode !== now.permissionMode && { permissionMode: now.permissionMode }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

async function composeSystemPrompt({ context: { role }, own, tools }: SessionRuntime): Promise<void> {
  const stored = own.conversation.system;
  const now = {
    tools: tools().map(({ name }) => name),
    mode: role.agent.permissionMode,
    sandbox: await sandboxState(own.sandbox),
  };
  const system = await role.system(stored, now);
  if (system !== stored) await own.agent.record({ type: "context.composed", system: [...system] });
}

function attachServers({ context, own, ask }: SessionRuntime): void {
  const { role, extensions, ports } = context;
  const { createId } = ports;
  const { coordinator } = role;
  extensions.mcp?.attach({
    ...own.agent,
    ask,
    createId,
    system: () => own.conversation.system,
    turn: () => own.conversation.turn,
    outputFile: (name) => own.outputFile(`${createId("out")}-${name}`),
    describe: coordinator && (() => coordinator.servers(extensions.tools())),
  });
  role.attach({ record: own.agent.record, ask, createId });
}

/** Warns at the start if there is no sandbox. That it works is remembered, so this seldom takes time. */
async function sandboxNoticesFor(sandbox: CommandSandbox | undefined): Promise<string[]> {
  const problem = await sandbox?.problem();
  if (problem === undefined) return [];
  const consequence = sandbox?.required ? "no commands will run" : "only a few fixed commands run without a question";
  return [`the sandbox is unavailable: ${problem}; ${consequence}`];
}
