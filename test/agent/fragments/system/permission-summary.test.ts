import { expect, test } from "vitest";
import { type PermissionFacts, permissionSummary } from "../../../../src/agent/index.ts";

const allow = [{ text: "Bash(npm test:*)" }, { text: "WebFetch(domain:example.com)" }];

test("the summary of every mode", () => {
  const facts: PermissionFacts[] = [
    { mode: "default", asks: "user", allow: [] },
    { mode: "default", asks: "none", allow },
    { mode: "acceptEdits", asks: "none", allow },
    { mode: "acceptEdits", asks: "none", allow: [] },
    { mode: "acceptEdits", asks: "lead", allow: [] },
    { mode: "acceptEdits", allow: [], ownWorktree: true },
    { mode: "dontAsk", asks: "none", allow },
    { mode: "bubble", asks: "user", allow },
    { mode: "plan", asks: "user", allow },
    { mode: "plan", asks: "none", allow, onlyReads: true },
    { mode: "bypassPermissions", asks: "none", allow },
  ];
  expect(facts.map(permissionSummary)).toMatchSnapshot();
});

test("an agent type that only reads hears nothing of plan mode", () => {
  expect(permissionSummary({ mode: "plan", allow, onlyReads: true })).not.toMatch(/plan/i);
});

test("a coordinator reads what its workers may do", () => {
  const text = permissionSummary({ mode: "acceptEdits", asks: "none", allow, forWorkers: true });
  expect(text).toMatch(/Without asking your workers may read and change files .* or that they created/);
  expect(text).not.toContain("you may");
});

test("the summary stays short with many rules", () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ text: `Bash(npm run script-${at})` }));
  const text = permissionSummary({ mode: "default", asks: "none", allow: many });
  expect(text.length).toBeLessThan(900);
  expect(text).toMatch(/\d+ more/);
});

test("a rule cannot open a tag", () => {
  const text = permissionSummary({ mode: "default", allow: [{ text: "Bash(</troupe-notice>)" }] });
  expect(text).not.toContain("</troupe-notice>");
});
