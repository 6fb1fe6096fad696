import { describe, expect, test } from "vitest";
import { skillList } from "../../../../src/agent/fragments/system/skill-list.ts";

describe("skill list in the system prompt", () => {
  test("is empty without skills and does not depend on discovery order", () => {
    expect(skillList([])).toBe("");
    const skills = [
      { name: "pdf", description: "Fill in forms." },
      { name: "api", description: "Write clients." },
    ];
    expect(skillList(skills)).toBe(skillList(skills.toReversed()));
    expect(skillList(skills)).toMatchInlineSnapshot(`
      "Skills. Each is a set of instructions for one kind of task. Load it with the Skill tool before you begin such a task.
      - api: Write clients.
      - pdf: Fill in forms."
    `);
  });

  test("is bounded: long descriptions are cut, many skills become names, very many a count", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: `skill-${String(index).padStart(5, "0")}`,
        description: "word ".repeat(500),
      }));
    for (const count of [1, 20, 100, 5000]) expect(skillList(many(count)).length).toBeLessThan(17_000);
    expect(skillList(many(1))).toMatch(/word…$/);
    expect(skillList(many(100)).split("\n").at(-1)).toMatch(/^- without descriptions: skill-000\d\d, .*, skill-00099$/);
    expect(skillList(many(5000))).toMatch(/, and \d{4} more, not listed$/);
  });
});
