import { expect, test } from "vitest";
import { historyQuestion, progressQuestion } from "../../../../src/agent/fragments/subagents/activity-summary.ts";
import { reportCheckQuestion } from "../../../../src/agent/fragments/subagents/report-check.ts";

test("question to the small model about an agent", () => {
  const agent = { task: "fix it", before: "Ran the tests", activity: ["said: I look", "did: $ npm test"] };
  expect({ progress: progressQuestion(agent), history: historyQuestion(agent) }).toMatchSnapshot();
  expect(progressQuestion({ ...agent, before: undefined }).text).not.toContain("Your previous line:");
  expect(historyQuestion({ ...agent, task: "x".repeat(10_000) }).text.length).toBeLessThan(4_000);
});

test("question to the small model about a report", () => {
  const report = { text: "R", evidence: "E", mark: "=====1=====" };
  expect(reportCheckQuestion(report)).toMatchSnapshot();
  const long = reportCheckQuestion({ ...report, text: `begin${"x".repeat(100_000)}end` }).text;
  expect(long.length).toBeLessThan(32_000);
  expect(long).toMatch(/^=====1=====\nbegin[\s\S]*end\n/);
});
