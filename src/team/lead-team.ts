import { effectiveMode } from "../agent/definitions/index.ts";
import type { Agent, Conversation, PermissionQuestion } from "../agent/index.ts";
import type { Clock, CreateId } from "../platform/index.ts";
import {
  type BackendType,
  type Envelope,
  type LaunchFlags,
  type Mail,
  type Member,
  type MemberStatus,
  type PermissionAnswer,
  type PermissionMode,
  type RequestId,
  type SessionId,
  teamLead,
  TroupeError,
} from "../protocol/index.ts";
import type { StoredTeam } from "../store/index.ts";
import { type AnswerByMail, createAnswerByMail } from "./answer-by-mail.ts";
import type { Backend, RunningMember } from "./backend/backend.ts";
import { sendFirstMail } from "./first-mail.ts";
import type { Mailbox } from "./mailbox/mailbox.ts";
import { createMemberLink, type MemberLink } from "./member-link.ts";
import { createMemberWatch, type MemberWatch } from "./member-watch.ts";
import { createQuiescence } from "./quiescence.ts";
import { createStopMember, type StopAnswer } from "./stop-member.ts";

/** A team as its lead drives it: starts members, speaks with them, looks after them, ends them. */
export interface LeadTeam {
  readonly name: string;
  readonly link: MemberLink;
  readonly tasks: StoredTeam["tasks"];
  readonly mailbox: Mailbox;
  members(): readonly Member[];
  statuses(): readonly MemberStatus[];
  plans(): AnswerByMail["plans"];
  answerPlan: AnswerByMail["answerPlan"];
  /** Starts a new member; the same call again gives the one it has started. */
  spawn(wish: MemberWish): Promise<SpawnedMember>;
  interrupt(name: string): Promise<void>;
  /** Asks a member to end, and ends it when it does not answer in time; `now`: does not ask. */
  stop(
    name: string,
    options?: { readonly now?: boolean | undefined; readonly reason?: string | undefined },
  ): Promise<StopAnswer>;
  stopRequestTo(name: string): RequestId | undefined;
  /** Starts one that is gone again, from where it was. */
  respawn(name: string): Promise<Member>;
  /** `*` is everybody. */
  setMode(name: string, mode: Exclude<PermissionMode, "bubble">): Promise<void>;
  /** The user has said something to this member; `*` is everybody. */
  expect(name: string): void;
  /** Members at work, or with something to hear. */
  atWork(): readonly Member[];
  /** Whether what they have reported may still give the lead something to do. */
  readonly isUndecided: boolean;
  /** To be told everything that the lead stores. */
  heard(envelope: Envelope): void;
  /** Looks after the members from here on, and brings those back that should be there. Gives what could not be. */
  start(): Promise<readonly string[]>;
  /** Members rest; the team can be taken up again. */
  close(): Promise<void>;
}

export interface MemberWish {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly agentType: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly color?: Member["color"];
  readonly planModeRequired: boolean;
  readonly cwd: string;
  readonly worktree?: { readonly path: string; readonly branch: string } | undefined;
  readonly backend?: BackendType | undefined;
  readonly sessionId: SessionId;
  readonly launch: LaunchFlags;
  readonly startedBy: string;
  readonly callId: string;
}

export interface SpawnedMember {
  readonly member: Member;
  readonly isNew: boolean;
  readonly notices: readonly string[];
}

