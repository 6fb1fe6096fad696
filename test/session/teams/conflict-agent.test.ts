import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import type { AgentId } from "../../../src/protocol/index.ts";
import { createConflictAgent } from "../../../src/session/teams/conflict-agent.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { land } from "../../../src/team/index.ts";
import { type Answer, type Ask, createScriptedModel, systemClock } from "../../../src/testing.ts";
import { testRepository } from "../../support/git/test-repository.ts";
import { agent, lead, teamSession, textOf } from "../../support/team/team-session.ts";

const bash = (command: string) => ({ tool: "Bash", input: { command } });
const commit = "git -c user.name=A -c user.email=a@example.com commit -qam";

/** An agent has changed a line on its branch, and the current branch has since changed the same line. */
async function clash() {
  const repo = testRepository();
  const team = await teamSession({
    cwd: repo.repo,
    stored: true,
    answer: lead(
      [{ calls: [agent("make a.txt friendly", { name: "writer", isolation: "worktree" })] }, { text: "over" }],
      (ask) =>
        ask.turn === 1
          ? { text: "", calls: [bash(`echo 'one, please' > a.txt && ${commit} 'a is polite'`)] }
          : { text: "it is polite now: xyzzy" },
    ),
  });
  await team.ask("go");
  await team.close();
  repo.commit("a is loud", { "a.txt": "ONE\n" });
  const [spawned] = team.all("agent.spawned", "lead/writer");
  const id = team.envelopes.find(({ event }) => event === spawned)?.agent as AgentId;
  const place = { ...repo.place, home: team.tree.path("home/.troupe") };
  return { repo, team, id, place, branch: spawned?.worktree?.branch ?? "" };
}

type Clash = Awaited<ReturnType<typeof clash>>;

