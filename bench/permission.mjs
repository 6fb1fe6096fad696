import { atMost, interleave, row } from "./measure.mjs";

const repeats = 200;

/**
 * Measures the permission decision for a line of one command and of twenty, with fifty rules. Milliseconds for one
 * decision.
 */
export async function run(bench) {
  const { authorize, parseRules } = await bench.inside("tool");
  const rules = parseRules({
    allow: Array.from({ length: 40 }, (_, index) => `Bash(tool${index} run:*)`).concat([
      "Bash(npm test:*)",
      "Bash(git add:*)",
    ]),
    ask: ["Bash(git push:*)", "Bash(npm publish:*)"],
    deny: ["Bash(rm:*)", "Bash(curl:*)", "Read(./.env)", "Edit(./vendor/**)"],
  });
  const verdict = (command) =>
    authorize({
      tool: { name: "Bash", access: "run" },
      subject: { kind: "command", command },
      title: command,
      mode: "default",
      rules,
      roots: ["/work"],
      cwd: "/work",
      home: "/home/me",
    });
  const timed = (command, expected) => () => {
    const started = performance.now();
    for (let i = 0; i < repeats; i++) {
      if (verdict(command).behavior !== expected) throw new Error(`${command}: not ${expected}`);
    }
    return (performance.now() - started) / repeats;
  };
  const one = "git status --short";
  const part = [
    "git log --oneline -5 | head -3",
    "npm test 2>&1 | tail -20",
    "cat src/a.ts && ls -la src",
    'echo "$(git rev-parse HEAD)"',
  ];
  const twenty = [...part, ...part, "rg -n foo src | sort | uniq -c | sort -rn | head -5", "find . -name '*.ts'"].join(
    "; ",
  );
  const tasks = {
    one: timed(one, "allow"),
    twenty: timed(twenty, "allow"),
    denied: timed(`${twenty}; timeout 5 env A=1 bash -c 'rm x'`, "deny"),
    asked: timed(`${twenty}; make test`, "ask"),
  };
  const seen = await interleave(tasks, { rounds: 25, seconds: 8, warmUp: 3 });
  return [
    row({ what: "one command, allowed", values: seen.one }),
    row({ what: "twenty commands, allowed", values: seen.twenty, goal: atMost(1, "ms") }),
    row({ what: "twenty commands, one nested denied", values: seen.denied, goal: atMost(1, "ms") }),
    row({ what: "twenty commands, one asked about", values: seen.asked, goal: atMost(1, "ms") }),
  ];
}
