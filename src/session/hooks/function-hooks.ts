import { type HookEvent, hookEvents, isHookEvent, rulesOf } from "./hook-events.ts";
import type { HookOutput } from "./hook-output.ts";
import { defaultTimeoutMs, type Hook, matcherOf } from "./load-hooks.ts";

/**
 * A hook in code. It gets the input that a hook command reads, and returns what a hook command prints. To throw is a
 * failure of the hook: it denies the call if the event protects something.
 */
export type HookFunction = (
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => HookOutput | undefined | void | Promise<HookOutput | undefined | void>;

export interface MatchedHook {
  /** As in the settings: names joined with `|`, or a regular expression. The default is everything. */
  readonly matcher?: string | undefined;
  readonly run: HookFunction;
  /** The default is that of a hook command for this event. */
  readonly timeoutMs?: number | undefined;
}

/** Hooks in code, by event. */
export type FunctionHooks = { readonly [E in HookEvent]?: readonly (HookFunction | MatchedHook)[] | undefined };

/** The problems of a value that should be hooks in code. */
export function functionHooksProblem(hooks: unknown): string[] {
  if (typeof hooks !== "object" || hooks === null)
    return ["hooks: expected an object with lists of functions by event"];
  return Object.entries(hooks).flatMap(([event, list]: [string, unknown]) => {
    if (!isHookEvent(event)) return [`hooks: there is no event ${event}, only ${Object.keys(hookEvents).join(", ")}`];
    if (!Array.isArray(list)) return [`hooks.${event}: expected a list of functions`];
    return list.flatMap((hook: unknown, index) =>
      isHook(hook) ? [] : [`hooks.${event}[${index}]: expected a function, or an object with a function run`],
    );
  });
}

const isHook = (hook: unknown) =>
  typeof hook === "function" ||
  (typeof hook === "object" && hook !== null && "run" in hook && typeof hook.run === "function");

export function loadFunctionHooks(hooks: FunctionHooks): readonly Hook[] {
  return Object.entries(hooks).flatMap(([event, list = []]) => {
    if (!isHookEvent(event)) return [];
    const { guards, subject, timeoutMs = defaultTimeoutMs } = rulesOf(event);
    return list.map((given, index): Hook => {
      const hook = typeof given === "function" ? { run: given } : given;
      const at = `hooks.${event}[${index}]`;
      const matches = matcherOf(hook.matcher, `${at}.matcher`);
      return {
        event,
        matches: subject === undefined ? () => true : matches,
        call: hook.run,
        command: at,
        timeoutMs: hook.timeoutMs ?? timeoutMs,
        onFailure: guards ? "closed" : "open",
        background: false,
        source: "the program",
        folder: undefined,
      };
    });
  });
}
