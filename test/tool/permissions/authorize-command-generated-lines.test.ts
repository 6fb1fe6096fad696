import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { policy } from "../../support/shell/fixed-lines.ts";
import { judge } from "../../support/shell/judge-command.ts";
import { allowedLooking, nestedLine } from "../../support/shell/generated-lines.ts";

/** `PERMISSION_LINES=1000000` for a long run. */
const lines = Number(process.env["PERMISSION_LINES"] ?? 20_000);
const timeout = 60_000 + lines / 5;

describe(`${lines} generated command lines`, () => {
  it("with a denied command anywhere inside: never allowed, whatever else is", { timeout }, () => {
    const wide = { ...policy, allow: ["Bash"] };
    let denied = 0;
    fc.assert(
      fc.property(fc.constantFrom("rm", "curl").chain(nestedLine), fc.boolean(), (line, all) => {
        const { behavior } = judge(line, { rules: all ? wide : policy });
        if (behavior === "deny") denied += 1;
        return behavior !== "allow";
      }),
      { numRuns: lines },
    );
    // Nearly all are denied; the rest ask.
    expect(denied / lines).toBeGreaterThan(0.9);
  });
  it("that start like an allowed one: never allowed", { timeout }, () => {
    const runs = Math.max(2_000, Math.floor(lines / 10));
    fc.assert(
      fc.property(allowedLooking, (line) => judge(line, { rules: policy }).behavior !== "allow"),
      { numRuns: runs },
    );
  });
  it("without rules: commands not known to be read-only ask", { timeout }, () => {
    fc.assert(
      fc.property(nestedLine("touch"), (line) => judge(line).behavior !== "allow"),
      { numRuns: Math.max(2_000, Math.floor(lines / 10)) },
    );
  });
  it("of any text get a verdict, and one that does not parse is never allowed", { timeout }, () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."ls rm$(){}[]<>|&;'\"`\\\n\t#!*?~=-x0".split("")), maxLength: 40 }),
        (line) => judge(line, { rules: policy }).behavior.length > 0,
      ),
      { numRuns: Math.max(2_000, Math.floor(lines / 4)) },
    );
  });
});
