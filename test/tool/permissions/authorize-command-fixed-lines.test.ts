import { describe, expect, it } from "vitest";
import { fixedLines, policy } from "../../support/shell/fixed-lines.ts";
import { judge } from "../../support/shell/judge-command.ts";

describe("fixed list of command lines", () => {
  it("has eighty lines", () => expect(fixedLines).toHaveLength(80));
  it.each(fixedLines.map((each, index) => [index + 1, each] as const))("%i: $verdict", (_, { line, verdict }) => {
    expect([line, judge(line, { rules: policy }).behavior]).toEqual([line, verdict]);
  });
  it("gives the same verdicts with no user available, except that questions are refusals", () => {
    const behaviors = fixedLines.map(({ line }) => judge(line, { rules: policy, mode: "dontAsk" }).behavior);
    expect(behaviors).toEqual(fixedLines.map(({ verdict }) => (verdict === "ask" ? "deny" : verdict)));
  });
});
