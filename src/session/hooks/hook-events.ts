/** What is peculiar to the hooks of one event; everything else is the same for all. */
export interface HookEventRules {
  /** The field of its input that matchers are held against; without one every hook of the event runs. */
  readonly subject?: "tool_name" | "source" | "reason" | "trigger" | "notification_type" | "agent_type";
  /** Its hooks are there to stop things: when one fails, it counts as a no. */
  readonly guards?: true;
  /** A no has an effect: exit code 2, or `"decision": "block"`. Elsewhere it is only shown. */
  readonly blocks?: true;
  /** What a hook prints, when it is not JSON, is for the model. */
  readonly speaks?: true;
  /** Its hook does something that two cannot do: only the first of the strongest source runs. */
  readonly alone?: true;
  /** Where it is not a minute. */
  readonly timeoutMs?: number;
}

/** Every event there is. One that comes later is one line here and one call of the runner. */
export const hookEvents = {
  SessionStart: { subject: "source", speaks: true },
  /** Somebody waits for the program to leave. */
  SessionEnd: { subject: "reason", timeoutMs: 5_000 },
  UserPromptSubmit: { blocks: true, speaks: true },
  PreToolUse: { subject: "tool_name", guards: true, blocks: true },
  PostToolUse: { subject: "tool_name", blocks: true },
  PermissionRequest: { subject: "tool_name", guards: true, blocks: true },
  Notification: { subject: "notification_type" },
  Stop: { blocks: true },
  SubagentStart: { subject: "agent_type", speaks: true },
  /** What `Stop` is for the lead. */
  SubagentStop: { subject: "agent_type", blocks: true },
  /** A member of a team has nothing left to do. */
  TeammateIdle: { blocks: true },
  TaskCreated: { blocks: true },
  TaskCompleted: { blocks: true },
  PreCompact: { subject: "trigger", blocks: true },
  /** Makes the worktree itself, and prints where it is. */
  WorktreeCreate: { guards: true, blocks: true, speaks: true, alone: true, timeoutMs: 600_000 },
  WorktreeRemove: {},
} as const satisfies Record<string, HookEventRules>;

export type HookEvent = keyof typeof hookEvents;

export const rulesOf = (event: HookEvent): HookEventRules => hookEvents[event];

export const isHookEvent = (name: string): name is HookEvent => Object.hasOwn(hookEvents, name);
