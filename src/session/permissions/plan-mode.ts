import { effectiveMode } from "../../agent/definitions/index.ts";
import { planModeOff, planModeOn, planUnattended, type PermissionPorts } from "../../agent/index.ts";
import type { ContentPart, Event, PermissionAnswer, PermissionMode, StoredEnvelope } from "../../protocol/index.ts";

/** Plan mode of one agent: what its log says of it, what its model has been told, and how it ends. */
export interface PlanMode {
  apply(event: Event): void;
  readonly isPlanning: boolean;
  /** It has planned ever since it began: no plan has been approved yet. */
  readonly isFirst: boolean;
  /** What the model does not know yet, to go with the next prompt. The system prompt and the tools never change for it. */
  reminders(): ContentPart[];
  /** The mode that an approved plan leads to. */
  next(): PermissionMode;
  /** Another mode for then; `atMost`: what it would be, and no more than this. */
  setNext(next: { readonly mode: PermissionMode; readonly atMost?: boolean | undefined }): void;
  /** A plan is always the user's to approve, whatever the rules allow; a rule can only forbid to present one. */
  decide(decide: PermissionPorts["decide"]): PermissionPorts["decide"];
  remember(remember: PermissionPorts["remember"]): PermissionPorts["remember"];
}

const planToolName = "ExitPlanMode";

export function createPlanMode(
  initial: PermissionMode,
  afterPlan: PermissionMode = "default",
  isOn: string = planModeOn,
): PlanMode {
  let mode = initial;
  /** The mode to go back to. */
  let before: PermissionMode = modeAfterPlan(initial !== "plan" ? initial : afterPlan);
  let isFirst = initial === "plan";
  let isReported = false;
  let chosen: PermissionMode | undefined;
  const presented = new Set<string>();

  const enter = (next: PermissionMode | undefined) => {
    if (next === undefined) return;
    mode = next;
    if (next === "plan") return;
    before = next;
    isFirst = false;
  };

  return {
    apply(event) {
      switch (event.type) {
        case "agent.spawned":
        case "agent.changed":
          return enter(event.permissionMode);
        case "prompt.admitted":
          for (const part of event.parts) {
            if (part.type !== "text") continue;
            if (part.text === isOn) isReported = true;
            if (part.text === planModeOff) isReported = false;
          }
          return;
        case "tool.called":
          if (event.name === planToolName) presented.add(event.callId);
          return;
        case "tool.settled":
          // The result of an approved plan says that the mode has ended.
          if (presented.delete(event.callId) && event.outcome === "ok") isReported = false;
          return;
        case "context.compacted":
          isReported = false;
          return;
        default:
          return;
      }
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
    setNext({ mode: wanted, atMost }) {
      const next = modeAfterPlan(wanted);
      before = atMost ? effectiveMode({ parent: next, definition: before }).mode : next;
    },
    decide: (decide) => async (tool, input) => {
      const decision = await decide(tool, input);
      if (tool.name !== planToolName || mode !== "plan" || decision.behavior !== "allow") return decision;
      chosen = undefined;
      const { plan } = input as { plan: string };
      const question = `Leave plan mode and carry out this plan?\n\n${plan}`;
      return { behavior: "ask", rule: "plan", question, suggestions: [], unattended: planUnattended };
    },
    remember: (remember) => async (answer: PermissionAnswer, suggestions) => {
      if (answer.behavior === "allow") chosen = answer.permissionMode;
      await remember(answer, suggestions);
    },
  };
}

/** No plan leads to a plan. */
const modeAfterPlan = (mode: PermissionMode): PermissionMode => (mode === "plan" ? "default" : mode);

/**
 * The mode a resumed session goes on in: what is asked for now, else what it was in. Only the loosest mode is not taken up
 * again by itself: whoever wants it says so each time.
 */
export function resumedMode(
  log: readonly StoredEnvelope[],
  { asked, configured }: { asked: PermissionMode | undefined; configured: PermissionMode },
): PermissionMode {
  if (asked !== undefined) return asked;
  const last = lastMode(log);
  return last === undefined || last === "bypassPermissions" ? configured : last;
}

/** The mode a member of a team goes on in: what it was in, and never more than it may have now. */
export function memberMode(log: readonly StoredEnvelope[], limit: PermissionMode): PermissionMode {
  return effectiveMode({ parent: limit, definition: lastMode(log) }).mode;
}

/** The mode that a log ends in. */
export function lastMode(log: readonly StoredEnvelope[]): PermissionMode | undefined {
  let mode: PermissionMode | undefined;
  for (const { event } of log) {
    if (event.type === "agent.spawned" || event.type === "agent.changed") mode = event.permissionMode ?? mode;
  }
  return mode;
}
