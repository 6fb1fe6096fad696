import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { Event, Member, SessionId } from "../../../src/protocol/index.ts";
import { createFileSessionStore, createFileTeamStore, type StoredTeam } from "../../../src/store/index.ts";
import type { Answer, Ask } from "../../../src/testing.ts";
import type { TempTree } from "../files/temp-tree.ts";
import { type TeamOptions, type TeamSession, teamSession } from "./team-session.ts";

export const ports = { clock: systemClock, createId: createIdFactory(systemClock) };

/** A session with files that leads the team `alpha`. */
export const alpha = (options: TeamOptions): Promise<TeamSession> =>
  teamSession({ stored: true, ...options, flags: { team: "alpha", ...options.flags } });

/** A call that starts a teammate. */
export const mate = (name: string, prompt = "work", more: object = {}) => ({
  tool: "Agent",
  input: { description: "a part of it", prompt, name, ...more },
});

export const say = (to: string, message: string | object) => ({ tool: "SendMessage", input: { to, message } });

export const bash = (command: string) => ({ tool: "Bash", input: { command } });

/** Answers of the lead one after another. After the last one the lead has nothing more to do. */
export function leading(
  steps: readonly (Answer | ((ask: Ask) => Answer | Promise<Answer>))[],
  others: (ask: Ask) => Answer | undefined | Promise<Answer | undefined>,
): TeamOptions["answer"] {
  let next = 0;
  return (ask) => {
    if (ask.agent !== "lead") return others(ask);
    const step = steps[next++] ?? { text: "nothing more to do" };
    return typeof step === "function" ? step(ask) : step;
  };
}

/** The agent waits for ever. */
export const hang: Answer = { text: "x", fault: { kind: "hang" } };

/** The id of the last request in the text. */
export const requestIn = (said: string): string =>
  /"request_id":"([^"]+)"(?![\s\S]*"request_id")/.exec(said)?.[1] ?? "(none)";

/** Approves a shutdown request; undefined for anything else. */
export const agrees = ({ said, result }: Ask): Answer | undefined =>
  said.includes("asks you to end") && result?.tool !== "SendMessage"
    ? { calls: [say("team-lead", { type: "shutdown_response", request_id: requestIn(said), approve: true })] }
    : undefined;

/** Resolves when the lead has seen this member in this state. */
export const inState = (team: TeamSession, name: string, state: string) =>
  team.until((event) => event.type === "member.changed" && event.name === name && event.state === state);

/** Resolves when the model of this agent has been asked. */
export const asked = (team: TeamSession, path: string) => team.until(() => team.asked(path).length > 0);

export const statesOf = (team: TeamSession, name: string): string[] =>
  team
    .all("member.changed")
    .filter((event) => event.name === name)
    .map(({ state }) => state);

const homeOf = ({ path }: TempTree) => path("home/.troupe");

/** The team's files, as a process that is not a member sees them. */
export async function filesOf(tree: TempTree, name = "alpha"): Promise<StoredTeam> {
  const team = await createFileTeamStore({ home: homeOf(tree), ...ports }).open(name);
  onTestFinished(() => team.close());
  return team;
}

export async function membersOf(tree: TempTree): Promise<readonly Member[]> {
  const { members } = await (await filesOf(tree)).record.read();
  return members.filter(({ name }) => name !== "team-lead");
}

/** The stored events of a session's own agent. */
export async function logOf(tree: TempTree, sessionId: SessionId | undefined): Promise<Event[]> {
  const store = createFileSessionStore({ home: homeOf(tree), ...ports });
  return (await store.read(sessionId ?? "")).lead.map(({ event }) => event);
}

export const memberLog = async (tree: TempTree, name: string): Promise<Event[]> =>
  logOf(tree, (await membersOf(tree)).find((member) => member.name === name)?.sessionId);

/** Resolves with the content of a file once it is not empty. */
export async function written(...path: readonly string[]): Promise<string> {
  for (;;) {
    try {
      const text = readFileSync(join(...path), "utf8").trim();
      if (text !== "") return text;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Matches a text that the lead reads. */
export const report = (text: RegExp) => (event: Event) =>
  event.type === "prompt.admitted" && event.source !== "user" && text.test(JSON.stringify(event));

/** Matches the report of this member to the lead. */
export const reportOf = (name: string) => report(new RegExp(`teammate_id=[\\\\]"${name}`));
