import { expect, test } from "vitest";
import { uselessLineReason } from "../../../src/tool/shell/useless-line.ts";

const reason = (line: string, isBackground = false) => uselessLineReason(line, { isBackground });

test.each([
  "sleep 60",
  "sleep 1m",
  "sleep 10 && echo done",
  "while ! grep -q ready log; do sleep 5; done",
  "until test -e done.txt; do sleep 1; done; cat done.txt",
  "for i in 1 2 3; do sleep 20; ls; done",
])("a line that only waits is refused: %s", (line) => {
  expect(reason(line)).toContain("only waits");
  expect(reason(line, true)).toBeUndefined();
});

test.each([
  "sleep 2",
  "sleep 5; cat log",
  "npm start & sleep 10; curl -s localhost:3000",
  "node server.js & sleep 8",
  "npm test && sleep 30 && npm test",
  "until test -e free; do sleep 0.1; done",
  "echo begun > begun; sleep 600",
  "git commit -m 'sleep 60'",
  "grep -rn 'sleep 100' src",
])("a line that does something runs: %s", (line) => {
  expect(reason(line)).toBeUndefined();
});

test.each(["vim a.txt", "cd src && nano b.ts", "/usr/bin/emacs c", "git diff | view -"])(
  "a full-screen program is refused: %s",
  (line) => {
    expect(reason(line)).toContain("full-screen program");
    expect(reason(line, true)).toContain("full-screen program");
  },
);

test.each(["vim --version", "emacs --batch -f x", "nvim --headless +q", "echo vim", "cat nano"])("%s runs", (line) => {
  expect(reason(line)).toBeUndefined();
});
