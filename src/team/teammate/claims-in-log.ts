import type { CallId, Envelope, WorkItemId } from "../../protocol/index.ts";

/** The last claim in the log of a teammate. */
export interface LoggedClaim {
  readonly taskId: WorkItemId;
  /** `call`: the agent claimed it with a tool and knows of it. `runtime`: a prompt tells the agent of it. */
  readonly by: "call" | "runtime";
  /** `completed` or `released`: by the agent, since. */
  readonly state: "open" | "completed" | "released";
}

/** The runtime claims only between turns, so a claim during a tool call is the agent's own. */
export function lastClaimIn(replayed: readonly Pick<Envelope, "event">[]): LoggedClaim | undefined {
  const calls = new Set<CallId>();
  let last: LoggedClaim | undefined;
  for (const { event } of replayed) {
    if (event.type === "tool.called") calls.add(event.callId);
    if (event.type === "tool.settled") calls.delete(event.callId);
    if (event.type === "session.opened") calls.clear();
    if (event.type === "task.claimed")
      last = { taskId: event.taskId, by: calls.size > 0 ? "call" : "runtime", state: "open" };
    if (last && event.type === "task.updated" && event.taskId === last.taskId && event.status !== "in_progress")
      last = { ...last, state: event.status === "completed" ? "completed" : "released" };
  }
  return last;
}
