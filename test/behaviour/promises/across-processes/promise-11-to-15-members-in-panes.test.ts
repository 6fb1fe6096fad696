import { expect, test } from "vitest";
import { isIn, type Lead, settled, teamWorkplace } from "../../../support/cli/team-workplace.ts";
import { knownPid } from "../../../support/processes/live-processes.ts";
import { isRunning, report } from "../../../support/team/scripted-team.ts";

const works = `
import { existsSync } from "node:fs";
const mate = (name, prompt) => ({ tool: "Agent", input: { description: "d", prompt, name } });
const request = (said) => /"request_id":"([^"]+)"(?![\\s\\S]*"request_id")/.exec(said)?.[1];
const agree = (said) => ({ calls: [{ tool: "SendMessage", input: { to: "team-lead", message: { type: "shutdown_response", request_id: request(said), approve: true } } }] });
const asksToEnd = (ask) => ask.said.includes("asks you to end") && ask.result?.tool !== "SendMessage";
const hang = { text: "x", fault: { kind: "hang" } };
export default (ask) => {
  if (ask.agent === "lead") return ask.said.startsWith("go") || ask.said.endsWith("go") ? ask.results.length ? { text: "waiting" } : { calls: [mate("scout", "look"), mate("maker", "make")] } : { text: "heard" };
  if (asksToEnd(ask)) return agree(ask.said);
  if (ask.agent === "maker@alpha" && !existsSync("free")) return hang;
  return { text: ask.agent + " is done" };
};`;

const stop = (name: string, more: object = {}) => ({ type: "member.stop", name, id: `stop-${name}`, ...more });

test("promise 11, 12: ended member leaves no process or pane; ended team leaves no server or socket", async () => {
  const place = teamWorkplace(works);
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  await lead.until(isIn("scout", "idle"));
  await lead.until(isIn("maker", "working"));
  const { scout, maker } = place.pids();
  expect([scout, maker].map((pid) => isRunning(knownPid(pid)))).toEqual([true, true]);
  expect(place.sockets()).toHaveLength(1);
  expect((await place.members()).map(({ backendType, tmuxPaneId }) => `${backendType} ${tmuxPaneId}`)).toEqual([
    expect.stringMatching(/^tmux %\d+$/) as string,
    expect.stringMatching(/^tmux %\d+$/) as string,
  ]);
  lead.send(stop("scout"));
  expect((await lead.until(settled("stop-scout"))).event).toMatchObject({ ok: true });
  expect(isRunning(knownPid(scout))).toBe(false);
  lead.send(stop("maker", { now: true }));
  expect((await lead.until(settled("stop-maker"))).event).toMatchObject({ ok: true });
  expect(isRunning(knownPid(maker))).toBe(false);
  expect((await place.members()).map(({ name, ended }) => `${name} ${ended?.reason}`)).toEqual([
    "scout shutdown",
    "maker killed",
  ]);
  lead.end();
  expect(await lead.done).toMatchObject({ code: 0 });
  await place.nobodyLeft();
  expect(place.sockets()).toEqual([]);
});

test("promise 13, 15: killed member differs from an idle one and can be respawned", async () => {
  const place = teamWorkplace(works);
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  await lead.until(isIn("scout", "idle"));
  await lead.until(isIn("maker", "working"));
  const before = place.pids();
  process.kill(knownPid(before["maker"]), "SIGKILL");
  const gone = await lead.until(isIn("maker", "ended"));
  expect(gone.event).toMatchObject({ alive: "dead", detail: expect.stringMatching(/^lost: /) as string });
  await lead.until(report(/Your teammate maker is gone/));
  expect((await place.files().then((team) => team.presence.look("scout")))?.alive).toBe("alive");
  place.write("free", "");
  lead.send({ type: "member.respawn", name: "maker", id: "again" });
  expect((await lead.until(settled("again"))).event).toMatchObject({ ok: true });
  await lead.until(report(/maker@alpha is done/));
  expect((await place.members()).map(({ name, ended }) => `${name} ${ended?.reason}`)).toEqual([
    "scout undefined",
    "maker undefined",
  ]);
  lead.end();
  await lead.done;
  await place.nobodyLeft();
  expect(place.sockets()).toEqual([]);
});

