import { effectiveMode } from "../../agent/definitions/index.ts";
import {
  planModeForSubagent,
  planModeOff,
  planModeOn,
  planModeOnForCoordinator,
  planNext,
  planUnattended,
  type PastEvents,
  type PermissionPorts,
} from "../../agent/index.ts";
import type { ContentPart, Event, PermissionAnswer, PermissionMode, StoredEnvelope } from "../../protocol/index.ts";

/** Tracks an agent's plan mode: its state in the log, the model's knowledge of it, and the mode after the plan. */
export interface PlanMode {
  /** After a rewind, follows what the earlier conversation tells the model. The mode stays. */
  apply(event: Event, past: PastEvents): void;
  readonly isPlanning: boolean;
  /** True while the agent has never left plan mode: no plan has been approved yet. */
  readonly isFirst: boolean;
  /**
   * Mode changes that the model does not know yet, to send with the next prompt. The system prompt and the tools stay
   * the same.
   */
  reminders(): ContentPart[];
  /** The mode after an approved plan. */
  next(): PermissionMode;
  /** The role that approved the last plan. Undefined if a hook did. */
  approvedBy(): "user" | "lead" | undefined;
  /** Sets the mode after the plan. With `atMost` it only lowers the mode. */
  setNext(next: { readonly mode: PermissionMode; readonly atMost?: boolean | undefined }): void;
  /** A plan always needs the user's approval. A rule can only forbid presenting one. */
  decide(decide: PermissionPorts["decide"]): PermissionPorts["decide"];
  remember(remember: PermissionPorts["remember"]): PermissionPorts["remember"];
}

const planToolName = "ExitPlanMode";

/** A resumed session may use another text than the one that its log has. */
const planModeTexts: ReadonlySet<string> = new Set([planModeOn, planModeOnForCoordinator, planModeForSubagent]);

export function createPlanMode(
  initial: PermissionMode,
  afterPlan: PermissionMode = "default",
  isOn: string = planModeOn,
): PlanMode {
  let mode = initial;
  /** The mode to return to. */
  let before: PermissionMode = modeAfterPlan(initial !== "plan" ? initial : afterPlan);
  let isFirst = initial === "plan";
  let isReported = false;
  let chosen: PermissionMode | undefined;
  let approvedBy: "user" | "lead" | undefined;
  const presented = new Set<string>();

  const enter = (next: PermissionMode | undefined) => {
    if (next === undefined) return;
    mode = next;
    if (next === "plan") return;
    before = next;
    isFirst = false;
  };

  /** Follows what the conversation tells the model about the mode. */
  const applyReport = (event: Event) => {
    switch (event.type) {
      case "prompt.admitted":
        for (const part of event.parts) {
          if (part.type !== "text") continue;
          if (planModeTexts.has(part.text)) isReported = true;
          if (part.text === planModeOff) isReported = false;
        }
        return;
      case "tool.called":
        if (event.name === planToolName) presented.add(event.callId);
        return;
      case "tool.settled":
        // The result of an approved plan tells the model that plan mode has ended.
        if (presented.delete(event.callId) && event.outcome === "ok") isReported = false;
        return;
      case "context.compacted":
        isReported = false;
        return;
      default:
        return;
    }
  };

  return {
    apply(event, past) {
      if (event.type === "agent.spawned" || event.type === "agent.changed") return enter(event.permissionMode);
      if (event.type !== "agent.rewound" || event.to === undefined) return applyReport(event);
      isReported = false;
      presented.clear();
      for (const earlier of past(event.to)) applyReport(earlier);
    },
    get isPlanning() {
      return mode === "plan";
    },
    get isFirst() {
      return isFirst;
    },
    reminders() {
      if ((mode === "plan") === isReported) return [];
      return [{ type: "text", text: mode === "plan" ? isOn : planModeOff }];
    },
    next: () => chosen ?? before,
    approvedBy: () => approvedBy,
    setNext({ mode: wanted, atMost }) {
      const next = modeAfterPlan(wanted);
      before = atMost ? effectiveMode({ parent: next, definition: before }).mode : next;
    },
    decide: (decide) => async (tool, input) => {
      const decision = await decide(tool, input);
      if (tool.name !== planToolName || mode !== "plan" || decision.behavior !== "allow") return decision;
      chosen = undefined;
      approvedBy = undefined;
      const { plan } = input as { plan: string };
      const question = `Leave plan mode and carry out this plan?\n\n${plan}`;
      return {
        behavior: "ask",
        rule: "plan",
        question,
        suggestions: [],
        unattended: planUnattended,
        endsUnattended: true,
        next: planNext,
      };
    },
    remember: (remember) => async (answer: PermissionAnswer, suggestions) => {
      if (answer.behavior === "allow") {
        chosen = answer.permissionMode;
        approvedBy = answer.by ?? "user";
      }
      await remember(answer, suggestions);
    },
  };
}

/** The mode after a plan is never plan mode. */
const modeAfterPlan = (mode: PermissionMode): PermissionMode => (mode === "plan" ? "default" : mode);

/**
 * Returns the mode of a resumed session: the requested mode, otherwise its last mode. `bypassPermissions` is never
 * resumed: the user must request it each time.
 */
export function resumedMode(
  log: readonly StoredEnvelope[],
  { asked, configured }: { asked: PermissionMode | undefined; configured: PermissionMode },
): PermissionMode {
  if (asked !== undefined) return asked;
  const last = lastMode(log);
  return last === undefined || last === "bypassPermissions" ? configured : last;
}

/** Returns the mode of a resumed teammate: its last mode, limited to what is allowed now. */
export function memberMode(log: readonly StoredEnvelope[], limit: PermissionMode): PermissionMode {
  return effectiveMode({ parent: limit, definition: lastMode(log) }).mode;
}

/** Returns the last mode in a log. */
export function lastMode(log: readonly StoredEnvelope[]): PermissionMode | undefined {
  let mode: PermissionMode | undefined;
  for (const { event } of log) {
    if (event.type === "agent.spawned" || event.type === "agent.changed") mode = event.permissionMode ?? mode;
  }
  return mode;
}
