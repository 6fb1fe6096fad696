import { createHash } from "node:crypto";
import { escapeTags } from "../../agent/index.ts";
import { type CallId, cut, type Event, type PromptId } from "../../protocol/index.ts";

/** Detects an agent that repeats the same calls with the same results. */
export interface RepetitionDetector {
  /** Receives all events of one agent, in order. Returns each kind at most once per series of repetitions. */
  observe(event: Event): Repetition | undefined;
}

export interface Repetition {
  /** Send a `warning` to the agent. A `verdict` means that it was warned and continued. */
  readonly kind: "warning" | "verdict";
  readonly times: number;
  /** The repeated calls in order, one line each. */
  readonly calls: readonly string[];
  /** A warning is written for the agent, a verdict for the agent that waits for it. */
  readonly message: string;
}

export interface RepetitionDetectorOptions {
  readonly warnAt?: number;
  readonly endAt?: number;
  /** Tools made for polling. They may repeat ten times as often. */
  readonly patientTools?: ReadonlySet<string>;
}

/** The longest cycle of turns that is detected. */
const longestRound = 4;
const patienceFactor = 10;

interface Round {
  readonly mark: string;
  readonly titles: readonly string[];
  readonly isPatient: boolean;
}

interface Call {
  readonly name: string;
  readonly input: unknown;
  result: string | undefined;
}

/** Compares whole turns, because their calls run in parallel and end in any order. */
export function createRepetitionDetector(options: RepetitionDetectorOptions = {}): RepetitionDetector {
  const { warnAt = 4, endAt = 8, patientTools = new Set(["TaskOutput"]) } = options;
  let calls = new Map<CallId, Call>();
  let turns: Round[] = [];
  let reported: Repetition["kind"] | undefined;
  /** Waiting prompts from users and other agents. */
  const lastReported = new Set<PromptId>();

  const judge = (): Repetition | undefined => {
    const found = repeated(turns);
    const factor = found.block.some(({ isPatient }) => isPatient) ? patienceFactor : 1;
    const kind = found.times >= endAt * factor ? "verdict" : found.times >= warnAt * factor ? "warning" : undefined;
    if (kind === undefined) {
      reported = undefined;
      return undefined;
    }
    if (reported === kind || reported === "verdict") return undefined;
    reported = kind;
    const titles = found.block.flatMap((turn) => turn.titles);
    return { kind, times: found.times, calls: titles, message: messages[kind](found.times, titles) };
  };

  return {
    observe(event) {
      switch (event.type) {
        case "prompt.admitted":
          if (event.source !== "hook" && event.source !== "background") lastReported.add(event.promptId);
          return undefined;
        case "prompt.promoted":
          // A user or agent may have asked for the same again. A warning or a background notification does not count.
          if (!lastReported.delete(event.promptId)) return undefined;
          turns = [];
          reported = undefined;
          return undefined;
        case "turn.ended":
          calls = new Map(
            event.parts.flatMap((part) =>
              part.type === "tool_call"
                ? [[part.callId, { name: part.name, input: part.input, result: undefined }] as const]
                : [],
            ),
          );
          return undefined;
        case "tool.settled": {
          const call = calls.get(event.callId);
          if (!call) return undefined;
          call.result = stable([event.outcome, event.content]);
          if ([...calls.values()].some(({ result }) => result === undefined)) return undefined;
          turns = [...turns, roundOf([...calls.values()], patientTools)].slice(-longestRound * endAt * patienceFactor);
          return judge();
        }
        default:
          return undefined;
      }
    },
  };
}

/** The shortest cycle that repeats at the end, and its number of repetitions. */
function repeated(turns: readonly Round[]): { times: number; block: readonly Round[] } {
  let best = { times: 1, block: turns.slice(-1) };
  for (let length = 1; length <= longestRound && length * 2 <= turns.length; length++) {
    const block = turns.slice(-length);
    let times = 1;
    while (isSame(turns.slice(-length * (times + 1), -length * times), block)) times += 1;
    if (times > best.times) best = { times, block };
  }
  return best;
}

const isSame = (a: readonly Round[], b: readonly Round[]) =>
  a.length === b.length && a.every(({ mark }, index) => mark === b[index]?.mark);

function roundOf(calls: readonly Call[], patientTools: ReadonlySet<string>): Round {
  const marks = calls.map(({ name, input, result }) => stable([name, input, result])).sort();
  return {
    mark: createHash("sha256").update(marks.join("\n")).digest("base64"),
    titles: calls.map(({ name, input }) => cut(`${name} ${stable(input)}`, 160)),
    isPatient: calls.some(({ name }) => patientTools.has(name)),
  };
}

/** The same text for equal values, in any key order. */
function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "undefined"
  );
}

const listed = (titles: readonly string[]) =>
  titles
    .slice(0, 5)
    .map((title) => `- ${title}`)
    .join("\n") + (titles.length > 5 ? `\n- and ${titles.length - 5} more` : "");

const messages: Readonly<Record<Repetition["kind"], (times: number, titles: readonly string[]) => string>> = {
  warning: (times, titles) =>
    `You have made the same calls ${times} times in a row with the same results:\n${escapeTags(listed(titles))}\nRepeating them gives nothing new. Try another way, or finish with what you have and say what blocks you. If you continue like this, you will be stopped.`,
  verdict: (times, titles) =>
    `it made the same calls ${times} times in a row with the same results, even after a warning:\n${listed(titles)}`,
};
