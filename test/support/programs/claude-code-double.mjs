// A stand-in for a Claude Code process in a team, modelled on its observed behaviour: it polls its inbox every half
// second, removes messages from the file, answers, and reports when it is idle. It uses locks, temporary files and
// renames in the same sequence. Usage: node claude-code-double.mjs teammate|lead CLAUDE_FOLDER TEAM NAME [JSON]
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [role, folder, team, name, more = "{}"] = process.argv.slice(2);
const wishes = JSON.parse(more);
const at = join(folder, "teams", team);
const inboxOf = (who) => join(at, "inboxes", `${who}.json`);
const config = join(at, "config.json");
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

async function locked(file, work) {
  const lock = `${file}.lock`;
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > 10_000) rmdirSync(lock);
      else await sleep(5 + Math.random() * 20);
    }
  }
  try {
    return work();
  } finally {
    rmdirSync(lock);
  }
}

function read(file, otherwise) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return otherwise;
    throw error;
  }
}

function write(file, value) {
  const temporary = `${file}.tmp.${randomBytes(4).toString("hex")}`;
  writeFileSync(temporary, JSON.stringify(value, null, 2));
  renameSync(temporary, file);
}

export async function send(to, text, summary) {
  const message = { from: name, text, ...(summary && { summary }), timestamp: new Date().toISOString(), color: "blue" };
  const whole = {
    ...message,
    msgV: 1,
    msg_id: randomUUID(),
    type: "message",
    read: false,
    futureField: { kept: true },
  };
  await locked(inboxOf(to), () => write(inboxOf(to), [...read(inboxOf(to), []), whole]));
}

const sendTyped = (to, body) => send(to, JSON.stringify({ ...body, from: name, timestamp: new Date().toISOString() }));

async function take() {
  if (read(inboxOf(name), []).length === 0) return [];
  return locked(inboxOf(name), () => {
    const messages = read(inboxOf(name), []);
    write(inboxOf(name), []);
    return messages;
  });
}

const bodyOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Keys are sorted at every level. The calls of this double have flat inputs. */
const digestOf = (tool, input) => sha256(`${tool}\0${JSON.stringify(input, Object.keys(input).toSorted())}`);

/** A yes for another call is refused, as Claude Code does. */
const outcomeOf = ({ subtype, approved_request: bound, error }) => {
  if (subtype !== "success") return `refused: ${error}`;
  if (bound !== undefined && bound.input_digest !== digestOf(wanted.tool_name, wanted.input)) return "another call";
  return "got success";
};

const wanted = {
  tool_name: "Bash",
  tool_use_id: "toolu_1",
  description: "touch a file",
  input: { command: "touch x" },
};

const plan = { planFilePath: "plans/three-small-words.md", planContent: "1. look\n2. change" };

async function teammate() {
  for (;;) {
    for (const { from, text, msg_id } of await take()) {
      say({ from, text, msg_id });
      const body = bodyOf(text);
      if (body?.type === "shutdown_request") {
        await sendTyped("team-lead", { type: "shutdown_approved", requestId: body.requestId });
        return;
      }
      if (body?.type === "permission_response") {
        await sendTyped("team-lead", {
          type: "idle_notification",
          idleReason: "available",
          result: outcomeOf(body),
        });
        continue;
      }
      if (body?.type === "plan_approval_response") {
        const isBound = body.planDigest === undefined || body.planDigest === sha256(plan.planContent);
        const result =
          body.approved && isBound ? `plan approved: ${body.permissionMode}` : `rejected: ${body.feedback}`;
        await sendTyped("team-lead", { type: "idle_notification", idleReason: "available", result });
        continue;
      }
      if (wishes.plans) {
        const requestId = `plan_approval-${Date.now()}@${name}@${team}`;
        await sendTyped("team-lead", { type: "plan_approval_request", ...plan, requestId });
        await sendTyped("team-lead", { type: "idle_notification", idleReason: "available" });
        continue;
      }
      if (wishes.asks) {
        const request_id = `perm-${Date.now()}-${randomBytes(4).toString("hex").slice(0, 7)}`;
        await sendTyped("team-lead", {
          type: "permission_request",
          request_id,
          agent_id: name,
          ...wanted,
          permission_suggestions: [],
        });
        continue;
      }
      await send("team-lead", `report on: ${text}`, "the report");
      await sendTyped("team-lead", { type: "idle_notification", idleReason: "available", result: `done: ${text}` });
    }
    await sleep(500);
  }
}

/** Creates its team like an interactive session, waits for a member to join, gives it a job, then asks it to end. */
async function lead() {
  const createdAt = Date.now();
  const leadAgentId = `team-lead@${team}`;
  const procStart = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")[19];
  mkdirSync(join(at, "inboxes"), { recursive: true });
  write(config, {
    name: team,
    createdAt,
    leadAgentId,
    leadSessionId: randomUUID(),
    leadProcess: { pid: process.pid, claimedAt: createdAt, procStart },
    members: [
      {
        agentId: leadAgentId,
        name: "team-lead",
        agentType: "team-lead",
        joinedAt: createdAt,
        tmuxPaneId: "leader",
        cwd: process.cwd(),
        subscriptions: [],
        backendType: "in-process",
        futureField: 1,
      },
    ],
    futureField: "kept",
  });
  say({ made: team });
  let member;
  while (!(member = read(config, { members: [] }).members.find((each) => each.name !== "team-lead"))) await sleep(200);
  say({ joined: member });
  await send(member.name, wishes.job ?? "look around", "a job");
  for (let asked = false; ; ) {
    for (const { from, text } of await take()) {
      const body = bodyOf(text);
      say({ from, text });
      // Claude Code drops a request whose agent id is not its sender, without a word.
      if (body?.type === "permission_request" && body.agent_id === from) {
        const { request_id, tool_use_id, tool_name, input } = body;
        const approved_request = { tool_use_id, tool_name, input_digest: digestOf(tool_name, input) };
        await sendTyped(from, {
          type: "permission_response",
          request_id,
          subtype: "success",
          tool_use_id,
          approved_request,
          response: { updated_input: input },
        });
      }
      if (body?.type === "plan_approval_request") {
        const { requestId, planContent } = body;
        const answer = { requestId, approved: true, permissionMode: "default", planDigest: sha256(planContent) };
        await sendTyped(from, { type: "plan_approval_response", ...answer });
      }
      if (body?.type === "idle_notification" && !asked) {
        asked = true;
        await sendTyped(from, {
          type: "shutdown_request",
          requestId: `shutdown-${Date.now()}@${from}`,
          reason: "the work is done",
        });
      }
      if (body?.type === "shutdown_approved") {
        await locked(config, () => {
          const now = read(config);
          write(config, { ...now, members: now.members.filter((each) => each.name !== from) });
        });
        return;
      }
    }
    await sleep(300);
  }
}

/** Writes a number of messages to a member, one by one, concurrently with other writers. */
async function writer() {
  for (let n = 0; n < wishes.count; n++) await send(wishes.to, `${name} ${n}`);
}

await { teammate, lead, writer }[role]();
