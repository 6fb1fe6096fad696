import type { Ask } from "./ask.ts";
import { matchesPath } from "./matches.ts";
import { isEmptyReply } from "./reply.ts";
import type { Rule, Script, Step } from "./script.ts";

/** One rule, or one step of a list, and how much of it is used. */
export interface AnswerSlot {
  readonly source: string;
  readonly answer: Step;
  readonly when?: Rule["when"];
  /** For a plain answer: true if its fault hits this attempt. Uses up the slot when no more attempts are to fail. */
  strikes(): boolean;
  take(): void;
  /** Call when a rule's function had no answer. A step stays used: the next step answers. */
  release(): void;
}

export interface AnswerSlots {
  /** Yields the slots that may answer, best first. */
  of(ask: Ask): Generator<AnswerSlot>;
  unused(): readonly string[];
  /** The length of the agent's list of steps when all are used, or undefined without a list. */
  listLength(ask: Ask): number | undefined;
}

interface List {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly places: Map<string, number>;
}

export function createAnswerSlots(script: Script): AnswerSlots {
  const rules = (script.rules ?? []).map((rule, index) => ({ rule, source: ruleName(rule, index), used: 0 }));
  const lists = Object.entries(script.agents ?? {}).map(([path, { steps }]) => ({
    path,
    list: listOf(`agents.${path}.steps`, steps),
  }));
  const common = script.steps && listOf("steps", script.steps);
  const struck = new Map<string, number>();
  const held = new Map<string, { turn: string; slot: AnswerSlot }>();

  return {
    *of(ask) {
      const holding = held.get(ask.agent);
      if (holding?.turn === turnOf(ask)) {
        yield holding.slot;
        return;
      }
      held.delete(ask.agent);
      for (const entry of rules) {
        if (entry.used >= (entry.rule.times ?? Number.POSITIVE_INFINITY)) continue;
        const { source, rule } = entry;
        const take = () => void (entry.used += 1);
        const release = () => void (entry.used -= 1);
        yield slotOf(ask, { source, answer: rule.answer, ...(rule.when && { when: rule.when }), take, release });
      }
      const list = listFor(ask);
      if (!list) return;
      for (let place = placeIn(list, ask); place < list.steps.length; place = placeIn(list, ask)) {
        const answer = list.steps[place];
        if (answer === undefined) return;
        const next = place + 1;
        const take = () => void list.places.set(ask.agent, next);
        yield slotOf(ask, { source: `${list.name}[${place}]`, answer, take, release: () => undefined });
      }
    },
    unused: () => [
      ...rules.flatMap(({ rule, source, used }) =>
        rule.times !== undefined && used < rule.times ? [`${source} (${used} of ${rule.times} times)`] : [],
      ),
      ...[...lists.map(({ list }) => list), ...(common ? [common] : [])].flatMap(unusedSteps),
    ],
    listLength: (ask) => listFor(ask)?.steps.length,
  };

  function listFor({ agent }: Ask): List | undefined {
    const own = lists.find(({ path }) => path === agent) ?? lists.find(({ path }) => matchesPath(path, agent));
    return own?.list ?? common;
  }

  function slotOf(ask: Ask, slot: Omit<AnswerSlot, "strikes">): AnswerSlot {
    return { ...slot, strikes: () => strike(ask, slot) };
  }

  function strike(ask: Ask, slot: Omit<AnswerSlot, "strikes">): boolean {
    const { answer, source, take } = slot;
    if (typeof answer === "function" || !answer.fault) {
      take();
      return false;
    }
    const times = answer.fault.times ?? 1;
    if (times === "turn") {
      take();
      held.set(ask.agent, {
        turn: turnOf(ask),
        slot: { source, answer, strikes: () => true, take: () => undefined, release: () => undefined },
      });
      return true;
    }
    const key = `${source} ${ask.agent}`;
    const count = (struck.get(key) ?? 0) + 1;
    const last = count > times || (count === times && isEmptyReply(answer));
    if (last) {
      struck.delete(key);
      take();
    } else struck.set(key, count);
    return count <= times;
  }
}

const ruleName = (rule: Rule, index: number): string => (rule.name ? `rule "${rule.name}"` : `rules[${index}]`);
const turnOf = (ask: Ask): string => `${ask.turn} ${ask.purpose}`;
const listOf = (name: string, steps: readonly Step[]): List => ({ name, steps, places: new Map() });
const placeIn = (list: List, ask: Ask): number => list.places.get(ask.agent) ?? 0;

function unusedSteps(list: List): string[] {
  const places = list.places.size > 0 ? [...list.places.entries()] : [["unassigned", 0] as const];
  return places.flatMap(([agent, place]) => {
    const left = list.steps.length - place;
    if (left === 0) return [];
    const steps = left === 1 ? `${list.name}[${place}]` : `${list.name}[${place}…${list.steps.length - 1}]`;
    return [agent === "unassigned" ? steps : `${steps} of ${agent}`];
  });
}
