import { existsSync, readdirSync, readFileSync } from "node:fs";
import { streamEnvelopes } from "../../support/cli/stream-envelopes.ts";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startModelServer } from "../../../src/testing.ts";
import { bypass, workplace } from "../../support/cli/workplace.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";

const hello = { version: 1, steps: [{ text: "Hello there." }] };
const bash = (command: string, ...more: object[]) => ({
  version: 1,
  steps: [{ text: "Running.", calls: [{ tool: "Bash", input: { command } }] }, { text: "It ran: {{result}}" }, ...more],
});

describe("output", () => {
  test("text: the last answer and nothing else", async () => {
    const { run, write } = workplace();
    write("s.json", bash("echo from bash"));
    const { code, stdout, stderr } = await run(["-p", "go", "--model", "scripted/s.json", ...bypass]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe("It ran: from bash\n");
  });

  test("json: one object with the field names that scripts know", async () => {
    const { run, write } = workplace();
    write("s.json", hello);
    const { stdout } = await run(["-p", "go", "--model", "scripted/s.json", "--output-format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "result",
      subtype: "success",
      is_error: false,
      result: "Hello there.",
      num_turns: 1,
      session_id: expect.stringMatching(/^ses_/),
      total_cost_usd: 0,
      permission_denials: [],
    });
  });

  test("stream-json: every line is a valid envelope, in order, from opened to closed", async () => {
    const { run, write } = workplace();
    write("s.json", bash("echo hi"));
    const { stdout } = await run([
      "-p",
      "go",
      "--model",
      "scripted/s.json",
      "--output-format",
      "stream-json",
      ...bypass,
    ]);
    const envelopes = streamEnvelopes(stdout);
    const types = envelopes.map(({ event }) => event.type);
    expect(types.at(0)).toBe("session.opened");
    expect(types.at(-1)).toBe("session.closed");
    expect(types).toContain("text.delta");
    const seqs = envelopes.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  });

  test("verbose: progress on stderr with escape sequences neutralized", async () => {
    const { run, write } = workplace();
    write("s.json", bash("echo \u001b[31mred"));
    const { stdout, stderr } = await run(["-p", "go", "--model", "scripted/s.json", "--verbose", ...bypass]);
    expect(stderr).toContain("turn 1, scripted/s.json");
    expect(stderr).not.toContain("\u001b");
    expect(stdout).not.toContain("\u001b");
  });

  test("progress is shown on a terminal, and none if standard error is a file", async () => {
    const place = workplace();
    place.write("s.json", bash("echo hi"));
    const args = ["-p", "go", "--model", "scripted/s.json", ...bypass];
    const terminal = openTerminal(place, args);
    await terminal.ended();
    expect(terminal.scrollback()).toMatch(/^troupe: lead: \$ echo hi$/m);
    expect((await place.run(args)).stderr).toBe("");
  });

  test("piped input is part of the prompt", async () => {
    const { run, write } = workplace();
    write("s.json", { version: 1, steps: [{ text: "I got: {{said}}" }] });
    const { stdout } = await run(["-p", "explain", "--model", "scripted/s.json"], { input: "the piped words" });
    expect(stdout).toBe("I got: explain\n\nthe piped words\n");
  });
});

describe("exit codes", () => {
  const cases: [string, number, object, string[]][] = [
    ["done", 0, hello, []],
    ["the model failed", 1, { version: 1, steps: [{ fault: { kind: "authentication", message: "bad key" } }] }, []],
    [
      "the turn limit",
      3,
      { version: 1, rules: [{ answer: { calls: [{ tool: "Glob", input: { pattern: "*" } }] } }] },
      ["--max-turns", "2"],
    ],
  ];
  test.each(cases)("%s: %i", async (_name, expected, script, flags) => {
    const { run, write } = workplace();
    write("s.json", script);
    const { code, stderr } = await run(["-p", "go", "--model", "scripted/s.json", ...flags]);
    expect(code).toBe(expected);
    if (expected !== 0) expect(stderr).toMatch(/^troupe: .+\n$/);
  });

  test("budget stops the run before the request that would exceed it", async () => {
    const { run, write } = workplace();
    write("s.json", {
      version: 1,
      rules: [{ answer: { calls: [{ tool: "Glob", input: { pattern: "*" } }], usage: { outputTokens: 1_000 } } }],
    });
    const settings = { models: { "scripted/s.json": { price: { input: 0, output: 1_000 } } } };
    const { code, stdout } = await run([
      "-p",
      "go",
      "--model",
      "scripted/s.json",
      "--max-budget-usd",
      "2.5",
      "--output-format",
      "json",
      "--settings",
      JSON.stringify(settings),
    ]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ subtype: "error_max_budget", num_turns: 3, total_cost_usd: 3 });
  });
});