export interface LeadTeamOptions {
  readonly team: StoredTeam;
  readonly mailbox: Mailbox;
  readonly lead: () => Agent;
  readonly conversation: () => Pick<Conversation, "hasPrompt" | "waiting" | "hasReason">;
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
  /** Rejects with a TroupeError where there is no such thing here. */
  readonly backend: (type: BackendType) => Promise<Backend>;
  readonly defaultBackend: BackendType;
  readonly plansBy: "lead" | "user";
  /** What the lead itself works in at this moment. */
  readonly mode: () => PermissionMode;
  /** Puts in order what a member leaves behind that was ended from outside. */
  readonly putAway: (member: Member) => Promise<void>;
  readonly shutdownMs: number;
  readonly onStatus: (status: MemberStatus, member: Member) => void;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Mail after which its receiver has something to do. */
const isWork: ReadonlySet<string> = new Set(["text", "task_assignment"]);

/** How long a member that was told to rest may take to do so. */
const restMs = 5_000;

export async function createLeadTeam(options: LeadTeamOptions): Promise<LeadTeam> {
  const { team, mailbox, lead, clock } = options;
  const { record } = team;
  const own = await team.presence.announce(teamLead, "idle");
  const running = new Map<string, RunningMember>();
  /** Being ended by us: that it is gone is no news. */
  const leaving = new Set<string>();
  /** Being brought back: what is left of its earlier life says nothing. */
  const starting = new Set<string>();
  let closing = false;

  const fail = (error: unknown) => void lead().fail(error);
  const others = () => record.current().members.filter(({ name }) => name !== teamLead);
  const memberOf = (name: string): Member => {
    const found = others().find((member) => member.name === name);
    if (found) return found;
    const names = others().map((member) => member.name);
    const list = names.length === 0 ? "it has none yet" : `there are: ${names.join(", ")}`;
    throw new TroupeError("team", `${team.name} has no member ${JSON.stringify(name)}; ${list}.`);
  };

  const answers = createAnswerByMail({
    link: () => link,
    lead,
    ask: options.ask,
    colorOf: (name) => record.current().members.find((member) => member.name === name)?.color,
    folderOf: (name) => {
      const { worktreePath, cwd } = memberOf(name);
      return worktreePath ?? cwd;
    },
    plansBy: options.plansBy,
    allowPath: async ({ path, tool }) => void (await record.allowPath({ path, tool, addedBy: teamLead })),
  });
  const stops = createStopMember({ ...options, link: () => link, deadlineMs: options.shutdownMs });
  const link: MemberLink = createMemberLink({
    team: team.name,
    name: teamLead,
    mailbox,
    agent: lead,
    conversation: options.conversation,
    handlers: {
      ...answers.handlers,
      ...stops.handlers,
      respawn_request: async (_, { name }) => {
        await respawn(name).catch(async (error: unknown) => {
          if (!TroupeError.is(error)) throw error;
          const message = `${name} could not be brought back: ${error.message}`;
          await lead().record({ type: "notice.raised", level: "warning", code: "member", message });
        });
      },
    },
    onTaken: async (mail: Mail) => {
      if (mail.body.kind === "idle_notification") quiescence.heardFrom(mail.from);
      lookAgain(mail.from).catch(fail);
    },
    onFailure: fail,
  });
  const quiescence = createQuiescence({
    lead,
    conversation: options.conversation,
    tasks: team.tasks,
    mailbox,
    onSettled: () => {
      const status = watch.statusOf(teamLead);
      const member = record.current().members.find(({ name }) => name === teamLead);
      if (status && member && !closing) options.onStatus(status, member);
    },
    look: () => watch.look(),
    statuses: () => watch.all().filter(({ name }) => name !== teamLead),
    onFailure: fail,
  });
  const watch: MemberWatch = createMemberWatch({
    team,
    onChange: (status, member) => {
      options.onStatus(status, member);
      quiescence.changed(status);
    },
    onGone: (member, why) => lose(member, why),
    onFailure: fail,
  });

  /** Who tells of a rest is about to say that it is idle, unless it has found something to do. */
  const lookAgain = async (name: string) => {
    for (let times = 0; times < 5; times++) {
      await watch.look();
      if (closing || watch.statusOf(name)?.state !== "working") return;
      await clock.sleep(20 * 2 ** times);
    }
  };

  /** Somebody is gone who did not say so: what it had in hand goes back, and the lead hears of it. */
  const lose = async (member: Member, why: string) => {
    if (
      closing ||
      leaving.has(member.name) ||
      starting.has(member.name) ||
      running.has(member.name) ||
      record.current().members.find(({ name }) => name === member.name)?.ended
    )
      return;
    leaving.add(member.name);
    try {
      running.delete(member.name);
      await record.end(member.name, { reason: "lost", detail: why });
      answers.forget(member.name);
      const back = await giveBack(member.name, why);
      const tasks = back.length === 0 ? "" : ` Back on the task list: ${back.map(({ id }) => `#${id}`).join(", ")}.`;
      const text = `Your teammate ${member.name} is gone: ${why}.${tasks} The user can bring it back with 'troupe team respawn ${team.name} ${member.name}'; what it has done so far is in its transcript.`;
      await lead().record({ type: "notice.raised", level: "warning", code: "member", message: text });
      await lead().admit("agent", [{ type: "text", text }]);
      lead().wake();
    } finally {
      leaving.delete(member.name);
    }
  };

  const expect = (name: string) => {
    for (const member of others())
      if (!member.ended && (name === "*" || member.name === name)) quiescence.sentTo(member.name);
  };

  const giveBack = (name: string, why: string) =>
    team.tasks.releaseGone(async (owner) => (owner.name === name ? why : undefined));

  const keep = (member: Member, started: RunningMember) => {
    running.set(member.name, started);
    started.ended
      .then(async (why) => {
        if (running.get(member.name) === started) running.delete(member.name);
        if (leaving.has(member.name)) return;
        if (why !== undefined) await lose(member, why);
        if (!closing) await watch.look();
      })
      .catch(fail);
  };

  const begin = async (member: Member): Promise<Member> => {
    const backend = await options.backend(member.backendType);
    const started = await backend.start(member);
    keep(member, started);
    const { pane } = started;
    return pane ? record.change(member.name, { pane, tmuxPaneId: pane.paneId }) : member;
  };

  const putAway = async (member: Member) => {
    try {
      await options.putAway(member);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      const message = `the worktree of ${member.name} could not be put in order: ${error.message}`;
      await lead().record({ type: "notice.raised", level: "warning", code: "worktree", message });
    }
  };

  const kill = async (name: string) => {
    const handle =
      running.get(name) ?? (await (await options.backend(memberOf(name).backendType)).attach(memberOf(name)));
    await handle?.kill();
    running.delete(name);
  };

  /** Resolves when it is no longer there; false when it still is after that long. */
  const goneWithin = async (name: string, ms: number): Promise<boolean> => {
    const handle = running.get(name);
    if (!handle) return true;
    const stop = new AbortController();
    const late = clock.sleep(ms, stop.signal).then(
      () => false,
      () => false,
    );
    const gone = handle.ended.then(() => true);
    return Promise.race([gone, late]).finally(() => stop.abort());
  };

  const endNow = async (name: string, detail: string | undefined) => {
    leaving.add(name);
    try {
      await kill(name);
      if (memberOf(name).ended === undefined)
        await record.end(name, { reason: "killed", ...(detail !== undefined && { detail }) });
      answers.forget(name);
      await giveBack(name, "it was ended");
      await putAway(memberOf(name));
      await watch.look();
    } finally {
      leaving.delete(name);
    }
  };

  const respawn = async (name: string): Promise<Member> => {
    const member = memberOf(name);
    if (running.has(name) || (member.ended === undefined && watch.statusOf(name)?.alive === "alive"))
      throw new TroupeError("team", `${name} is there already.`);
    starting.add(name);
    try {
      return await begin(await record.change(name, { ended: null }));
    } catch (error) {
      await record.end(name, { reason: "lost", detail: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      starting.delete(name);
    }
  };

  /** A lead that is back with fewer rights has nobody with more. */
  const withinRights = async (member: Member): Promise<Member> => {
    const { mode } = effectiveMode({ parent: options.mode(), definition: member.mode });
    if (member.mode === undefined || mode === member.mode || mode === "bubble") return member;
    await link.send({ to: member.name, body: { kind: "mode_set_request", mode } });
    return record.change(member.name, { mode });
  };

  const rest = async (name: string) => {
    leaving.add(name);
    if (!running.has(name)) return;
    await link.send({ to: name, body: { kind: "stop_request", keep: true } });
    if (!(await goneWithin(name, restMs))) await kill(name);
  };

  return {
    name: team.name,
    link,
    tasks: team.tasks,
    mailbox,
    members: others,
    statuses: () => watch.all(),
    plans: () => answers.plans,
    answerPlan: answers.answerPlan,
    stopRequestTo: stops.requestTo,
    async spawn(wish) {
      const { worktree, backend, description, ...entry } = wish;
      const { member, isNew } = await record.join({
        ...entry,
        backendType: backend ?? options.defaultBackend,
        ...(worktree && { worktreePath: worktree.path, worktreeBranch: worktree.branch }),
      });
      if (!isNew) return { member, isNew, notices: [] };
      try {
        await link.send({ to: member.name, text: wish.prompt, summary: description });
        return { member: await begin(member), isNew, notices: [] };
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        await record.end(member.name, { reason: "failed", detail });
        throw error;
      }
    },
    async interrupt(name) {
      await link.send({ to: memberOf(name).name, body: { kind: "interrupt_request" } });
    },
    async stop(name, { now = false, reason } = {}) {
      if (memberOf(name).ended) return { kind: "approved" };
      const answer: StopAnswer = now ? { kind: "late" } : await stops.ask(name, reason);
      if (answer.kind === "rejected") return answer;
      if (answer.kind === "late" || !(await goneWithin(name, restMs)))
        await endNow(name, answer.kind === "late" && !now ? "it did not answer in time" : reason);
      await watch.look();
      return answer;
    },
    respawn,
    async setMode(name, mode) {
      const targets =
        name === "*" ? record.current().members.filter((m) => m.name !== teamLead && !m.ended) : [memberOf(name)];
      for (const member of targets) {
        await record.change(member.name, { mode });
        await link.send({ to: member.name, body: { kind: "mode_set_request", mode } });
      }
    },
    expect,
    get isUndecided() {
      return quiescence.isUndecided;
    },
    atWork() {
      const states = new Set<string>(["starting", "working", "waiting"]);
      return others().filter(({ name, ended }) => {
        const status = watch.statusOf(name);
        return !ended && (quiescence.isAwaited(name) || (status !== undefined && states.has(status.state)));
      });
    },
    heard(envelope) {
      link.heard(envelope);
      if (envelope.event.type === "turn.started") own.set("working").catch(fail);
      if (envelope.event.type === "agent.idle") {
        own.set("idle").catch(fail);
        quiescence.leadRests();
      }
      if (envelope.event.type === "mail.sent" && isWork.has(envelope.event.kind)) expect(envelope.event.to);
    },
    async start() {
      const missing: string[] = [];
      for (const member of others()) {
        if (member.ended) continue;
        try {
          const there = await (await options.backend(member.backendType)).attach(member);
          if (there) keep(member, there);
          const capped = await withinRights(member);
          if (!there) {
            await sendFirstMail(member, { ...team, mailbox, link });
            await begin(capped);
          }
        } catch (error) {
          if (!TroupeError.is(error)) throw error;
          missing.push(`${member.name} could not be brought back: ${error.message}`);
          await record.end(member.name, { reason: "lost", detail: error.message });
        }
      }
      link.start();
      watch.start();
      await watch.look();
      return missing;
    },
    async close() {
      closing = true;
      stops.close();
      await quiescence.close();
      // Who rests takes back what it has asked.
      await Promise.all([...running.keys()].map(rest));
      answers.close();
      await watch.close();
      await link.close();
      await own.set("ended");
      await own.close();
    },
  };
}
