// A single agent: answers, tools, failures, limits, compaction, resuming.
import { agent, bypass, call, calls, model, open, print, prompt, reply, stream } from "./say.mjs";

const answers = {
  name: "plain-answer",
  actors: { lead: [{ thinking: "It greets me.", text: "Hello to you." }] },
  play: (stage) => print(stage, "say hello"),
};

const formats = {
  name: "output-formats",
  actors: { lead: [{ text: "Hello to you." }] },
  async play(stage) {
    const ask = ["-p", "[actor lead] say hello", ...model];
    await stage.start(ask).done;
    await stage.start([...ask, "--output-format", "json"]).done;
    await stage.start([...ask, "--verbose"]).done;
    await stage.start(["-p", ...model], { input: "[actor lead] from a pipe" }).done;
    await stage.start(["sessions", "--all"]).done;
    await stage.start(["cost"]).done;
    await stage.start(["-p", "x", "--model", "nobody/knows"]).done;
  },
};

const tools = {
  name: "tools-and-edits",
  files: () => ({ "a.txt": "one\ntwo\nthree\n", "src/b.txt": "two again\n", "AGENTS.md": "Be kind to files.\n" }),
  repository: true,
  actors: {
    lead: [
      { text: "I look.", ...calls(call("Read", { file_path: "a.txt" })) },
      calls(call("Grep", { pattern: "two", output_mode: "content" })),
      calls(call("Glob", { pattern: "**/*.txt" })),
      calls(call("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" })),
      calls(call("Write", { file_path: "c.txt", content: "new\n" })),
      calls(call("Bash", { command: "cat a.txt c.txt", description: "Show both" })),
      calls(call("TaskCreate", { subject: "Count the lines", description: "All of them." })),
      calls(call("TaskUpdate", { taskId: "1", status: "in_progress" })),
      calls(call("TaskList", {})),
      { text: "a.txt and c.txt are as they should be." },
    ],
  },
  play: (stage) => print(stage, "change the files", ...bypass),
};

const failures = {
  name: "tool-failures",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      calls(call("Read", { file_path: "missing.txt" })),
      calls(call("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" })),
      calls(call("Read", { file_path: "a.txt" })),
      calls(call("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" })),
      calls(call("Bash", { command: "echo out; echo err >&2; exit 3" })),
      calls(call("Bash", { command: 7 })),
      calls(call("NoSuchTool", { x: 1 })),
      calls(call("Bash", { command: "sleep 30", timeout: 1000 })),
      calls(call("Bash", { command: "seq 1 40000" })),
      { text: "All of it failed." },
    ],
  },
  play: (stage) => print(stage, "try", ...bypass),
};

const retries = {
  name: "retries",
  faults: [
    { request: 1, status: 529, headers: { "retry-after": "0" } },
    { request: 2, reset: true },
    { request: 3, cutAfterEvents: 4 },
    { request: 5, malformed: "split-utf8" },
  ],
  actors: { lead: [{ text: "One — two.", ...calls(call("Bash", { command: "echo hi" })) }, { text: "Thrée." }] },
  play: (stage) => print(stage, "go", ...bypass),
};

const refused = {
  name: "model-refuses",
  actors: { lead: [{ fault: { kind: "authentication", message: "the key is not valid" } }] },
  async play(stage) {
    await print(stage, "go");
    await stage.start(["-p", "[actor lead] go", ...model, "--output-format", "json"]).done;
  },
};

const openai = {
  name: "openai-protocol",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      { text: "I look.", ...calls(call("Read", { file_path: "a.txt" })) },
      calls(agent("scout", "look around", { subagent_type: "Explore" })),
      { text: "Seen." },
    ],
    scout: [calls(call("Glob", { pattern: "*" })), { text: "One file." }],
  },
  play: (stage) => print(stage, "look", "--model", "openai/gpt-5.1"),
};

const scripted = {
  name: "scripted-file",
  files: () => ({
    "s.json": {
      version: 1,
      rules: [
        {
          when: { tool: "Bash", result: { regex: "(\\d+) failed" } },
          answer: { text: "{{result:/(\\d+) failed/1}} of them." },
        },
      ],
      steps: [
        {
          fault: { kind: "rate_limited", retryAfterMs: 10, times: 2 },
          text: "Third time.",
          calls: [call("Bash", { command: "echo 3 failed" })],
        },
        { fault: { kind: "cut", after: 2 }, text: "This breaks off once, and then arrives.", chunk: 10 },
        { fault: { kind: "bad_request", message: "no such field" } },
      ],
    },
  }),
  async play(stage) {
    const script = ["--model", "scripted/s.json", ...bypass, "--record", "../record.json"];
    await print(stage, "count", ...script);
    await print(stage, "again", ...script, "--continue");
    await print(stage, "once more", ...script, "--continue");
  },
};

