import type { Random } from "../random.ts";

/** Habits of a model, each a probability for one turn in which the habit could show. */
export interface Habits {
  /** Ends its turn before its work is done. */
  readonly hasty: number;
  /** Does less than it was asked to. */
  readonly lazy: number;
  /** Does not set a finished task to completed, or does not answer a request at all. */
  readonly forgetful: number;
  /** Writes needless messages. */
  readonly chatty: number;
  /** Says no to requests. */
  readonly stubborn: number;
  /** Answers requests in words instead of the object that counts. */
  readonly wordy: number;
  /** Looks at the task list again and again. */
  readonly polling: number;
  /** Names a member that does not exist, or a wrong one. */
  readonly confused: number;
  /** Makes the same call again. */
  readonly repetitive: number;
  /** Declines to answer. */
  readonly refusing: number;
  /** The provider fails for good. */
  readonly failing: number;
}

export interface Persona {
  readonly name: string;
  readonly habits: Habits;
  /** How long an answer takes, in milliseconds. */
  readonly answerMs: readonly [number, number];
}

const obedient: Habits = {
  hasty: 0,
  lazy: 0,
  forgetful: 0,
  chatty: 0,
  stubborn: 0,
  wordy: 0,
  polling: 0,
  confused: 0,
  repetitive: 0,
  refusing: 0,
  failing: 0,
};

export const obedientPersona: Persona = { name: "obedient", habits: obedient, answerMs: [500, 12_000] };

const habitNames = Object.keys(obedient) as (keyof Habits)[];
/** These end a run soon, so they are rare. */
const rare = new Set<keyof Habits>(["refusing", "failing"]);

/** An obedient model, or one with a few habits. */
export function createPersona(random: Random): Persona {
  const count = random.pick([0, 0, 1, 1, 2, 3]);
  const chosen = new Set(Array.from({ length: count }, () => random.pick(habitNames)));
  const habits = Object.fromEntries(
    habitNames.map((name) => [name, chosen.has(name) ? strength(name, random) : 0]),
  ) as unknown as Habits;
  const isSlow = random.chance(0.15);
  const name = [...chosen, ...(isSlow ? ["slow"] : [])].join("+") || "obedient";
  return { name, habits, answerMs: isSlow ? [20_000, 120_000] : [500, 12_000] };
}

const strength = (name: keyof Habits, random: Random) => (rare.has(name) ? 0.05 : random.pick([0.15, 0.4, 0.8]));
