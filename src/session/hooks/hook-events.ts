/** The properties that differ between events. */
export interface HookEventRules {
  /** The input field that matchers test. Without it, every hook of the event runs. */
  readonly subject?: "tool_name" | "source" | "reason" | "trigger" | "notification_type" | "agent_type";
  /** The hooks of this event protect something, so a failed hook denies. */
  readonly guards?: true;
  /** A denial has an effect: exit code 2, or `"decision": "block"`. For other events the reason is only shown. */
  readonly blocks?: true;
  /** Output that is not JSON goes to the model. */
  readonly speaks?: true;
  /** Only one hook may run: the first of the source with the highest precedence. */
  readonly alone?: true;
  /** The timeout, if it is not 60 seconds. */
  readonly timeoutMs?: number;
}

/** All events. To add one, add a line here and a call of the runner. */
export const hookEvents = {
  SessionStart: { subject: "source", speaks: true },
  /** Short, because the user waits for the program to exit. */
  SessionEnd: { subject: "reason", timeoutMs: 5_000 },
  UserPromptSubmit: { blocks: true, speaks: true },
  PreToolUse: { subject: "tool_name", guards: true, blocks: true },
  PostToolUse: { subject: "tool_name", blocks: true },
  PermissionRequest: { subject: "tool_name", guards: true, blocks: true },
  Notification: { subject: "notification_type" },
  Stop: { blocks: true },
  SubagentStart: { subject: "agent_type", speaks: true },
  /** Like `Stop`, for subagents. */
  SubagentStop: { subject: "agent_type", blocks: true },
  /** A teammate is about to become idle. */
  TeammateIdle: { blocks: true },
  TaskCreated: { blocks: true },
  TaskCompleted: { blocks: true },
  PreCompact: { subject: "trigger", blocks: true },
  /** The hook creates the worktree and prints its path. */
  WorktreeCreate: { guards: true, blocks: true, speaks: true, alone: true, timeoutMs: 600_000 },
  WorktreeRemove: {},
} as const satisfies Record<string, HookEventRules>;

export type HookEvent = keyof typeof hookEvents;

export const rulesOf = (event: HookEvent): HookEventRules => hookEvents[event];

export const isHookEvent = (name: string): name is HookEvent => Object.hasOwn(hookEvents, name);
