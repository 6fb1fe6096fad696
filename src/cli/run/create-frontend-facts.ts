import { homedir } from "node:os";
import { knownModels } from "../../model/index.ts";
import {
  listHooks,
  listRules,
  loadAgentDefinitions,
  loadConfig,
  openSessionStore,
  type Session,
} from "../../session/index.ts";
import { isEmptySession, isTeammateSession } from "../../store/index.ts";
import type { Fact, FrontendFacts, NextSession, TrustFacts } from "../../tui/index.ts";
import type { RunFlags } from "./run-flags.ts";

export interface FrontendFactsOptions {
  readonly session: Session;
  readonly flags: Partial<RunFlags>;
  readonly setNext: (next: NextSession | undefined) => void;
  readonly trust: TrustFacts | undefined;
}

/** Facts that a frontend shows but no event contains. Each is read when it is requested. */
export function createFrontendFacts({ session, flags, setNext, trust }: FrontendFactsOptions): FrontendFacts {
  const input = { cwd: session.cwd, env: process.env, flags, trust: flags.trust ? ("all" as const) : undefined };
  return {
    slashCommands: () => session.slashCommands(),
    effort: () => session.effort(),
    setNext,
    trust,
    rewindPoints: () => session.changes.rewindPoints(),
    diff: (of) => session.changes.diff(of),
    async agentTypes() {
      const { agents } = await loadAgentDefinitions(await loadConfig(input));
      return agents.map(({ definition: { name, description, source } }) => ({
        title: name,
        detail: `${description} (${source.from})`,
      }));
    },
    async rules() {
      const { rules } = await listRules(input);
      return rules.map(
        ({ list, rule, source, hiddenBy }): Fact => ({
          title: `${list} ${rule}`,
          detail: hiddenBy.length === 0 ? source : `${source}; has no effect: ${hiddenBy.join(", ")} takes precedence`,
          isInactive: hiddenBy.length > 0,
        }),
      );
    },
    async hooks() {
      const { hooks, withheld, areOff } = await listHooks(input);
      const listed = hooks.map(
        ({ event, command, source, condition, fault }): Fact => ({
          title: `${event}${condition === undefined ? "" : ` if ${condition}`}: ${command}`,
          detail: fault ?? source,
          isInactive: fault !== undefined,
        }),
      );
      const unused = withheld.map(
        (source): Fact => ({ title: source, detail: "this folder is not trusted", isInactive: true }),
      );
      return [
        ...(areOff ? [{ title: "all hooks are off", detail: "disableAllHooks", isInactive: true }] : []),
        ...listed,
        ...unused,
      ];
    },
    async models() {
      const { aliases, models } = await loadConfig(input);
      const named = [...Object.keys(aliases), "opus", "sonnet", "haiku"];
      return [...new Set([...named, ...Object.keys(models), ...Object.keys(knownModels)])].map((title) => ({ title }));
    },
    async sessions() {
      const { store } = await openSessionStore(input);
      return (await store.list())
        .filter(
          (summary) => !isEmptySession(summary) && !isTeammateSession(summary) && summary.sessionId !== session.id,
        )
        .map(({ firstPrompt = "", ...summary }) => ({
          ...summary,
          firstPrompt,
          folder: summary.cwd.replace(homedir(), "~"),
        }));
    },
  };
}