const five = `
import { existsSync } from "node:fs";
const names = ["ada", "ben", "cleo", "dan", "eve"];
const mate = (name) => ({ tool: "Agent", input: { description: "d", prompt: name < "c" ? "look" : "make", name } });
const count = (text, word) => text.split(word).length - 1;
export default (ask) => {
  if (ask.agent === "lead") return ask.said.endsWith("go") && !ask.results.length ? { calls: names.map(mate) } : { text: "heard" };
  if (ask.agent > "c" && !existsSync("free")) return { text: "x", fault: { kind: "hang" } };
  const all = JSON.stringify(ask.request.messages);
  return { text: ask.agent + " has " + count(all, "first note") + " and " + count(all, "second note") };
};`;

test("promise 14, 15: resumed lead finds its five live members; none doubled, unread mail is read", async () => {
  const place = teamWorkplace(five);
  const [idle, working] = [
    ["ada", "ben"],
    ["cleo", "dan", "eve"],
  ];
  const there = async (lead: Lead) => {
    for (const name of idle) await lead.until(isIn(name, "idle"));
    for (const name of working) await lead.until(isIn(name, "working"));
    const { "team-lead": _, ...members } = place.pids();
    return members;
  };
  const first = place.lead();
  first.send({ type: "prompt", content: "go" });
  const id = await first.session();
  const before = await there(first);
  for (const name of working) first.send({ type: "mail.send", to: name, text: "first note", id: `to-${name}` });
  for (const name of working) await first.until(settled(`to-${name}`));
  first.child.kill("SIGKILL");
  await first.done;
  const second = place.lead({ resume: id });
  expect(await there(second)).toEqual(before);
  expect(Object.keys(before).toSorted()).toEqual([...idle, ...working]);
  expect((await place.members()).map(({ name }) => name)).toEqual([...idle, ...working]);
  place.write("free", "");
  for (const name of [...idle, ...working])
    second.send({ type: "mail.send", to: name, text: "second note", urgent: true });
  for (const name of idle) await second.until(report(new RegExp(`${name}@alpha has 0 and 1`)));
  for (const name of working) await second.until(report(new RegExp(`${name}@alpha has 1 and 1`)));
  second.end();
  await second.done;
  await place.nobodyLeft();
  expect(place.sockets()).toEqual([]);
});

test("promise 15: after everything is killed the team resumes with its work, mail and tasks", async () => {
  const place = teamWorkplace(works);
  const first = place.lead();
  first.send({ type: "prompt", content: "go" });
  const id = await first.session();
  await first.until(isIn("scout", "idle"));
  await first.until(isIn("maker", "working"));
  first.send({ type: "task.create", subject: "later", description: "for a later run", id: "task" });
  await first.until(settled("task"));
  const before = await place.members();
  const pids = place.pids();
  for (const pid of [first.child.pid, pids["scout"], pids["maker"]]) process.kill(knownPid(pid), "SIGKILL");
  await first.done;
  place.write("free", "");
  const second = place.lead({ resume: id });
  await second.until(report(/maker@alpha is done/));
  const after = await place.members();
  expect(after.map(({ name, sessionId, ended }) => ({ name, sessionId, ended }))).toEqual(
    before.map(({ name, sessionId }) => ({ name, sessionId, ended: undefined })),
  );
  expect(place.pids()["maker"]).not.toBe(pids["maker"]);
  expect(await (await place.files()).tasks.list()).toMatchObject([{ id: 1, subject: "later" }]);
  second.end();
  await second.done;
  await place.nobodyLeft();
  expect(place.sockets()).toEqual([]);
});
