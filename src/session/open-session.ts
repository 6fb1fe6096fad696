import { isDiskFull, runningCommandsNotice } from "../agent/index.ts";
import { type Cleanup, closeAll } from "../platform/index.ts";
import { type Ack, TroupeError } from "../protocol/index.ts";
import { beginSession } from "./begin-session.ts";
import { diffOpenSession } from "./checkpoints/diff-open-session.ts";
import { rewindPoints } from "./checkpoints/rewind-points.ts";
import { dispatch } from "./dispatch.ts";
import type { Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";
import { createSessionRuntime, type SessionRuntime } from "./session-runtime.ts";
import { sessionSlashCommands } from "./submit-user-prompt.ts";
import { noOpenWork, withWorktrees } from "./teams/ongoing-team-work.ts";

/**
 * Opens a session from its log, new or existing, and returns the object that all frontends use. `cleanup` closes what its
 * start has opened.
 */
export async function openSession(context: SessionContext, cleanup: Cleanup): Promise<Session> {
  const { log, ports } = context;
  const { opened } = log;
  const runtime = createSessionRuntime(context);
  cleanup.add(runtime.scope.close);
  const { own, subagents, team, events } = runtime;
  let closing: Promise<void> | undefined;
  const warn = async (code: "telemetry" | "checkpoints" | "worktree" | "door", message: string) => {
    if (!closing) await own.agent.record({ type: "notice.raised", level: "warning", code, message });
  };
  ports.checkpoints?.attach((message) => void unlessDiskFull(runtime, warn("checkpoints", message)));
  ports.telemetry?.attach((message) => void unlessDiskFull(runtime, warn("telemetry", message)));
  await beginSession(runtime);
  // In the background: closing waits for it, the first turn does not.
  const recovering = recoverWorktrees();
  // `close` reports a failure. Until then it counts as handled.
  recovering.catch(() => undefined);

  const session: Session = {
    id: opened.sessionId,
    cwd: context.config.cwd,
    async dispatch(command) {
      const ack = closing ? closedAck : await tryDispatch(command);
      if (!closing && (command.id !== undefined || !ack.ok)) {
        own.agent.live({
          type: "command.settled",
          ok: ack.ok,
          ...(command.id !== undefined && { commandId: command.id }),
          ...(!ack.ok && { code: ack.code, message: ack.message }),
        });
      }
      return ack;
    },
    events: (options) => events.subscribe(options),
    view: () => events.view,
    transcript: ({ session: id, agent }) => log.readTranscript(id ?? opened.sessionId, agent),
    effort: () => context.models.thinking.current().effort,
    slashCommands: () =>
      sessionSlashCommands(runtime).map(({ name, description, argumentHint, source }) => ({
        name,
        description,
        argumentHint,
        source,
      })),
    settled: async () => own.agent.settled(),
    async delegate(work) {
      if (closing) throw new TroupeError("agent", "This session cannot start agents.");
      return subagents.delegate(work);
    },
    openWork: async () => withWorktrees((await team.openWork?.()) ?? noOpenWork, await subagents.leftWorktrees()),
    async remindOfCommands() {
      const commands = own.background.running().filter(({ kind }) => kind === "shell");
      if (commands.length === 0) return;
      await own.agent.admit("agent", [{ type: "text", text: runningCommandsNotice(commands) }]);
      own.agent.wake();
    },
    backgroundRunning: () => [...own.background.running(), ...team.running()],
    changes: {
      rewindPoints: async () => rewindPoints(await log.readLead()),
      diff: (of = {}) => diffOpenSession(of, context),
    },
    close: (reason = "completed") => (closing ??= close(reason)),
  };
  const socket = ports.openSocket?.(session, (message) => warn("door", message));
  return session;

  async function tryDispatch(command: Parameters<Session["dispatch"]>[0]): Promise<Ack> {
    try {
      return await dispatch(command, runtime, session.close);
    } catch (error) {
      if (TroupeError.is(error)) return { ok: false, code: error.code, message: error.message };
      throw error;
    }
  }

  async function recoverWorktrees(): Promise<void> {
    for (const message of await ports.recoverWorktrees()) await warn("worktree", message);
  }

  async function close(reason: "completed" | "interrupted" | "failed"): Promise<void> {
    await closeAll([
      () => closeAgents(runtime, { reason, recovering }),
      () => events.close(),
      // While this process owns the session: the next owner opens its own socket.
      () => socket?.close(),
      cleanup.close,
    ]);
  }
}

/** Ends everything that may still write to the log, then records the end. */
async function closeAgents(
  runtime: SessionRuntime,
  {
    reason,
    recovering,
  }: { readonly reason: "completed" | "interrupted" | "failed"; readonly recovering: Promise<void> },
): Promise<void> {
  const { context, own, subagents, team } = runtime;
  await closeAll([
    () => unlessDiskFull(runtime, subagents.leave()),
    own.agent.close,
    team.close,
    () => unlessDiskFull(runtime, recovering),
    // In parallel, so that no agent is woken by another one's end.
    () => Promise.all([subagents.interruptAll("the session was closed"), own.background.stopAll()]),
    subagents.close,
    () => unlessDiskFull(runtime, own.hooks?.ended(reason)),
    context.role.close,
    context.extensions.closeServers,
    runtime.scope.close,
    () => own.sandbox?.close(),
    () => unlessDiskFull(runtime, runtime.name.repeat()),
    () => unlessDiskFull(runtime, own.agent.record({ type: "session.closed", reason })),
  ]);
}

/** A full disk must not prevent closing. The log can be resumed without its last events. */
async function unlessDiskFull({ own }: SessionRuntime, write: Promise<void> | undefined): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    const reason = "The disk is full, so the end of the session was not recorded. The session can still be resumed.";
    own.agent.live({ type: "turn.waiting", turn: own.conversation.turn, reason });
  }
}

const closedAck: Ack = {
  ok: false,
  code: "session_closed",
  message: "the session is closed: open it again with --resume",
};
