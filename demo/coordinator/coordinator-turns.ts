import type { Answer, Ask } from "../../src/model/scripted/index.ts";
import { discount, failing, rightPrice, testCommand, total, tryCommand } from "./sample-app-files.ts";

/** Returns the coordinator's next answer. It depends on the workers started and the reports received, in any order. */
export function coordinatorAnswer(ask: Ask): Answer {
  const { started, sentOn } = callsOf(ask);
  const folder = scratchpadOf(ask);
  const [tests, code, verify] = ["tests", "code", "verify"].map((name) => reportsOf(ask, name));
  const refused = ask.results.find(({ isError }) => isError);
  if (refused) return { text: `I stop here: ${refused.tool} returned "${firstLine(refused.text)}".` };

  if (!started.has("tests")) return research(folder);
  const [seen, cause] = [tests?.[0], code?.[0]];
  if (seen === undefined || cause === undefined) return waiting(ask, "Research: two workers investigate in parallel.");
  if (!seen.includes(failing) || !cause.includes(total.source))
    return { text: "The two reports do not explain the failure, so nothing is changed." };
  if (!sentOn) return synthesis();
  const fixed = code?.[1];
  if (fixed === undefined)
    return waiting(ask, "Implementation: code has the context, so it continues. Only one agent writes.");
  if (!fixed.includes(discount.source.split("/")[1] ?? "")) return { text: "Its log shows no change, so I stop here." };
  if (!started.has("verify")) return verification(folder);
  const proof = verify?.[0];
  if (proof === undefined) return waiting(ask, "Verification: a worker that did not write the fix tests it.");
  if (!proof.includes(`${testCommand}&quot; (exit 0`) || !proof.includes(rightPrice))
    return { text: "The fix is not proven, so the work is not done." };
  return {
    text: `Done. The till applied the discount to each item and truncated the fraction of a cent each time. Now ${total.source} adds up first and ${discount.source} rounds once. All tests pass, and three at 0.95 less 10% cost ${rightPrice}, verified by a worker that did not write the fix. Nothing is committed: review the change and tell me to commit it.`,
  };
}

const waiting = ({ results }: Ask, launched: string): Answer => ({
  text: results.length > 0 ? launched : "One report is here; I combine both when the other arrives.",
});

const start = (name: string, description: string, prompt: string) => ({
  tool: "Agent",
  input: { name, description, prompt },
});

const research = (folder: string): Answer => ({
  text: "I know neither what fails nor why. Two workers find out at the same time.",
  calls: [
    start(
      "tests",
      "see what fails",
      `Find out what fails; change nothing. Run \`${testCommand}\` in the project, save the output in ${folder}/test-run.txt, and report the names of the failing tests with the expected values.`,
    ),
    start(
      "code",
      "read how totals are made",
      `A till gives wrong totals when there is a discount. Find out why; change nothing. Read ${total.source} and ${discount.source}. Save your findings in ${folder}/findings.md, and report the cause with file and line.`,
    ),
  ],
});

const synthesis = (): Answer => ({
  text: `Synthesis: both reports agree. The failing test expects 257 for 3 x 0.95 less 10%. ${total.source} applies the discount to each item, and ${discount.source} truncates a fraction of a cent each time. The fix: add up first, apply the discount once, and round.`,
  calls: [
    {
      tool: "SendMessage",
      input: {
        to: "code",
        message: `Fix what you found. In ${total.source}: add up all items first, then call discounted() once with the sum. In ${discount.source}: use Math.round instead of Math.floor. Change nothing else and do not commit. Run \`${testCommand}\` and report the counts.`,
      },
    },
  ],
});

const verification = (folder: string): Answer => ({
  text: "It reports that the bug is fixed. Another worker must verify that.",
  calls: [
    start(
      "verify",
      "try it with fresh eyes",
      `A till applied discounts to each item; ${total.source} and ${discount.source} were changed to apply the discount to the sum and round it. Show that it works; change nothing. The earlier failure is in ${folder}/test-run.txt, the cause in ${folder}/findings.md. Run \`${testCommand}\`, and the program itself: \`${tryCommand}\` must print ${rightPrice}. Report both outputs.`,
    ),
  ],
});

/** Returns the workers started so far, and whether a message was sent. */
function callsOf({ request }: Ask) {
  const calls = request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool_call" ? [part] : [])),
  );
  const started = new Set(
    calls.flatMap(({ name, input }) => (name === "Agent" ? [(input as { name: string }).name] : [])),
  );
  return { started, sentOn: calls.some(({ name }) => name === "SendMessage") };
}

/** Returns the notifications about one worker's completed runs, oldest first. */
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
