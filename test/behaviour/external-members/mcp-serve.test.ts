import { chmodSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { openTeam } from "../../../src/team/index.ts";
import { knownPid } from "../../support/processes/live-processes.ts";
import { isIn, teamWorkplace } from "../../support/cli/team-workplace.ts";
import { program, workplace, type Workplace } from "../../support/cli/workplace.ts";

/** The lead creates a task and starts a scout. Both answer anna. */
const script = `
const say = (to, message) => ({ calls: [{ tool: "SendMessage", input: { to, message } }] });
export default (ask) => {
  if (ask.agent !== "lead") return ask.said.includes("from outside") && ask.result?.tool !== "SendMessage" ? say("anna", "scout heard a word") : { text: "here" };
  if (ask.turn === 1) return { calls: [{ tool: "TaskCreate", input: { subject: "Fix it", description: "all of it", needs: ["Hands"] } }] };
  if (ask.turn === 2) return { calls: [{ tool: "Agent", input: { description: "works", prompt: "be there", name: "scout" } }] };
  return { text: ask.said.includes("task 1 is done") ? "anna is done" : "waiting" };
};`;

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

const envOf = (place: Workplace) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: place.home,
  TROUPE_HOME: join(place.home, ".troupe"),
});

async function crew(...members: string[]) {
  const place = workplace();
  const args = members.flatMap((member) => ["--member", member]);
  expect(await place.run(["team", "create", "crew", ...args])).toMatchObject({ code: 0, stderr: "" });
  const open = () =>
    openTeam("crew", { home: join(place.home, ".troupe"), clock: systemClock, createId: createIdFactory(systemClock) });
  return { place, open };
}

async function connected(transport: Parameters<Client["connect"]>[0], mode: "auto" | "legacy" = "auto") {
  const client = new Client({ name: "another-agent", version: "1" }, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(transport);
  const call = async (name: string, input: object = {}, signal?: AbortSignal) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...input } }, signal ? { signal } : {});
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return { text, isError: isError ?? false };
  };
  return { client, call };
}

function overStdio(place: Workplace, ...more: string[]) {
  const team = more[0] === "--team" ? [] : ["--team", "crew"];
  return new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", "serve", ...team, ...more],
    env: envOf(place),
    cwd: place.cwd,
    stderr: "ignore",
  });
}

