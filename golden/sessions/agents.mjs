// Sub-agents: foreground, background, nested, forks, worktrees; a coordinator; a worker on a bus.
import { agent, bypass, call, calls, open, print, prompt, reply, send, usage } from "./say.mjs";

/** Resolves when the lead has been told of this many results from the background. */
const heardBehind = (stage, times) =>
  stage.seen(({ event }) => event.type === "prompt.admitted" && event.source === "background", times);

const foreground = {
  name: "sub-agents",
  files: () => ({
    "a.txt": "one\n",
    ".troupe/agents/reader.md":
      "---\nname: reader\ndescription: Reads.\ntools: Read, Agent\nmaxTurns: 3\n---\nYou read.\n",
  }),
  actors: {
    lead: [
      { text: "I send one.", ...calls(agent("scout", "look", { subagent_type: "reader", name: "scout" })), usage },
      { ...calls(agent("stranger", "look", { subagent_type: "no-such-type" })), usage },
      { ...calls(send("scout", "and now again")), usage },
      async (_, stage) => {
        await heardBehind(stage, 1);
        return { ...calls(agent("turner", "never stop", { subagent_type: "reader" })), usage };
      },
      { ...calls(agent("breaker", "break")), usage },
      { text: "They are back.", usage },
    ],
    scout: [
      { ...calls(call("Read", { file_path: "a.txt" })), usage },
      { ...calls(agent("deeper", "look deeper")), usage },
      { text: "One line.", usage },
      async (_, stage) => {
        await stage.did("lead", "turn.started", 4);
        return { text: "Still one line.", usage };
      },
    ],
    deeper: [
      { ...calls(call("Bash", { command: "echo deep" })), usage },
      { text: "Deep enough.", usage },
    ],
    turner: () => ({ ...calls(call("Read", { file_path: "a.txt" })), usage }),
    breaker: [{ fault: { kind: "bad_request", message: "no such field" } }],
  },
  play: (stage) =>
    print(stage, "have it looked at", ...bypass, "--trust", "--settings", JSON.stringify({ limits: { maxDepth: 2 } })),
};

const background = {
  name: "background-agents",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      { ...calls(agent("slow", "take your time", { run_in_background: true })), usage },
      { text: "It works; I wait.", usage },
      {
        text: "It is back.",
        ...calls(
          call("Bash", {
            command: "until test -e go; do sleep 0.05; done; echo from behind",
            run_in_background: true,
          }),
        ),
        usage,
      },
      async (ask, stage) => {
        stage.write("go", "");
        await heardBehind(stage, 2);
        return { ...calls(agent("endless", "never stop", { run_in_background: true })), usage };
      },
      async (ask, stage) => {
        // Five turns of the lead, two of the first agent, one of the second.
        await stage.seen(({ event }) => event.type === "turn.started", 8);
        return { ...calls(call("TaskStop", { task_id: /bg_\w+/.exec(ask.result.text)?.[0] ?? "none" })), usage };
      },
      { text: "That is all.", usage },
      { text: "I have heard.", usage },
    ],
    slow: [
      async (_, stage) => {
        await stage.idle("lead", 1);
        return { ...calls(call("Read", { file_path: "a.txt" })), usage };
      },
      { text: "Slow and done.", usage },
    ],
    endless: [() => new Promise(() => undefined)],
  },
  play: (stage) => print(stage, "in the background", ...bypass),
};

const forks = {
  name: "forks",
  mark: "last",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      { ...calls(call("Read", { file_path: "a.txt" })), usage },
      { text: "A fork looks.", ...calls(agent("left", "look left")), usage },
      { ...calls(agent("fresh", "look with fresh eyes", { subagent_type: "general-purpose" })), usage },
      { text: "Both have looked.", usage },
    ],
    left: (ask) =>
      ask.result?.tool === "Agent" && ask.turn === 3
        ? { ...calls(agent("left", "a fork of a fork")), usage }
        : ask.turn === 4
          ? { ...calls(call("Bash", { command: "cat a.txt" })), usage }
          : { text: "Left is empty.", usage },
    fresh: [{ text: "Nothing new.", usage }],
  },
  play: (stage) => print(stage, "look", ...bypass, "--forks"),
};

const inTree = (name) => agent(name, `write ${name}.txt`, { isolation: "worktree", name });
const commit = (name, text) =>
  call("Bash", { command: `echo ${text} > ${name}.txt && git add -A && git commit -q -m "${name}"` });

