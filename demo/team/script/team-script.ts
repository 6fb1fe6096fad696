import type { Answer, Rule, Script } from "../../../src/model/scripted/index.ts";
import { implementer } from "./implementer.ts";
import { lead } from "./lead.ts";
import { researcher } from "./researcher.ts";
import { tester } from "./tester.ts";

export type Pace = "fast" | "readable";

/**
 * Returns the answers of the whole team in the form of a script file, because members in other processes read it too.
 */
export function teamScript(pace: Pace): Script {
  const rules = [...lead, ...researcher, ...implementer, ...tester];
  return { version: 1, rules: pace === "fast" ? rules : rules.map(withPauses) };
}

/** Slows an answer down. Long answers are streamed in larger chunks, so that no answer takes long. */
function withPauses(rule: Rule): Rule {
  const answer = rule.answer as Answer;
  const chunk = Math.max(4, Math.ceil(JSON.stringify(answer).length / 30));
  return { ...rule, answer: { ...answer, delayMs: 220, chunk, chunkDelayMs: 11 } };
}