describe("bad input: one line that says what to do, exit code 2, nothing written", () => {
  const cases: [string, (place: ReturnType<typeof workplace>) => string[], RegExp, string?][] = [
    ["unknown flag", () => ["-p", "x", "--modle", "y"], /--modle.*--model/],
    ["unknown model", () => ["-p", "x", "--model", "antropic/x"], /antropic/],
    ["no key", () => ["-p", "x"], /ANTHROPIC_API_KEY.*local.*troupe demo/],
    ["missing script", () => ["-p", "x", "--model", "scripted/none.json"], /none\.json/],
    ["broken script", (p) => (p.write("s.json", "{ nope"), ["-p", "x", "--model", "scripted/s.json"]), /s\.json:1/],
    [
      "script with a wrong field",
      (p) => (p.write("s.json", { version: 1, stepz: [] }), ["-p", "x", "--model", "scripted/s.json"]),
      /stepz/,
    ],
    [
      "broken settings file",
      (p) => (p.write(".troupe/settings.json", '{\n  "model": 7\n}'), ["-p", "x"]),
      /settings\.json:2.*model/,
    ],
    [
      "prompt file that is not text",
      (p) => (p.write("p.bin", "a\0b"), ["-p", "--prompt-file", "p.bin", "--model", "scripted/s.json"]),
      /p\.bin is not text/,
    ],
    ["prompt file that is not there", () => ["-p", "--prompt-file", "nope.txt"], /nope\.txt/],
    ["piped bytes that are not text", () => ["-p", "x"], /the standard input is not text/, "a\0b"],
    ["nothing to do", () => ["-p"], /no prompt given/],
    ["a session that does not exist", () => ["-p", "x", "--resume", "ses_nothere0"], /ses_nothere0/],
    ["no session to continue", () => ["-p", "x", "--continue"], /no session/],
    ["a folder that is not there", () => ["-p", "x", "--add-dir", "nowhere"], /nowhere/],
    ["a number that is none", () => ["-p", "x", "--max-turns", "many"], /many/],
    ["an output format that is none", () => ["-p", "x", "--output-format", "xml"], /xml.*stream-json/],
    [
      "a budget that cannot be counted",
      () => ["-p", "x", "--model", "openai/unheard-of", "--max-budget-usd", "1"],
      /price/,
    ],
    ["there is no terminal here", () => ["hello"], /-p/],
  ];
  test.each(cases)("%s", async (_name, args, message, input = "") => {
    const place = workplace({ isNew: true });
    const env = { OPENAI_API_KEY: "" };
    const given = args(place);
    const keyed = given.some((arg) => arg.startsWith("openai/")) ? { ...env, OPENAI_API_KEY: "sk-test" } : env;
    const { code, stdout, stderr } = await place.run(given, { input, env: keyed });
    expect(stderr).toMatch(/^troupe: [^\n]+\n$/);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(existsSync(join(place.home, ".troupe"))).toBe(false);
  });

  test("log from a newer version is refused", async () => {
    const place = workplace();
    place.write("s.json", hello);
    await place.run(["-p", "go", "--model", "scripted/s.json"]);
    const [file] = logsOf(place.home);
    const { appendFileSync } = await import("node:fs");
    const last = JSON.parse(
      readFileSync(file as string, "utf8")
        .trim()
        .split("\n")
        .at(-1) as string,
    ) as { v: number; seq: number; crc?: string };
    delete last.crc;
    appendFileSync(file as string, `\n${JSON.stringify({ ...last, v: 2, seq: last.seq + 1 })}\n`);
    const before = readFileSync(file as string, "utf8");
    const { code, stderr } = await place.run(["-p", "go", "--continue"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^troupe: [^\n]*newer[^\n]*\n$/);
    expect(readFileSync(file as string, "utf8")).toBe(before);
  });
});

function logsOf(home: string): string[] {
  const root = join(home, ".troupe", "projects");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /ses_[a-z0-9]+\.jsonl$/.test(name))
    .map((name) => join(root, name));
}