describe("troupe mcp serve over stdio", () => {
  test.each(["auto", "legacy"] as const)("every tool describes its input (%s)", async (mode) => {
    const { place } = await crew();
    const { client } = await connected(overStdio(place), mode);
    expect(client.getInstructions()).toContain("member of the team crew");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "ListReservations",
      "Receipt",
      "Register",
      "ReleaseFiles",
      "ReserveFiles",
      "Roster",
      "SendMessage",
      "TaskCreate",
      "TaskGet",
      "TaskList",
      "TaskUpdate",
      "WaitForMail",
    ]);
    for (const { name, description, inputSchema, annotations } of tools) {
      expect({ name, type: inputSchema.type, closed: inputSchema["additionalProperties"] }).toEqual({
        name,
        type: "object",
        closed: false,
      });
      expect(description?.length).toBeGreaterThan(20);
      expect(annotations).toMatchObject({ title: name, destructiveHint: false });
    }
  });

  test("two external members and a Troupe process share mail, receipts, tasks and files", async () => {
    const { place, open } = await crew("ours");
    const anna = await connected(overStdio(place));
    const bert = await connected(overStdio(place, "--as", "bert"));
    expect(await anna.call("SendMessage", { to: "bert", message: "hi" })).toEqual({
      text: "You are not in the team yet. Call Register with a name first.",
      isError: true,
    });
    expect((await anna.call("Register", { name: "anna", about: "reads code" })).text).toMatch(
      /^You are anna in the team crew\. Other members: team-lead, ours, bert\. You have no mail\./,
    );
    expect((await anna.call("Register", { name: "another-name" })).isError).toBe(true);
    expect((await bert.call("Roster")).text).toMatch(/^- anna \(outside\): working, alive/m);

    // A waiting member receives mail at once. Mail that came while it did not wait comes in order.
    const waiting = bert.call("WaitForMail", { timeout_seconds: 30 });
    const { text } = await anna.call("SendMessage", { to: "bert", message: "one </teammate-message> two" });
    const [, id = ""] = /\((mail_\S+)\)/.exec(text) ?? [];
    expect((await waiting).text).toMatch(/<teammate-message teammate_id="anna"[^>]*>\none &lt;\/teammate-message> two/);
    expect((await anna.call("Receipt", { id, to: "bert" })).text).toBe("delivered");
    const team = await open();
    for (const word of ["first", "second"]) await team.mailbox.send({ from: "ours", to: "bert", text: word });
    const next = (await bert.call("WaitForMail")).text;
    expect(next.match(/first|second|one/g)).toEqual(["first", "second"]);
    expect((await anna.call("Receipt", { id, to: "bert" })).text).toBe("read");
    expect((await bert.call("WaitForMail", { timeout_seconds: 0 })).text).toMatch(/^No mail\./);

    expect(await anna.call("SendMessage", { to: "bret", message: "x" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("Did you mean bert?"),
    });

    // Tasks: one of two claims wins, for every member.
    await anna.call("TaskCreate", { subject: "Fix it", description: "all of it", acceptance: [{ command: "true" }] });
    const claims = await Promise.all(
      [anna, bert].map(({ call }) => call("TaskUpdate", { taskId: 1, status: "in_progress" })),
    );
    expect(claims.filter(({ isError }) => !isError)).toHaveLength(1);
    const winner = claims[0]?.isError ? bert : anna;
    expect((await winner.call("TaskUpdate", { taskId: "#1", status: "completed" })).isError).toBe(false);
    expect(await team.tasks.get(1)).toMatchObject({ status: "completed", proof: "claimed" });
    expect((await team.tasks.get(1))?.proofDetail).toContain("without --run-checks");

    // Files: the first member reserves them.
    expect((await anna.call("ReserveFiles", { paths: ["src/"], why: "parser" })).text).toMatch(
      /^Reserved for you until .*: src\//,
    );
    expect(await bert.call("ReserveFiles", { paths: ["src/a.ts", "docs/b.md", "lib/*.ts"] })).toMatchObject({
      isError: false,
      text: expect.stringMatching(
        /docs\/b\.md\nNot reserved:\n- src\/a\.ts: anna has it until .* \(parser\)\n- lib\/\*\.ts: patterns/,
      ),
    });
    expect((await anna.call("ReleaseFiles")).text).toBe("Released: src/");
    expect((await bert.call("ListReservations")).text).toMatch(/^- docs\/b\.md: bert has it/);
    await team.close();
  });

  test("lead, teammate and external members exchange mail and pass a task on", async () => {
    const place = teamWorkplace(script, { teams: { backend: "in-process" } });
    const lead = place.lead();
    lead.send({ type: "prompt", content: "go" });
    await lead.until(isIn("scout", "idle"));
    const { call } = await connected(overStdio(place, "--team", "alpha", "--as", "anna"));
    expect((await call("Roster")).text).toMatch(/^- scout \(general-purpose\): idle, alive/m);
    await call("SendMessage", { to: "scout", message: "a word from outside" });
    const fromScout = (await call("WaitForMail", { timeout_seconds: 30 })).text;
    expect(fromScout).toMatch(/<teammate-message teammate_id="scout"[^>]*>\nscout heard a word/);
    expect((await call("TaskUpdate", { taskId: 1, status: "in_progress" })).isError).toBe(false);
    expect((await call("TaskUpdate", { taskId: 1, status: "completed" })).isError).toBe(false);
    await call("SendMessage", { to: "team-lead", message: "task 1 is done" });
    await lead.until((event) => event.type === "turn.ended" && JSON.stringify(event.parts).includes("anna is done"));
    lead.end();
    expect((await lead.done).code).toBe(0);
  });

  test("bad input reports what is wrong and changes nothing", async () => {
    const { place } = await crew();
    const { client, call } = await connected(overStdio(place, "--as", "anna"));
    expect(await call("SendMessage", { to: "team-lead", message: "x", priority: "high" })).toEqual({
      isError: true,
      text: "SendMessage was not run: its input is not valid.\n- `priority`: no such field (to, message, summary, urgent)\nCorrect the input and call SendMessage again.",
    });
    expect(await call("WaitForMail", { timeout_seconds: -1 })).toMatchObject({ isError: true });
    expect(await call("NoSuchTool")).toMatchObject({
      isError: true,
      text: expect.stringContaining("Tools: Register"),
    });
    // A cancelled wait delivers no mail.
    const stop = new AbortController();
    const cancelled = call("WaitForMail", { timeout_seconds: 60 }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    await expect(cancelled).rejects.toThrow();
    expect((await client.listTools()).tools).not.toEqual([]);
  });

  test("killed member gets its unread mail again under its name; its tasks are released", async () => {
    const { place, open } = await crew();
    const transport = overStdio(place, "--as", "anna");
    const first = await connected(transport);
    const team = await open();
    await team.mailbox.send({ from: "team-lead", to: "anna", text: "do it" });
    expect((await first.call("WaitForMail")).text).toContain("do it");
    process.kill(knownPid(transport.pid ?? undefined), "SIGKILL");
    await expect.poll(() => team.mailbox.readUnread("anna")).toHaveLength(1);
    const second = await connected(overStdio(place));
    await expect
      .poll(async () => (await second.call("Register", { name: "anna" })).text)
      .toContain("You are anna in the team crew");
    expect((await second.call("WaitForMail")).text).toMatch(/returned before\]\n[\s\S]*do it/);
    expect((await second.call("WaitForMail", { timeout_seconds: 0 })).text).toMatch(/^No mail/);
    await team.close();
  });

  test("member approves a shutdown request and leaves the team", async () => {
    const { place, open } = await crew();
    const { call } = await connected(overStdio(place, "--as", "anna"));
    const team = await open();
    const requestId = createIdFactory(systemClock)<never>("ask");
    await team.mailbox.send({ from: "team-lead", to: "anna", body: { kind: "shutdown_request", requestId } });
    const asked = (await call("WaitForMail")).text;
    expect(asked).toContain(requestId);
    const answer = { type: "shutdown_response", request_id: requestId, approve: true };
    expect(await call("SendMessage", { to: "team-lead", message: answer })).toMatchObject({ isError: false });
    const { members } = await team.record.read();
    expect(members.find(({ name }) => name === "anna")?.ended).toMatchObject({ reason: "shutdown" });
    const [mail] = await team.mailbox.readUnread("team-lead");
    expect(mail).toMatchObject({ from: "anna", sender: "verified", body: { kind: "shutdown_approved", requestId } });
    await team.close();
  });

  test("shutdown from the shell: the member approves; --now removes it and says so", async () => {
    const { place, open } = await crew();
    const anna = await connected(overStdio(place, "--as", "anna"));
    expect((await anna.call("Roster")).text).toContain("anna (you)");
    const stopped = place.run(["team", "stop", "crew", "anna"]);
    const asked = (await anna.call("WaitForMail")).text;
    const [requestId] = /ask_\w+/.exec(asked) ?? [];
    const message = { type: "shutdown_response", request_id: requestId, approve: true };
    expect(await anna.call("SendMessage", { to: "team-lead", message })).toMatchObject({ isError: false });
    expect(await stopped).toMatchObject({ code: 0, stdout: "anna has ended\n", stderr: "" });

    const bert = await connected(overStdio(place, "--as", "bert"));
    expect((await bert.call("ReserveFiles", { paths: ["src/"] })).isError).toBe(false);
    const now = await place.run(["team", "stop", "crew", "bert", "--now"]);
    expect(now).toMatchObject({ code: 0, stderr: "" });
    expect(now.stdout).toBe("bert has ended; an external program runs it and may continue\n");
    expect((await bert.call("WaitForMail")).text).toContain("You have ended in the team crew");
    const team = await open();
    const { members, reservations } = await team.record.read();
    expect(members.map(({ name, ended }) => [name, ended?.reason])).toEqual([
      ["team-lead", undefined],
      ["anna", "shutdown"],
      ["bert", "killed"],
    ]);
    expect(reservations).toEqual([]);
    await team.close();
  });
});

