import { expect, test } from "vitest";
import { startsJobs, uselessLineReason } from "../../../src/tool/shell/useless-line.ts";

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
  expect(reason(line)).toContain("If the command itself was asked for, run it with run_in_background.");
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

test.each([
  ["vim a.txt", "Use your file tools, or sed. It runs only as vim -es"],
  ["vim x", "It runs only as vim -es"],
  ["cd src && nano b.ts", "Use your file tools, or sed."],
  ["/usr/bin/emacs c", "Use your file tools, or sed."],
  ["git diff | view -", "Use your file tools, or sed."],
  ["htop", "Use ps aux, or top -b -n 1."],
  ["watch -n 2 npm test", "It never ends. Run its command once, without watch."],
])("a full-screen program is refused with what works instead: %s", (line, hint) => {
  for (const isBackground of [false, true]) {
    expect(reason(line, isBackground)).toContain("full-screen program, and there is no terminal");
    expect(reason(line, isBackground)).toContain(hint);
  }
});

test.each([
  "vim --version",
  "emacs --batch -f x",
  "nvim --headless +q",
  "vim -c '%s/a/b/' -c wq a.txt",
  "vi '+%s/a/b/ | x' a.txt",
  "echo vim",
  "cat nano",
  "bin/view a.txt",
  "./micro --all",
  "git log",
  "git log | less",
  "less a.txt",
  "more a.txt",
  "man ls",
  "top -b -n 1",
  "npm run watch",
])("%s runs", (line) => {
  expect(reason(line)).toBeUndefined();
});

test.each([
  ["npm start &", true],
  ["npm start > log 2>&1 & curl localhost:3000", true],
  ["npm start & wait", false],
  ["make && make test", false],
  ["make 2>&1 | tail", false],
  ["make &> log", false],
  ["make |& tail", false],
  ["echo 'a & b' \"c & d\" e\\&f", false],
])("%s starts a job that ends with its line: %s", (line, isJob) => {
  expect(startsJobs(line)).toBe(isJob);
});
