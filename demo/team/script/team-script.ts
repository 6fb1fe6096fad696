import type { Answer, Rule, Script } from "../../../src/model/scripted/index.ts";
import { implementer } from "./implementer.ts";
import { lead } from "./lead.ts";
import { researcher } from "./researcher.ts";
import { tester } from "./tester.ts";

export type Pace = "fast" | "readable";

/** What everybody in the team says, in the form of a file: members in processes of their own read it too. */
export function teamScript(pace: Pace): Script {
  const rules = [...lead, ...researcher, ...implementer, ...tester];
  return { version: 1, rules: pace === "fast" ? rules : rules.map(withPauses) };
}

/** No answer takes long to write, however much there is in its calls. */
function withPauses(rule: Rule): Rule {
  const answer = rule.answer as Answer;
  const chunk = Math.max(4, Math.ceil(JSON.stringify(answer).length / 30));
  return { ...rule, answer: { ...answer, delayMs: 220, chunk, chunkDelayMs: 11 } };
}
