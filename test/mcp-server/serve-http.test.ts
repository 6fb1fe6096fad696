import { request } from "node:http";
import { onTestFinished, expect, test } from "vitest";
import { newToken, serveHttp } from "../../src/mcp-server/index.ts";
import { createIdFactory, systemClock } from "../../src/platform/index.ts";
import { teamUser } from "../../src/protocol/index.ts";
import { openTeamStore } from "../../src/store/index.ts";
import { openMailbox } from "../../src/team/index.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

/** A server for a new team, and a way to send raw requests to it. */
async function serving() {
  const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
  const folder = temporaryFolder();
  const team = await openTeamStore({ home: folder, ...ports }).create({ name: "crew", cwd: folder });
  const mailbox = openMailbox(team, ports);
  const token = newToken();
  const errors: Error[] = [];
  const server = await serveHttp({
    ...ports,
    team,
    cwd: folder,
    env: {},
    runChecks: false,
    port: 0,
    token,
    onError: (error) => errors.push(error),
  });
  onTestFinished(async () => {
    await server.close();
    await mailbox.close();
    await team.close();
  });
  let id = 0;
  const begin = (member: string, name: string, input: object) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    };
    const sent = request({ port: server.port, host: "127.0.0.1", path: `/mcp/${member}`, method: "POST", headers });
    const params = { name, arguments: input };
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: (id += 1), method: "tools/call", params }));
    return sent;
  };
  const call = (member: string, name: string, input: object = {}) =>
    new Promise<string>((resolve, reject) => {
      const sent = begin(member, name, input).once("error", reject);
      sent.once("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.once("end", () => resolve(text)).once("error", reject);
      });
    });
  const stateOf = async (member: string) => {
    const { members } = await team.record.read();
    const statuses = await team.presence.statusOf(members);
    return statuses[members.findIndex(({ name }) => name === member)]?.state;
  };
  return { team, mailbox, begin, call, stateOf, errors, port: server.port, folder, token };
}

test("a client that disconnects while waiting gets its mail with the next call", async () => {
  const { mailbox, begin, call, stateOf } = await serving();
  await call("anna", "Roster");
  const waiting = begin("anna", "WaitForMail", { timeout_seconds: 60 });
  waiting.on("error", () => undefined);
  await expect.poll(() => stateOf("anna")).toBe("idle");
  const closed = new Promise((resolve) => waiting.once("close", resolve));
  waiting.destroy();
  await closed;
  await mailbox.send({ from: "team-lead", to: "anna", text: "do it" });
  expect(await call("anna", "WaitForMail", { timeout_seconds: 0 })).toContain("do it");
});

test("a member that agreed to shut down can do nothing in the team until it registers again", async () => {
  const { mailbox, call, team, errors } = await serving();
  await call("anna", "Roster");
  await team.tasks.create({ subject: "Fix it", description: "all of it" }, { name: "team-lead" });
  const requestId = createIdFactory(systemClock)<never>("ask");
  await mailbox.send({ from: "team-lead", to: "anna", body: { kind: "shutdown_request", requestId } });
  await call("anna", "WaitForMail", { timeout_seconds: 0 });
  const message = { type: "shutdown_response", request_id: requestId, approve: true };
  expect(await call("anna", "SendMessage", { to: "team-lead", message })).toContain("You have agreed to end");
  for (const [tool, input] of [
    ["TaskUpdate", { taskId: 1, status: "in_progress" }],
    ["ReserveFiles", { paths: ["src/"] }],
    ["WaitForMail", { timeout_seconds: 1 }],
    ["SendMessage", { to: "team-lead", message: "still here" }],
  ] as const)
    expect(await call("anna", tool, input)).toContain("You have ended in the team crew");
  expect(await team.tasks.get(1)).toMatchObject({ status: "pending" });
  expect((await team.record.read()).reservations ?? []).toEqual([]);

  expect(await call("anna", "Register", { name: "anna" })).toContain("You are anna in the team crew");
  expect(await call("anna", "TaskUpdate", { taskId: 1, status: "in_progress" })).toContain('"isError":false');
  expect(errors).toEqual([]);
});

test.each([
  [true, "You have agreed to end", "shutdown_approved"],
  [false, "now knows that you do not want to end yet, and why.", "shutdown_rejected"],
] as const)("who is asked to end from the shell can answer that (%s)", async (approve, words, kind) => {
  const { mailbox, call, team } = await serving();
  await call("anna", "Roster");
  const requestId = createIdFactory(systemClock)<never>("ask");
  await mailbox.send({ from: teamUser, to: "anna", body: { kind: "shutdown_request", requestId } });
  expect(await call("anna", "WaitForMail", { timeout_seconds: 0 })).toContain(requestId);
  const message = { type: "shutdown_response", request_id: requestId, approve, reason: "not done yet" };
  expect(await call("anna", "SendMessage", { to: "team-lead", message })).toContain(words);
  expect(await mailbox.readUnread("team-lead")).toMatchObject([{ from: "anna", body: { kind, requestId } }]);
  const { members } = await team.record.read();
  expect(members.find(({ name }) => name === "anna")?.ended?.reason).toBe(approve ? "shutdown" : undefined);
});

test("a removed member learns of it with its next call and can register again", async () => {
  const { call, team, mailbox, errors } = await serving();
  await call("anna", "Roster");
  await team.record.end("anna", { reason: "killed", detail: "it did not answer in time" });
  for (const tool of ["WaitForMail", "TaskList"])
    expect(await call("anna", tool)).toContain("You have ended in the team crew");
  expect(await call("anna", "Register", { name: "anna" })).toContain("You are anna in the team crew");
  await mailbox.send({ from: "team-lead", to: "anna", text: "there again?" });
  expect(await call("anna", "WaitForMail", { timeout_seconds: 0 })).toContain("there again?");
  expect(errors).toEqual([]);
});

test("a port in use is a clear error", async () => {
  const { team, folder, port, token } = await serving();
  const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
  const onError = () => undefined;
  const again = serveHttp({ ...ports, team, cwd: folder, env: {}, runChecks: false, port, token, onError });
  await expect(again).rejects.toMatchObject({
    code: "port",
    message: expect.stringContaining("Choose another with --http."),
  });
});
