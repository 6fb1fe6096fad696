import { expect, test } from "vitest";
import { judge } from "../../support/shell/judge-command.ts";

test.each([
  "grep -rn foo src --include=*.ts",
  "grep -rn foo --include=*.{ts,tsx} --exclude-dir=dist* src | head -5",
  "rg foo --glob=*.ts",
])("a pattern as the value of a known option is that option: %s", (line) => {
  expect(judge(line).behavior).toBe("allow");
});

test.each([
  "grep -rn foo --inc*",
  "grep -rn foo -*",
  "grep -rn foo --include=$x",
  "sort -* a.txt",
  "sort -$x a.txt",
  "sort --output=* a.txt",
  "git diff --output=*",
  "rg foo --pre=*",
])("a pattern that may be another option, or the value of an unknown one, is asked about: %s", (line) => {
  expect(judge(line).behavior).toBe("ask");
});