async function landed({ repo, team, place, branch }: Clash, answer: (ask: Ask) => Answer, check?: string) {
  const model = createScriptedModel(answer, { clock: systemClock, cwd: repo.repo });
  const lines: string[] = [];
  const report = await land(place, {
    branches: [branch],
    settings: check === undefined ? {} : { check },
    resolveConflict: createConflictAgent({
      place,
      store: createFileSessionStore({ home: place.home, clock: systemClock, createId: createIdFactory(systemClock) }),
      start: {
        cwd: repo.repo,
        env: { HOME: team.tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
        flags: {},
        model,
      },
      type: "general-purpose",
      mode: "acceptEdits",
      onProgress: (line) => lines.push(line),
    }),
  });
  return { report, lines: lines.join("\n"), asks: model.calls.map(({ ask }) => ask) };
}

const settles = (content: string) => (ask: Ask) => {
  const path = /Work in (\S+):/.exec(ask.said)?.[1] ?? "";
  if (ask.results.length === 0)
    return { text: "", calls: [{ tool: "Read", input: { file_path: join(path, "a.txt") } }] };
  if (ask.result?.tool === "Read")
    return { text: "", calls: [{ tool: "Write", input: { file_path: join(path, "a.txt"), content } }] };
  return { text: "loud and polite" };
};

test("a conflict goes to the author, which keeps its conversation; its resolution lands", async () => {
  const now = await clash();
  const { report, lines, asks } = await landed(now, settles("ONE, PLEASE\n"), "! grep -q '<<<<' a.txt");
  expect(report.refused).toEqual([]);
  expect(report.landed).toMatchObject([{ branch: now.branch, resolved: true }]);
  expect(readFileSync(join(now.repo.repo, "a.txt"), "utf8")).toBe("ONE, PLEASE\n");
  expect(now.repo.git("log", "--format=%s")).toBe("a is polite\na is loud\nfirst");
  expect(now.repo.git("status", "--porcelain")).toBe("");
  expect(lines).toContain(`conflict goes to author ${now.id}`);
  expect(lines).toContain("the agent says: loud and polite");
  const [first] = asks;
  expect(first?.agent).toBe("lead/writer");
  expect(textOf(first?.request.messages ?? [])).toContain("it is polite now: xyzzy");
  expect(first?.said).toMatch(/> \w+ a is polite[\s\S]*> \w+ a is loud/);
  expect(first?.said).toMatch(/a\.txt, line 1:\n<<<<<<< [\s\S]*\nONE\n=======\none, please\n>>>>>>> /);
  // The next message finds it in its earlier folder, and its lead knows nothing of the landing.
  const next = await teamSession({
    stored: true,
    tree: now.team.tree,
    cwd: now.repo.repo,
    resume: now.team.session.id,
    answer: lead(
      [{ calls: [{ tool: "SendMessage", input: { to: "writer", message: "where are you?" } }] }, { text: "over" }],
      (ask) => (ask.results.length === 0 ? { text: "", calls: [bash("pwd")] } : { text: ask.result?.text ?? "" }),
    ),
  });
  await next.session.ask("again");
  await next.quiet();
  const news = next.all("prompt.admitted", "lead").filter(({ source }) => source === "background");
  expect(JSON.stringify(news)).toContain(`${now.repo.repo}.troupe/writer-`);
  expect(textOf(next.asked("lead")[0]?.request.messages ?? [])).not.toContain("loud and polite");
});

const marked = "<<<<<<< x\nONE\n=======\none\n>>>>>>> y\n";

test("an agent that leaves markers and says it is done gets one more turn with their places", async () => {
  const now = await clash();
  const { report, asks } = await landed(now, (ask) => {
    if (!ask.said.includes("a.txt, line 5")) return settles(marked)(ask);
    const path = /Work in (\S+):/.exec(textOf(ask.request.messages))?.[1] ?? "";
    if (ask.turn > 1 && ask.result?.tool === "Write" && ask.results.length === 1) return { text: "now it is" };
    return {
      text: "",
      calls: [{ tool: "Write", input: { file_path: join(path, "a.txt"), content: "ONE, PLEASE\n" } }],
    };
  });
  expect(report.landed).toMatchObject([{ branch: now.branch, resolved: true }]);
  expect(readFileSync(join(now.repo.repo, "a.txt"), "utf8")).toBe("ONE, PLEASE\n");
  expect(new Set(asks.map((ask) => ask.agent))).toEqual(new Set(["lead/writer"]));
  expect(asks.at(-1)?.said).toContain("- a.txt, line 1\n- a.txt, line 5\n");
});

test.each([
  ["leaves markers", settles(marked), "it left conflict markers in a.txt, line 1; a.txt, line 5"],
  ["gives up", () => ({ text: "GIVE UP: loud is not polite" }), "loud is not polite"],
  [
    "breaks",
    () => ({ fault: { kind: "authentication" as const, message: "no key", times: "turn" as const } }),
    expect.stringContaining("no key") as string,
  ],
  ["says it has, and has not", () => ({ text: "settled" }), "it left conflict markers in a.txt, line 1; a.txt, line 5"],
  [
    "commits by itself",
    (ask: Ask) =>
      ask.result?.tool === "Write"
        ? { text: "", calls: [bash("git commit -qam mine")] }
        : settles("ONE, PLEASE\n")(ask),
    "it committed or continued the rebase itself",
  ],
])("an agent that %s: the branch is left out, with the reason", async (_what, answer, why) => {
  const now = await clash();
  const before = now.repo.git("rev-parse", "main");
  const { report } = await landed(now, answer);
  expect(report.landed).toEqual([]);
  expect(report.refused).toMatchObject([{ branch: now.branch, reason: "conflict", why }]);
  expect(now.repo.git("rev-parse", "main")).toBe(before);
  expect(now.repo.git("status", "--porcelain")).toBe("");
});

test("a wrong resolution is found by the check", async () => {
  const now = await clash();
  const { report } = await landed(now, settles("two\n"), "! grep -q two a.txt");
  expect(report.refused).toMatchObject([{ branch: now.branch, reason: "red" }]);
  expect(readFileSync(join(now.repo.repo, "a.txt"), "utf8")).toBe("ONE\n");
});

test("it can change only the landing tree, and run nothing that needs a permission", async () => {
  const now = await clash();
  const outside = join(now.repo.repo, "a.txt");
  const { asks } = await landed(now, (ask) =>
    ask.results.length > 0
      ? { text: "GIVE UP: cannot" }
      : {
          text: "",
          calls: [{ tool: "Write", input: { file_path: outside, content: "x" } }, bash("node -e 0")],
        },
  );
  expect(asks.at(-1)?.results.map(({ isError }) => isError)).toEqual([true, true]);
  expect(readFileSync(outside, "utf8")).toBe("ONE\n");
});

test("a branch without an author, or with an author in use, goes to a new agent with what is known", async () => {
  const now = await clash();
  const busy = await teamSession({
    stored: true,
    tree: now.team.tree,
    cwd: now.repo.repo,
    resume: now.team.session.id,
    answer: lead([{ text: "here" }], () => undefined),
  });
  const { report, lines, asks } = await landed(now, settles("ONE, PLEASE\n"));
  await busy.close();
  expect(report.landed).toMatchObject([{ resolved: true }]);
  expect(lines).toMatch(/cannot ask its author .*in use[\s\S]*conflict goes to a new agent \(general-purpose\)/);
  expect(asks[0]?.agent).toMatch(/^lead\/general-purpose-/);
  expect(asks[0]?.said).toContain("> make a.txt friendly");

  const { repo } = now;
  repo.git("checkout", "-qb", "by-hand", "main~1");
  repo.commit("by hand", { "a.txt": "mine\n" });
  repo.git("checkout", "-q", "main");
  const other = await landed({ ...now, branch: "by-hand" }, settles("both\n"));
  expect(other.lines).toMatch(/conflict goes to a new agent \(.*\)/);
  expect(other.report.landed).toMatchObject([{ branch: "by-hand", resolved: true }]);
});
