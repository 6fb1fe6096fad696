import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Ask, type ModelServer, startModelServer } from "../../../src/testing.ts";
import { program } from "../../support/cli/workplace.ts";
import { layOut, type OldHome } from "../../support/sessions/lay-out-old-home.ts";

const fixture = resolve(import.meta.dirname, "../../fixtures/home-v0.1");
const inProcess = ["--settings", JSON.stringify({ teams: { backend: "in-process" } })];

interface Old extends OldHome {
  readonly server: ModelServer;
  /** Resumes the session of this folder, takes one turn and exits. */
  resume(name: string, ...more: string[]): Promise<string>;
  /** Runs another command. */
  troupe(...args: string[]): string;
}

type Answer = (ask: Ask) => { readonly text?: string; readonly calls?: { tool: string; input: object }[] };

/** The old home on this machine, and a model that answers with `answer`. */
async function old(answer: Answer): Promise<Old> {
  const laidOut = layOut(fixture);
  const server = await startModelServer({ script: answer });
  onTestFinished(() => server.close());
  const env = {
    PATH: process.env["PATH"],
    HOME: dirname(laidOut.home),
    TROUPE_HOME: laidOut.home,
    ANTHROPIC_API_KEY: "any-key",
    ANTHROPIC_BASE_URL: server.anthropicBaseUrl,
  };
  return {
    ...laidOut,
    server,
    resume: (name, ...more) =>
      new Promise((done, failed) => {
        const args = [
          "-p",
          "continue",
          "--resume",
          laidOut.sessions[name] ?? "",
          "--permission-mode",
          "bypassPermissions",
        ];
        const child = spawn(process.execPath, [program, ...args, ...more], { cwd: laidOut.folder(name), env });
        onTestFinished(() => void child.kill("SIGKILL"));
        let [stdout, stderr] = ["", ""];
        child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
        child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
        child.stdin.end();
        child.on("error", failed);
        child.on("close", (code) =>
          code === 0 || code === 4 ? done(stdout) : failed(new Error(`exit ${code}: ${stderr}`)),
        );
      }),
    troupe(...args) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    },
  };
}

/** The whole conversation so far, as text. */
const told = ({ request }: Ask): string => JSON.stringify(request.messages);
const isLead = (ask: Ask, name: string) => told(ask).includes(`[actor ${name}]`);

test("a single agent keeps its conversation and its tool results", async () => {
  const place = await old((ask) => ({ text: `${ask.turn}: ${told(ask)}` }));
  const said = await place.resume("solo");
  expect(said).toMatch(/^4: /);
  for (const words of ["[actor solo] begin", "The word is heron.", "cat note.txt", "The word is noted.", "continue"])
    expect(said).toContain(words);
  const shown = place.troupe("sessions", "show", place.sessions["solo"] ?? "");
  expect(shown).toContain("The word is noted.");
});

test("a lead continues a finished sub-agent, which keeps its conversation", async () => {
  const place = await old((ask) => {
    if (told(ask).includes("[actor scout]") && !isLead(ask, "agents")) return { text: `again: ${told(ask)}` };
    if (ask.turn === 3)
      return { calls: [{ tool: "SendMessage", input: { to: "scout", message: "look again", summary: "again" } }] };
    return { text: `${ask.turn}: ${told(ask)}` };
  });
  const said = await place.resume("agents");
  expect(said).toContain("The scout saw a heron.");
  const scout = place.server.requests.find(({ rawBody }) => {
    const body = rawBody.toString();
    return body.includes("look again") && body.includes("I saw a heron.") && !body.includes("[actor agents]");
  });
  expect(scout?.rawBody.toString()).toContain("echo heron");
});

test("a team keeps its tasks, its mail and an idle member, which continues", async () => {
  const place = await old((ask) => {
    if (!isLead(ask, "team")) return { text: "Three, now." };
    const asked = told(ask).includes("Three herons, then?");
    if (!asked)
      return {
        calls: [{ tool: "SendMessage", input: { to: "ann", message: "Three herons, then?", summary: "three?" } }],
      };
    return { text: told(ask).includes("Three, now.") ? "There are three." : "I wait." };
  });
  const tasks = JSON.parse(place.troupe("tasks", "list", "--all", "--team", "press", "--json")) as unknown;
  expect(tasks).toMatchObject([
    { id: 1, subject: "Count herons", status: "completed", proof: "verified", owner: "ann" },
    { id: 2, subject: "Count storks", status: "pending" },
  ]);
  const inbox = JSON.parse(place.troupe("team", "inbox", "press", "ann", "--json")) as unknown;
  expect(inbox).toContainEqual(
    expect.objectContaining({ from: "team-lead", summary: "two?", state: "read", sender: "verified" }),
  );
  await place.resume("team", ...inProcess);
  const ann = place.server.requests
    .map(({ rawBody }) => rawBody.toString())
    .find((body) => /Three herons/.test(body) && !/\[actor team\]/.test(body));
  for (const words of ["[actor ann] wait for tasks", "Count herons", "Two, yes."]) expect(ann).toContain(words);
  const show = JSON.parse(place.troupe("team", "show", "press", "--json")) as { team: { members: object[] } };
  expect(show.team.members).toMatchObject([{ name: "team-lead" }, { name: "ann", agentType: "general-purpose" }]);
});

test("a coordinator keeps its mode, its worker and its scratchpad", async () => {
  const place = await old((ask) => {
    if (!isLead(ask, "coordinator")) return { text: `worker: ${told(ask)}` };
    if (ask.result === undefined && ask.said.includes("continue"))
      return { calls: [{ tool: "SendMessage", input: { to: "counter", message: "count again", summary: "again" } }] };
    return { text: told(ask).includes("worker: ") ? "Counted again." : "It counts." };
  });
  await place.resume("coordinator");
  const bodies = place.server.requests.map(({ body }) => body as { tools: { name: string }[] });
  expect(bodies[0]?.tools.map(({ name }) => name).toSorted()).toEqual([
    "Agent",
    "Land",
    "SendMessage",
    "TaskOutput",
    "TaskStop",
  ]);
  const worker = place.server.requests
    .map(({ rawBody }) => rawBody.toString())
    .find((body) => body.includes("count again") && !body.includes("[actor coordinator]"));
  expect(worker).toContain("I counted two.");
  const scratchpad = /(\/\S+\/scratchpad)\b/.exec(place.server.requests[0]?.rawBody.toString() ?? "")?.[1] ?? "";
  expect(readFileSync(join(scratchpad, "count.md"), "utf8")).toBe("Two herons.\n");
});
