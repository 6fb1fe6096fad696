import type { Answer, Ask } from "../../src/model/scripted/index.ts";
import { discount, failing, rightPrice, testCommand, total, tryCommand } from "./sample-app-files.ts";

/** What the coordinator says. It goes by what it has started and what has come back, in whatever order that was. */
export function coordinatorAnswer(ask: Ask): Answer {
  const { started, sentOn } = callsOf(ask);
  const folder = scratchpadOf(ask);
  const [tests, code, verify] = ["tests", "code", "verify"].map((name) => reportsOf(ask, name));
  const refused = ask.results.find(({ isError }) => isError);
  if (refused) return { text: `I stop here: ${refused.tool} was answered with "${firstLine(refused.text)}".` };

  if (!started.has("tests")) return research(folder);
  const [seen, cause] = [tests?.[0], code?.[0]];
  if (seen === undefined || cause === undefined) return waiting(ask, "Research: two workers look at it, side by side.");
  if (!seen.includes(failing) || !cause.includes(total.source))
    return { text: "The two reports do not explain what fails, so nothing is changed." };
  if (!sentOn) return synthesis();
  const fixed = code?.[1];
  if (fixed === undefined) return waiting(ask, "Implementation: code has the context, so it goes on. One writer.");
  if (!fixed.includes(discount.source.split("/")[1] ?? "")) return { text: "Its log shows no change, so I stop here." };
  if (!started.has("verify")) return verification(folder);
  const proof = verify?.[0];
  if (proof === undefined) return waiting(ask, "Verification: somebody who has not written it tries it.");
  if (!proof.includes(`${testCommand}&quot; (exit 0`) || !proof.includes(rightPrice))
    return { text: "It has not been shown to work, so it is not done." };
  return {
    text: `Done. The till took a discount off every piece and cut the rest of a cent each time. Now ${total.source} adds up first and ${discount.source} rounds once. All tests pass, and three at 0.95 less 10% cost ${rightPrice}, seen by a worker that did not write it. Nothing is committed: look at the change and say so.`,
  };
}

const waiting = ({ results }: Ask, launched: string): Answer => ({
  text: results.length > 0 ? launched : "One report is here; I put things together when the other is.",
});

const start = (name: string, description: string, prompt: string) => ({
  tool: "Agent",
  input: { name, description, prompt },
});

const research = (folder: string): Answer => ({
  text: "I know neither what fails nor why: two workers find out, at the same time.",
  calls: [
    start(
      "tests",
      "see what fails",
      `Find out what fails; change nothing. Run \`${testCommand}\` in the project, keep the output in ${folder}/test-run.txt, and report the names of the failing tests with what was expected.`,
    ),
    start(
      "code",
      "read how totals are made",
      `A till gives wrong totals when there is a discount. Find out why; change nothing. Read ${total.source} and ${discount.source}. Keep what you find in ${folder}/findings.md, and report the cause with file and line.`,
    ),
  ],
});

const synthesis = (): Answer => ({
  text: `Synthesis: both point to the same thing. The failing test expects 257 for 3 x 0.95 less 10%. ${total.source} takes the discount off each piece, and ${discount.source} cuts a part of a cent off every time. So: add up first, take the discount off once, and round.`,
  calls: [
    {
      tool: "SendMessage",
      input: {
        to: "code",
        message: `Mend what you found. In ${total.source}: add up all items first, then call discounted() once with the sum. In ${discount.source}: Math.round in place of Math.floor. Change nothing else and do not commit. Run \`${testCommand}\` and report the counts.`,
      },
    },
  ],
});

const verification = (folder: string): Answer => ({
  text: "It says that it is mended. That is for somebody else to show.",
  calls: [
    start(
      "verify",
      "try it with fresh eyes",
      `A till took discounts off each piece; ${total.source} and ${discount.source} were changed so that it is taken off the sum, and rounded. Show that it works; change nothing. What failed before is in ${folder}/test-run.txt, the cause in ${folder}/findings.md. Run \`${testCommand}\`, and the program itself: \`${tryCommand}\` must print ${rightPrice}. Report both outputs.`,
    ),
  ],
});

/** What it has asked for so far. */
function callsOf({ request }: Ask) {
  const calls = request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool_call" ? [part] : [])),
  );
  const started = new Set(
    calls.flatMap(({ name, input }) => (name === "Agent" ? [(input as { name: string }).name] : [])),
  );
  return { started, sentOn: calls.some(({ name }) => name === "SendMessage") };
}

/** The notifications of one worker's ends, each whole, the first first. */
function reportsOf({ request }: Ask, name: string): string[] {
  const summaries: Record<string, RegExp> = {
    tests: /<summary>see what fails</,
    code: /<summary>read how totals are made</,
    verify: /<summary>try it with fresh eyes</,
  };
  return request.messages
    .flatMap(({ role, parts }) => (role === "user" ? parts : []))
    .flatMap((part) => (part.type === "text" && part.text.startsWith("<task-notification>") ? [part.text] : []))
    .filter((text) => summaries[name]?.test(text) && text.includes("<status>completed</status>"));
}

export const scratchpadOf = ({ system }: Pick<Ask, "system">) =>
  /Scratchpad: (.+?) is a folder/.exec(system)?.[1] ?? "";

const firstLine = (text: string) => text.split("\n")[0] ?? "";