const worktrees = {
  name: "worktrees-and-landing",
  repository: true,
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      { ...calls(inTree("north")), usage },
      { ...calls(inTree("south")), usage },
      { ...calls(inTree("idle")), usage },
      { text: "Two branches.", usage },
    ],
    north: [
      { ...calls(commit("north", "cold")), usage },
      { text: "North is done.", usage },
    ],
    south: [
      { ...calls(commit("south", "warm")), usage },
      { ...calls(commit("a", "changed")), usage },
      { text: "South is done.", usage },
    ],
    idle: [{ text: "Nothing to do.", usage }],
  },
  async play(stage) {
    await print(stage, "write both", ...bypass);
    await stage.start(["worktree", "list"]).done;
    const branches = stage.envelopes.flatMap(({ event }) =>
      event.type === "agent.spawned" && event.worktree ? [event.worktree.branch] : [],
    );
    await stage.start(["land", ...branches.slice(0, 2), "--check", "test -e north.txt"]).done;
    await stage.start(["land", branches[0], "--json"]).done;
    await stage.start(["worktree", "prune"]).done;
  },
};

const worker = (name, text) => agent(name, text, { name });
const coordinator = {
  name: "coordinator",
  files: () => ({ "total.txt": "price + discount\n" }),
  actors: {
    lead: [
      { text: "One looks first.", ...calls(worker("reader", "read total.txt")), usage },
      { text: "It is under way.", usage },
      { ...calls(send("reader", "Change it: take the discount off.")), usage },
      { text: "It goes on.", usage },
      { ...calls(worker("checker", "check total.txt")), usage },
      { text: "The check is under way.", usage },
      { text: "Totals are right again.", usage },
    ],
    reader: [
      async (_, stage) => {
        await stage.idle("lead", 1);
        return { ...calls(call("Read", { file_path: "total.txt" })), usage };
      },
      ({ system }) => {
        const note = /(\/\S+\/scratchpad)\b/.exec(system)?.[1];
        return { ...calls(call("Write", { file_path: `${note}/finding.md`, content: "It adds.\n" })), usage };
      },
      { text: "It adds the discount.", usage },
      async (_, stage) => {
        await stage.idle("lead", 2);
        return { ...calls(call("Edit", { file_path: "total.txt", old_string: "+", new_string: "-" })), usage };
      },
      { text: "Changed.", usage },
    ],
    checker: [
      async (_, stage) => {
        await stage.idle("lead", 3);
        return { ...calls(call("Bash", { command: "grep -c -- - total.txt" })), usage };
      },
      { text: "Right.", usage },
    ],
  },
  play: (stage) => print(stage, "totals are wrong", ...bypass, "--coordinator"),
};

const remote = {
  name: "bus-worker",
  repository: true,
  bus: true,
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      {
        ...calls(
          agent("writer", "write one and two", {
            name: "writer",
            isolation: "remote",
            subagent_type: "general-purpose",
          }),
        ),
        usage,
      },
      { text: "It is written.", usage },
    ],
    writer: [
      { ...calls(commit("one", "one")), usage },
      { ...calls(call("Bash", { command: "echo two > two.txt" })), usage },
      { text: "Both are written.", usage },
    ],
  },
  async play(stage) {
    const bus = ["--bus", stage.bus.url];
    const home = { TROUPE_HOME: `${stage.root}/tmp/worker-home`, HOME: `${stage.root}/tmp` };
    const working = stage.start(["worker", ...bus, "--name", "north", ...bypass], {
      input: null,
      quiet: true,
      env: home,
    });
    await working.said(/north/);
    await stage.start(["bus", "status", ...bus]).done;
    await print(stage, "have it written", ...bypass, ...bus);
    working.child.kill("SIGTERM");
    await working.done;
  },
};

const asked = {
  name: "agent-questions",
  files: () => ({ "a.txt": "one\n" }),
  actors: {
    lead: [
      { ...calls(agent("writer", "write", { name: "writer" })), usage },
      { text: "Done.", usage },
    ],
    writer: [
      { ...calls(call("Write", { file_path: "b.txt", content: "b\n" })), usage },
      { ...calls(call("Write", { file_path: "c.txt", content: "c\n" })), usage },
      { text: "One of two.", usage },
    ],
  },
  async play(stage) {
    const run = open(stage);
    run.send(prompt("have it written", { id: "1" }));
    await reply(stage, run, 1, { behavior: "allow", scope: "once", input: { file_path: "b.txt", content: "B\n" } });
    await reply(stage, run, 2, { behavior: "deny", message: "one is enough" });
    await stage.idle("lead", 1);
    run.end();
    await run.done;
    await stage.start(["agents", "list"]).done;
    await stage.start(["agents", "show", "lead/writer"]).done;
  },
};

export const agents = [remote, background, coordinator, worktrees, forks, foreground, asked];