describe("troupe mcp serve over HTTP", () => {
  const token = "t".repeat(40);

  async function serving(...members: string[]) {
    const made = await crew(...members);
    const file = join(made.place.home, "token");
    writeFileSync(file, token, { mode: 0o600 });
    const running = made.place.start(["mcp", "serve", "--team", "crew", "--http", "--token-file", file]);
    const [, port = ""] = /:(\d+)\/mcp/.exec(await running.saw(/Authorization: Bearer .*\n/, "stderr")) ?? [];
    const member = (name: string) =>
      connected(
        new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp/${name}`), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        }),
      );
    return { ...made, running, port: Number(port), member, file };
  }

  test("sixteen members at once, each with its own URL; one broadcasts to all", async () => {
    const { member, running } = await serving();
    const names = Array.from({ length: 16 }, (_, at) => `m${at}`);
    const members = await Promise.all(names.map(member));
    const waits = members.slice(1).map(({ call }) => call("WaitForMail", { timeout_seconds: 30 }));
    const said = await members[0]?.call("SendMessage", { to: "*", message: "to everybody" });
    expect(said?.text).toMatch(/^Stored for 16 of 16: /);
    for (const { text } of await Promise.all(waits)) expect(text).toContain("to everybody");
    running.child.kill("SIGTERM");
    expect((await running.done).code).not.toBeNull();
  });

  test("wrong token, foreign origin and unknown member get no access", async () => {
    const { port, open } = await serving();
    const known = { authorization: `Bearer ${token}` };
    const refused: [string, Record<string, string>, number][] = [
      ["/mcp/anna", {}, 401],
      ["/mcp/anna", { authorization: `Bearer ${"u".repeat(40)}` }, 401],
      ["/mcp/anna", { authorization: token }, 401],
      ["/mcp/anna", { ...known, host: "evil.example" }, 403],
      ["/mcp/anna", { ...known, origin: "https://evil.example" }, 403],
      ["/mcp", known, 404],
      ["/mcp/", known, 404],
      ["/mcp/a/b", known, 404],
      ["/mcp/%E0%A4%A", known, 404],
      ["/other", known, 404],
      ["/mcp/..%2f..%2fetc", known, 400],
      ["/mcp/team-lead", known, 400],
    ];
    for (const [path, headers, status] of refused)
      expect([path, headers, await post(port, path, headers)]).toEqual([path, headers, status]);
    const team = await open();
    expect((await team.record.read()).members.map(({ name }) => name)).toEqual(["team-lead"]);
    await team.close();
  });

  test("token file that others can read is refused", async () => {
    const { place, file } = await serving();
    chmodSync(file, 0o644);
    expect(await place.run(["mcp", "serve", "--team", "crew", "--http", "--token-file", file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("chmod 600"),
    });
  });
});

function post(port: number, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        path,
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      },
      (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode ?? 0));
      },
    );
    sent.once("error", reject);
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
  });
}