describe("sessions", () => {
  test("--continue and --resume keep the conversation and the model", async () => {
    const { run, write } = workplace();
    write("s.json", { version: 1, steps: [{ text: "one" }, { text: "two" }, { text: "three" }] });
    const server = await startModelServer({
      script: { version: 1, rules: [{ answer: { text: "{{turn}}: {{said}}" } }] },
    });
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.anthropicBaseUrl };
    const first = JSON.parse((await run(["-p", "first", "--output-format", "json"], { env })).stdout) as {
      session_id: string;
    };
    const second = await run(["-p", "second", "--continue"], { env });
    expect(second.stdout).toBe("2: second\n");
    const third = await run(["-p", "third", "--resume", first.session_id], { env });
    expect(third.stdout).toBe("3: third\n");
    const { messages } = (server.requests[2] as { body: unknown }).body as { messages: { role: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    const bytes = server.requests.map(({ rawBody }) => rawBody.toString());
    const prefix = (text: string) => text.slice(0, text.indexOf("second"));
    expect(prefix(bytes[2] as string).replaceAll(/,"cache_control":\{[^}]*\}/g, "")).toBe(
      prefix(bytes[1] as string).replaceAll(/,"cache_control":\{[^}]*\}/g, ""),
    );
    await server.close();
  });

  test("second process on one session is refused, and the error names the first", async () => {
    const { start, run, write } = workplace();
    write("s.json", { version: 1, steps: [{ text: "slow", fault: { kind: "hang", after: 1 }, chunk: 1 }] });
    const first = start(["-p", "go", "--model", "scripted/s.json", "--output-format", "stream-json"], { input: "" });
    await first.saw(/text\.delta/);
    const second = await run(["-p", "me too", "--continue"]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(String(first.child.pid));
    first.child.kill("SIGINT");
    expect((await first.done).code).toBe(130);
    write("s.json", { version: 1, rules: [{ answer: { text: "on again" } }] });
    expect((await run(["-p", "now", "--continue"])).stdout).toBe("on again\n");
  });

  test("sessions list, show and export", async () => {
    const { run, write, home } = workplace();
    write("s.json", bash("echo shown"));
    await run(["-p", "the first words", "--model", "scripted/s.json", ...bypass]);
    const list = await run(["sessions"]);
    expect(list.stdout).toContain("the first words");
    const id = /ses_\w+/.exec(list.stdout)?.[0] as string;
    const shown = await run(["sessions", "show", id]);
    expect(shown.stdout).toContain("It ran: shown");
    const lines = await run(["sessions", "export", id, "--format", "jsonl"]);
    expect(
      lines.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object).length,
    ).toBeGreaterThan(5);
    expect((await run(["sessions", "export", id, "-o", "s.json"])).stderr).toMatch(/s\.json/);
    expect((await run(["sessions", "show", "ses_nothere0"])).code).toBe(2);
    expect(logsOf(home)).toHaveLength(1);
  });
});
