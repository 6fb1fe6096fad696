import * as z from "zod";
import { TroupeError } from "../../protocol/index.ts";
import { parseRule } from "../../tool/index.ts";
import type { Placed } from "../config/settings/merge-settings.ts";
import { type HookEvent, hookEvents, isHookEvent, rulesOf } from "./hook-events.ts";

/** One command and when it runs. */
export interface Hook {
  readonly event: HookEvent;
  readonly matches: (subject: string) => boolean;
  /** A rule: the hook runs only for calls that it may speak of. */
  readonly condition?: string | undefined;
  readonly command: string;
  readonly timeoutMs: number;
  /** What it means when it does not work: `closed` counts as a no. */
  readonly onFailure: "open" | "closed";
  /** Nobody waits for it, and nothing it says counts. */
  readonly background: boolean;
  /** The file it is written in. */
  readonly source: string;
  /** The folder that the file speaks for; undefined where it speaks for all. */
  readonly folder: string | undefined;
  /** Why it can never work, where that is known from the start. */
  readonly fault?: string | undefined;
}

export interface LoadedHooks {
  /** In the order of the sources, the strongest first. */
  readonly hooks: readonly Hook[];
  readonly notices: readonly string[];
}

/** Keys that are not known are left alone: hooks are shared with other agents, which know more of them. */
const Handler = z.looseObject({
  type: z.string(),
  command: z.string().trim().min(1).optional(),
  /** Seconds. */
  timeout: z.number().positive().max(3_600).optional(),
  onFailure: z.enum(["open", "closed"]).optional(),
  async: z.boolean().optional(),
  if: z.string().optional(),
});
const Group = z.looseObject({ matcher: z.string().optional(), hooks: z.array(Handler) });
const HookSettings = z.record(z.string(), z.array(Group));

const defaultTimeoutMs = 60_000;

/** Checks what the settings say about hooks. What is wrong is an error with its place: a guard that is passed over guards nothing. */
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
      `${source}: hooks of ${[...events].join(", ")} do not run: there are ${Object.keys(hookEvents).join(", ")}`,
    );
  }
  return { hooks, notices: [...new Set(notices)] };
}

function handlerOf(event: HookEvent, handler: z.infer<typeof Handler>, at: string) {
  const { guards, timeoutMs = defaultTimeoutMs } = rulesOf(event);
  const { type, command, timeout, onFailure } = handler;
  if (type === "command" && command === undefined) {
    throw new TroupeError("settings", `${at}.command: there is none; write the command that is to run`);
  }
  return {
    command: command ?? `(${type})`,
    timeoutMs: timeout === undefined ? timeoutMs : Math.ceil(timeout * 1000),
    onFailure: onFailure ?? (guards ? "closed" : "open"),
    // A guard that nobody waits for would guard nothing.
    background: handler.async === true && !guards,
    ...(type !== "command" && { fault: `hooks of type ${JSON.stringify(type)} cannot be run, only "command"` }),
  } as const;
}

/** Names alone, or several with `|`, are meant exactly; anything else is a regular expression that may match anywhere. */
function matcherOf(matcher: string | undefined, at: string): (subject: string) => boolean {
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
    throw new TroupeError("settings", `${at}: ${(error as Error).message}; write names with | between them`, {
      cause: error,
    });
  }
}

/** Only calls can be told apart by a rule; elsewhere the condition never holds back a hook. */
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
    `${source}: ${field}: ${issue?.message ?? error.message}; docs/hooks.md has examples`,
  );
}