const limits = {
  name: "limits",
  actors: {
    lead: ({ turn }) => ({
      ...calls(call("Bash", { command: `echo ${turn}` })),
      usage: { inputTokens: 100_000, outputTokens: 10 },
    }),
  },
  async play(stage) {
    await print(stage, "spend", ...bypass, "--max-budget-usd", "0.5");
    await print(stage, "turn", ...bypass, "--max-turns", "2");
    await print(stage, "count", ...bypass, "--max-tokens", "150000");
  },
};

const compaction = {
  name: "compaction",
  files: () => ({ "long.txt": "a line of many words that fill the window\n".repeat(400) }),
  actors: {
    lead: (ask) => {
      const summarising = ask.request.tools.length === 0 || ask.result?.tool !== "Read";
      if (ask.said.includes("ONE"))
        return ask.result ? { text: "Read once." } : calls(call("Read", { file_path: "long.txt" }));
      return { text: summarising ? "Summary: long.txt was read." : "Read." };
    },
  },
  async play(stage) {
    const run = open(stage, ...bypass);
    run.send(prompt("ONE", { id: "1" }));
    await stage.idle("lead", 1);
    run.send(prompt("TWO", { id: "2" }));
    await stage.idle("lead", 2);
    run.send({ type: "compact", id: "3", instructions: "keep the names of files" });
    await stage.seen(({ event }) => event.type === "command.settled" && event.commandId === "3");
    run.send(prompt("THREE", { id: "4" }));
    await stage.idle("lead", 3);
    run.end();
    await run.done;
    await print(
      stage,
      "FOUR",
      ...bypass,
      "--continue",
      "--settings",
      JSON.stringify({ compaction: { atTokens: 1000 } }),
    );
  },
};

const resume = {
  name: "resume",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      { text: "I note it.", ...calls(call("Write", { file_path: "note.txt", content: "noted\n" })) },
      { text: "Noted." },
      async (_, stage) => {
        stage.reached();
        return new Promise(() => undefined); // it is killed while it waits
      },
    ],
  },
  async play(stage) {
    await print(stage, "note it", ...bypass);
    const waiting = new Promise((resolve) => (stage.reached = resolve));
    const killed = stage.start(["-p", "[actor lead] wait", "--continue", ...stream, ...model, ...bypass]);
    await waiting;
    killed.child.kill("SIGKILL");
    await killed.done;
    stage.server.setScript(() => ({ text: "Here again." }));
    await stage.start(["-p", "go on", "--continue", ...stream, ...model, ...bypass]).done;
    await stage.start(["sessions"]).done;
    await stage.start(["cost", "--json"]).done;
  },
};

const interrupted = {
  name: "stream-commands",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: (ask) => {
      if (ask.said.includes("SLEEP"))
        return ask.result ? { text: "Slept." } : calls(call("Bash", { command: "echo asleep; tail -f /dev/null" }));
      if (ask.said.includes("WRITE") && !ask.result)
        return calls(call("Write", { file_path: "b.txt", content: "b\n" }));
      return { text: "Yes." };
    },
  },
  async play(stage) {
    const run = open(stage);
    run.send(prompt("HELLO", { id: "1" }));
    await stage.idle("lead", 1);
    run.send(prompt("WRITE", { id: "2" }));
    await reply(stage, run, 1, { behavior: "allow", scope: "once" });
    await stage.idle("lead", 2);
    run.send({ type: "set", id: "3", permissionMode: "bypassPermissions" });
    run.send(prompt("SLEEP", { id: "4" }));
    await stage.seen(({ event }) => event.type === "tool.progress");
    run.send({ type: "interrupt", id: "5" });
    await stage.idle("lead", 3);
    run.send({ type: "prompt", id: "6", agent: "lead/nobody", content: "hello?" });
    await stage.seen(({ event }) => event.type === "command.settled" && event.commandId === "6");
    run.send({ type: "nonsense" });
    run.send({ type: "close", id: "7" });
    run.end();
    await run.done;
  },
};

export const solo = [
  answers,
  formats,
  tools,
  failures,
  retries,
  refused,
  openai,
  scripted,
  limits,
  compaction,
  resume,
  interrupted,
];
