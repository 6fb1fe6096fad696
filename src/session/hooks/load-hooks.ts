import * as z from "zod";
import { TroupeError } from "../../protocol/index.ts";
import { parseRule } from "../../tool/index.ts";
import type { HookFunction } from "./function-hooks.ts";
import type { Placed } from "../config/settings/merge-settings.ts";
import { type HookEvent, hookEvents, isHookEvent, rulesOf } from "./hook-events.ts";

/** One hook command and the condition for running it. */
export interface Hook {
  readonly event: HookEvent;
  readonly matches: (subject: string) => boolean;
  /** A permission rule. The hook runs only for calls that the rule may match. */
  readonly condition?: string | undefined;
  readonly command: string;
  /** The function to call instead of the command, for a hook in code. `command` is then its name. */
  readonly call?: HookFunction | undefined;
  readonly timeoutMs: number;
  /** The consequence of a failure: `closed` denies. */
  readonly onFailure: "open" | "closed";
  /** Runs in the background, and its verdict is ignored. */
  readonly background: boolean;
  /** The file that defines the hook. */
  readonly source: string;
  /** The folder of the settings file; undefined if the file applies to all folders. */
  readonly folder: string | undefined;
  /** Set if the hook can never run: the reason. */
  readonly fault?: string | undefined;
}

export interface LoadedHooks {
  /** Ordered by source, highest precedence first. */
  readonly hooks: readonly Hook[];
  readonly notices: readonly string[];
}

/** Unknown keys are ignored: other programs that share these hooks define more keys. */
const Handler = z.looseObject({
  type: z.string(),
  command: z.string().trim().min(1).optional(),
  /** In seconds. */
  timeout: z.number().positive().max(3_600).optional(),
  onFailure: z.enum(["open", "closed"]).optional(),
  async: z.boolean().optional(),
  if: z.string().optional(),
});
const Group = z.looseObject({ matcher: z.string().optional(), hooks: z.array(Handler) });
const HookSettings = z.record(z.string(), z.array(Group));

export const defaultTimeoutMs = 60_000;

/**
 * Validates the hooks of the settings. A problem is an error with its location: an ignored hook would protect nothing.
 */
export function loadHooks(placed: readonly Placed<unknown>[]): LoadedHooks {
  const unknown = new Map<string, Set<string>>();
  const notices: string[] = [];
  const hooks = placed.flatMap(({ value, source, folder, level }) => {
    const settings = HookSettings.safeParse(value);
    if (!settings.success) throw notHooks(source, settings.error);
    return Object.entries(settings.data).flatMap(([event, groups]) => {
      if (!isHookEvent(event)) {
        if (groups.length > 0) unknown.set(source, (unknown.get(source) ?? new Set()).add(event));
        return [];
      }
      return groups.flatMap((group, index) => {
        const matches = matcherOf(group.matcher, `${source}: hooks.${event}[${index}].matcher`);
        return group.hooks.map((handler, place): Hook => {
          const at = `${source}: hooks.${event}[${index}].hooks[${place}]`;
          return {
            event,
            matches: rulesOf(event).subject === undefined ? () => true : matches,
            ...handlerOf(event, handler, at),
            ...conditionOf(event, handler.if, at),
            source,
            folder: level === "project" ? folder : undefined,
          };
        });
      });
    });
  });
  for (const [source, events] of unknown) {
    notices.push(
      `${source}: hooks for ${[...events].join(", ")} never run: the known events are ${Object.keys(hookEvents).join(", ")}`,
    );
  }
  return { hooks, notices: [...new Set(notices)] };
}

function handlerOf(event: HookEvent, handler: z.infer<typeof Handler>, at: string) {
  const { guards, timeoutMs = defaultTimeoutMs } = rulesOf(event);
  const { type, command, timeout, onFailure } = handler;
  if (type === "command" && command === undefined) {
    throw new TroupeError("settings", `${at}.command: is missing. Add the command to run.`);
  }
  return {
    command: command ?? `(${type})`,
    timeoutMs: timeout === undefined ? timeoutMs : Math.ceil(timeout * 1000),
    onFailure: onFailure ?? (guards ? "closed" : "open"),
    // A hook that can deny must not run in the background.
    background: handler.async === true && !guards,
    ...(type !== "command" && { fault: `hooks of type ${JSON.stringify(type)} are not supported, only "command"` }),
  } as const;
}

/**
 * A name, or several joined with `|`, must match exactly. Anything else is a regular expression that may match
 * anywhere.
 */
export function matcherOf(matcher: string | undefined, at: string): (subject: string) => boolean {
  const text = matcher?.trim() ?? "";
  if (text === "" || text === "*") return () => true;
  if (/^[\w|, -]+$/.test(text)) {
    const names = new Set(text.split(/[|,]/).map((name) => name.trim()));
    return (subject) => names.has(subject);
  }
  try {
    const pattern = new RegExp(text);
    return (subject) => pattern.test(subject);
  } catch (error) {
    throw new TroupeError("settings", `${at}: ${(error as Error).message}. Write names separated by |`, {
      cause: error,
    });
  }
}

/** Only tool calls can be matched by a rule. For other events the condition is ignored. */
function conditionOf(event: HookEvent, condition: string | undefined, at: string) {
  if (condition === undefined || rulesOf(event).subject !== "tool_name") return {};
  try {
    return { condition: parseRule(condition).text };
  } catch (error) {
    throw new TroupeError("settings", `${at}.if: ${(error as Error).message}`, { cause: error });
  }
}

function notHooks(source: string, error: z.ZodError): TroupeError {
  const [issue] = error.issues;
  const field = z.core.toDotPath(["hooks", ...(issue?.path ?? [])]);
  return new TroupeError(
    "settings",
    `${source}: ${field}: ${issue?.message ?? error.message}. See docs/reference/hooks.md for examples.`,
  );
}
