import type { UnlandedWork } from "../../agent/index.ts";
import type { MemberStatus, PromptId, RequestId, WorkItem } from "../../protocol/index.ts";

/**
 * Decides when the lead is woken, and for what. A pure state machine: `attend` returns the next state and the effects
 * that the caller carries out. The lead is woken only for news that it has not read.
 */
export interface TeamAttention {
  /** `waking`: a notice is on its way, and no turn has started yet. */
  readonly lead: "idle" | "waking" | "working";
  /** When the lead became idle. */
  readonly idleSince: number;
  /** Runs of the lead since the user's last prompt. */
  readonly wakes: number;
  /** The team has or had members. */
  readonly hasMembers: boolean;
  /** Members that have not ended, with their published state. */
  readonly members: ReadonlyMap<string, AttendedState>;
  /** Members that got work and have not reported since. `until`: the limit for one that has never shown a sign. */
  readonly awaited: ReadonlyMap<string, { readonly until?: number | undefined }>;
  /** Members whose last report says that they failed, and that have no new work. They do not read their mail. */
  readonly failed: ReadonlySet<string>;
  /** Members that were asked to end and have not answered, and the prompt ids of ends that are not in the conversation yet. */
  readonly ending: ReadonlySet<string>;
  readonly news: readonly News[];
  readonly requests: ReadonlyMap<RequestId, OpenRequest>;
  /** Tasks may be open that the lead was not told about, or a report may be on its way. */
  readonly hasTaskChange: boolean;
  /** The open tasks in the last notice that the team is idle. */
  readonly shownTasks: ReadonlySet<number>;
  /** The worktrees that notices have named as not landed. Each is named once. */
  readonly shownWorktrees: ReadonlySet<string>;
  readonly inspection: "none" | "running" | "outdated" | "awaits_report";
  /** The limit of wakes was reported. */
  readonly isExhausted: boolean;
}

/** `awaits_job`: the member has ended its turn, and the end of its background job wakes it. */
export type AttendedState = MemberStatus["state"] | "awaits_job";

/** Something that the lead has not read yet. It waits in the conversation as a prompt, if it has an id. */
export interface News {
  readonly promptId?: PromptId | undefined;
  /** The member that reported. */
  readonly from?: string | undefined;
  /** `minor`: it wakes the lead only with something else. `end`: held back while other members are asked to end. */
  readonly kind: "report" | "minor" | "end" | "notice";
  /** From then on it wakes the lead, even if others still work. */
  readonly due: number;
}

/** A member waits for the answer of the lead's model. */
export interface OpenRequest {
  readonly from: string;
  /** The prompt that shows it to the lead. */
  readonly promptId: PromptId;
  /** `had_turn`: the model of the lead has answered since it read the request. */
  readonly seen: "not_read" | "read" | "had_turn";
  readonly reminders: number;
}

export type AttentionEvent = { readonly at: number } & (
  | { readonly type: "lead_started" | "lead_answered" | "user_prompt" | "tick" | "tasks_changed" }
  /** `waiting`: the prompts that the lead has not read. */
  | { readonly type: "lead_idle"; readonly waiting: readonly PromptId[] }
  | { readonly type: "status"; readonly name: string; readonly state: AttendedState }
  /** `limitMs`: how long to wait for a member that has never shown a sign. */
  | { readonly type: "work_sent"; readonly name: string; readonly limitMs?: number | undefined }
  /** The work could not be sent. */
  | { readonly type: "sign" | "work_dropped"; readonly name: string }
  | ({ readonly type: "report"; readonly promptId: PromptId; readonly weight: ReportWeight } & Report)
  /** The lead read a report as soon as it came. */
  | ({ readonly type: "report_read" } & Report)
  | { readonly type: "ended"; readonly promptId: PromptId; readonly isUrgent: boolean }
  /** An end is about to be announced, and is announced. */
  | { readonly type: "end_seen" | "end_told"; readonly promptId: PromptId }
  | { readonly type: "notice"; readonly promptId: PromptId }
  | { readonly type: "read"; readonly promptId: PromptId }
  | { readonly type: "asked_to_end" | "end_settled"; readonly name: string }
  | {
      readonly type: "request_opened";
      readonly requestId: RequestId;
      readonly from: string;
      readonly promptId: PromptId;
      /** The stage that it reached in the previous runs of the lead. */
      readonly seen: OpenRequest["seen"];
    }
  | { readonly type: "request_closed"; readonly requestId: RequestId }
  | { readonly type: "inspected"; readonly finding: Finding }
);

interface Report {
  readonly name: string;
  /** The member is idle because it failed. */
  readonly hasFailed?: boolean | undefined;
}

/** `news`: heard soon, even while others work. `answer`: heard when the team is idle. `none`: alone it does not wake the lead. */
export type ReportWeight = "news" | "answer" | "none";

/** The result of a closer look at a team whose members all seem idle. */
export type Finding =
  | {
      readonly kind: "idle";
      readonly openTasks: readonly WorkItem[];
      readonly unlanded?: readonly UnlandedWork[] | undefined;
    }
  /** A report is in the lead's inbox, but not yet in its conversation. */
  | { readonly kind: "report_on_its_way" }
  /** Members got work that they have not begun. */
  | { readonly kind: "busy" };

export type AttentionEffect =
  /** Look closer, and send the result as `inspected`. */
  | { readonly type: "inspect" }
  | { readonly type: "wake"; readonly reason: WakeReason }
  /** Send `tick` at this time, instead of an earlier wish. */
  | { readonly type: "tick_at"; readonly at: number }
  /** These members never showed a sign and are no longer awaited. */
  | { readonly type: "give_up"; readonly names: readonly string[] }
  | { readonly type: "exhausted" };

export type WakeReason =
  | {
      readonly kind: "team_idle";
      readonly openTasks: readonly WorkItem[];
      readonly unlanded?: readonly UnlandedWork[] | undefined;
      readonly hasNews: boolean;
    }
  | { readonly kind: "news"; readonly working: readonly string[] }
  | { readonly kind: "request"; readonly requestIds: readonly RequestId[] };

export interface AttentionLimits {
  /** How long news is gathered while others work. */
  readonly gatherMs: number;
  /** The idle times of the lead after which it is reminded of an open request, one for each reminder. */
  readonly remindAfterMs: readonly number[];
  readonly maxWakes: number;
}

export const attentionLimits: AttentionLimits = {
  gatherMs: 20_000,
  remindAfterMs: [0, 60_000, 180_000],
  maxWakes: 200,
};

export const noAttention: TeamAttention = {
  lead: "idle",
  idleSince: 0,
  wakes: 0,
  hasMembers: false,
  members: new Map(),
  awaited: new Map(),
  failed: new Set(),
  ending: new Set(),
  news: [],
  requests: new Map(),
  hasTaskChange: false,
  shownTasks: new Set(),
  shownWorktrees: new Set(),
  inspection: "none",
  isExhausted: false,
};

export interface Attended {
  readonly state: TeamAttention;
  readonly effects: readonly AttentionEffect[];
}

export function attend(state: TeamAttention, event: AttentionEvent, limits = attentionLimits): Attended {
  const { state: next, effects } = giveUpSilent(apply(state, event, limits), event.at);
  const finding = event.type === "inspected" && state.inspection === "running" ? event.finding : undefined;
  const decided = decide(next, { at: event.at, limits, finding });
  return { state: decided.state, effects: [...effects, ...decided.effects] };
}

function apply(state: TeamAttention, event: AttentionEvent, limits: AttentionLimits): TeamAttention {
  switch (event.type) {
    case "lead_started": {
      const wakes = state.lead === "working" ? state.wakes : state.wakes + 1;
      const news = state.news.filter(({ promptId }) => promptId !== undefined);
      return { ...state, lead: "working", wakes, news };
    }
    case "lead_idle": {
      const isUnread = ({ promptId }: News) => promptId === undefined || event.waiting.includes(promptId);
      return { ...outdated(state), lead: "idle", idleSince: event.at, news: state.news.filter(isUnread) };
    }
    case "lead_answered":
      return { ...state, requests: new Map([...state.requests].map(([id, request]) => [id, afterTurn(request)])) };
    case "user_prompt":
      return { ...state, wakes: 0, isExhausted: false };
    case "tick":
      return state;
    case "tasks_changed":
      return { ...outdated(state), hasTaskChange: true };
    case "status":
      return applyStatus(state, event);
    case "work_sent": {
      const known = state.awaited.get(event.name);
      const until = event.limitMs === undefined ? undefined : (known?.until ?? event.at + event.limitMs);
      const awaited = withEntry(state.awaited, event.name, { until });
      return { ...outdated(state), awaited, failed: without(state.failed, event.name) };
    }
    case "work_dropped":
      return { ...outdated(state), awaited: withoutKey(state.awaited, event.name) };
    case "sign":
      return state.awaited.get(event.name)?.until === undefined
        ? state
        : { ...state, awaited: withEntry(state.awaited, event.name, {}) };
    case "report_read": {
      const inspection = state.inspection === "awaits_report" ? ("none" as const) : outdated(state).inspection;
      return {
        ...state,
        inspection,
        awaited: withoutKey(state.awaited, event.name),
        failed: failedAfter(state, event),
      };
    }
    case "report":
      return applyReport(state, event, limits);
    case "ended": {
      const due = event.at + (event.isUrgent ? 0 : limits.gatherMs);
      return withNews(state, { kind: "end", promptId: event.promptId, due });
    }
    case "end_seen":
      return { ...outdated(state), ending: new Set([...state.ending, event.promptId]) };
    case "end_told":
      return { ...outdated(state), ending: without(state.ending, event.promptId) };
    case "notice":
      return withNews(state, { kind: "notice", promptId: event.promptId, due: event.at });
    case "read":
      return applyRead(state, event.promptId);
    case "asked_to_end":
      return { ...state, ending: new Set([...state.ending, event.name]) };
    case "end_settled":
      return { ...outdated(state), ending: without(state.ending, event.name) };
    case "request_opened": {
      const { from, promptId, seen } = event;
      // After a restart the member may withdraw it, so the lead is not reminded at once.
      const request = { from, promptId, seen, reminders: seen === "had_turn" ? 1 : 0 };
      return { ...state, requests: withEntry(state.requests, event.requestId, request) };
    }
    case "request_closed":
      return { ...outdated(state), requests: withoutKey(state.requests, event.requestId) };
    case "inspected": {
      const awaitsReport = state.inspection === "running" && event.finding.kind === "report_on_its_way";
      return { ...state, inspection: awaitsReport ? "awaits_report" : "none" };
    }
  }
}

function applyStatus(state: TeamAttention, event: Extract<AttentionEvent, { type: "status" }>): TeamAttention {
  const { name } = event;
  const isIdle = event.state === "idle";
  const failed = isIdle ? state.failed : without(state.failed, name);
  // A member that becomes idle has reported, and its report may take longer than its state.
  const hasTaskChange = state.hasTaskChange || (isIdle && isBusy(state.members.get(name)));
  const known = { ...outdated(state), hasMembers: true, hasTaskChange, failed };
  if (event.state !== "ended") return { ...known, members: withEntry(state.members, name, event.state) };
  return { ...known, members: withoutKey(state.members, name), awaited: withoutKey(state.awaited, name) };
}

const isBusy = (state: AttendedState | undefined) => state === "working" || state === "awaits_job";

function applyReport(
  state: TeamAttention,
  event: Extract<AttentionEvent, { type: "report" }>,
  { gatherMs }: AttentionLimits,
): TeamAttention {
  const { name, promptId, weight, at } = event;
  // An awaited member answers the lead, even if it did nothing.
  const isAnswer = weight === "answer" || (weight === "none" && state.awaited.has(name));
  const kind = weight === "news" || isAnswer ? ("report" as const) : ("minor" as const);
  const due = weight === "news" ? at + gatherMs : Infinity;
  const awaited = withoutKey(state.awaited, name);
  const heard = { ...state, awaited, failed: failedAfter(state, event), hasTaskChange: true };
  return withNews(heard, { kind, from: name, promptId, due });
}

const failedAfter = ({ failed }: TeamAttention, { name, hasFailed }: Report): ReadonlySet<string> =>
  hasFailed ? new Set([...failed, name]) : without(failed, name);

const afterTurn = (request: OpenRequest): OpenRequest =>
  request.seen === "read" ? { ...request, seen: "had_turn" } : request;

function applyRead(state: TeamAttention, promptId: PromptId): TeamAttention {
  const news = state.news.filter((each) => each.promptId !== promptId);
  const read = [...state.requests].find(([, request]) => request.promptId === promptId && request.seen === "not_read");
  const requests = read ? withEntry(state.requests, read[0], { ...read[1], seen: "read" as const }) : state.requests;
  return news.length === state.news.length && !read ? state : { ...state, news, requests };
}

/** A member that never showed a sign since it was made is not waited for. */
function giveUpSilent(state: TeamAttention, at: number): Attended {
  const names = [...state.awaited].flatMap(([name, { until }]) => (until !== undefined && until <= at ? [name] : []));
  if (names.length === 0) return { state, effects: [] };
  const keeps = (name: string) => !names.includes(name);
  const awaited = new Map([...state.awaited].filter(([name]) => keeps(name)));
  const members = new Map([...state.members].filter(([name]) => keeps(name)));
  return { state: { ...outdated(state), awaited, members }, effects: [{ type: "give_up", names }] };
}

interface Moment {
  readonly at: number;
  readonly limits: AttentionLimits;
  /** A finding about the team as it is now. */
  readonly finding: Finding | undefined;
}

function decide(state: TeamAttention, moment: Moment): Attended {
  const { at, limits, finding } = moment;
  if (state.lead !== "idle" || state.isExhausted) return { state, effects: tickAt(state, moment) };
  const requestIds = requestsDue(state, moment);
  const isTeamIdle = isEverybodyIdle(state);
  if (requestIds.length > 0) return wake(state, { kind: "request", requestIds }, limits);
  if (isTeamIdle && finding?.kind === "idle") {
    const { openTasks } = finding;
    const unlanded = finding.unlanded ?? [];
    const hasUnseen = unlanded.some(({ work }) => !state.shownWorktrees.has(work.path));
    const hasNews = state.news.some(({ kind }) => kind !== "minor");
    if (hasNews || hasUnseen || openTasks.some(({ id }) => !state.shownTasks.has(id)))
      return wake(
        state,
        { kind: "team_idle", openTasks, ...(unlanded.length > 0 && { unlanded }), hasNews: state.news.length > 0 },
        limits,
      );
    return { state: { ...state, hasTaskChange: false }, effects: tickAt(state, moment) };
  }
  if (isTeamIdle && state.inspection === "none" && mayConcernLead(state))
    return { state: { ...state, inspection: "running" }, effects: [{ type: "inspect" }, ...tickAt(state, moment)] };
  if (!isTeamIdle && newsAtHand(state).some((news) => news.due <= at || nothingToGather(news, state)))
    return wake(state, { kind: "news", working: workingNames(state) }, limits);
  return { state, effects: tickAt(state, moment) };
}

function wake(state: TeamAttention, reason: WakeReason, { maxWakes }: AttentionLimits): Attended {
  if (state.wakes >= maxWakes) return { state: { ...state, isExhausted: true }, effects: [{ type: "exhausted" }] };
  const woken: TeamAttention = { ...state, lead: "waking" };
  const effects: AttentionEffect[] = [{ type: "wake", reason }];
  switch (reason.kind) {
    case "news":
      return { state: woken, effects };
    case "team_idle": {
      const shownTasks = new Set(reason.openTasks.map(({ id }) => id));
      const shownWorktrees = new Set([
        ...state.shownWorktrees,
        ...(reason.unlanded ?? []).map(({ work }) => work.path),
      ]);
      return { state: { ...woken, shownTasks, shownWorktrees, hasTaskChange: false }, effects };
    }
    case "request": {
      const requests = new Map(
        [...state.requests].map(([id, request]) => [
          id,
          reason.requestIds.includes(id) ? { ...request, reminders: request.reminders + 1 } : request,
        ]),
      );
      return { state: { ...woken, requests }, effects };
    }
  }
}

/** While every other member is idle or waits for its job, nothing comes soon that the lead could read together with the report. */
function nothingToGather({ kind, from }: News, state: TeamAttention): boolean {
  const asIfIdle = [...state.members].map(([name, each]) => [name, each === "awaits_job" ? "idle" : each] as const);
  const isFromIdle = from !== undefined && state.members.get(from) === "idle";
  return kind === "report" && isFromIdle && isEverybodyIdle({ ...state, members: new Map(asIfIdle) });
}

/** A member that waits for the lead's answer is idle: it can do nothing until the lead acts. */
function isEverybodyIdle({ hasMembers, members, awaited, ending, requests }: TeamAttention): boolean {
  const askers = new Set([...requests.values()].map(({ from }) => from));
  const isIdle = ([name, state]: readonly [string, AttendedState]) =>
    askers.has(name) ? state === "waiting" || state === "idle" : state === "idle" && !awaited.has(name);
  const others = [...awaited.keys()].filter((name) => !askers.has(name));
  return hasMembers && ending.size === 0 && others.length === 0 && [...members].every(isIdle);
}

const mayConcernLead = ({ hasTaskChange, news }: TeamAttention): boolean =>
  hasTaskChange || news.some(({ kind }) => kind !== "minor");

/** Ends are held back while other members are asked to end, so that one wake tells them all. */
const newsAtHand = ({ news, ending }: TeamAttention): readonly News[] =>
  news.filter(({ kind, due }) => kind !== "minor" && due !== Infinity && (kind !== "end" || ending.size === 0));

function requestsDue(state: TeamAttention, { at, limits }: Moment): readonly RequestId[] {
  const isDue = (request: OpenRequest) => reminderTime(request, state, limits) <= at;
  return [...state.requests].flatMap(([id, request]) => (isDue(request) ? [id] : []));
}

/** The lead is reminded only of what it did not answer in a turn. */
const reminderTime = ({ seen, reminders }: OpenRequest, { idleSince }: TeamAttention, limits: AttentionLimits) =>
  seen === "had_turn" ? idleSince + (limits.remindAfterMs[reminders] ?? Infinity) : Infinity;

const workingNames = ({ members, awaited }: TeamAttention): readonly string[] =>
  [...members].flatMap(([name, state]) => (state !== "idle" || awaited.has(name) ? [name] : []));

/** The next time at which something becomes due by itself. */
function tickAt(state: TeamAttention, { at, limits }: Moment): readonly AttentionEffect[] {
  const isIdle = state.lead === "idle";
  const times = [
    ...[...state.awaited.values()].flatMap(({ until }) => (until === undefined ? [] : [until])),
    ...(isIdle ? newsAtHand(state).map(({ due }) => due) : []),
    ...(isIdle ? [...state.requests.values()].map((request) => reminderTime(request, state, limits)) : []),
  ].filter((time) => time > at && time !== Infinity);
  return times.length === 0 ? [] : [{ type: "tick_at", at: Math.min(...times) }];
}

/** A closer look that is under way no longer counts: something has changed. */
const outdated = (state: TeamAttention): TeamAttention =>
  state.inspection === "running" ? { ...state, inspection: "outdated" } : state;

const withNews = (state: TeamAttention, news: News): TeamAttention => ({
  ...outdated(state),
  inspection: state.inspection === "running" || state.inspection === "outdated" ? "outdated" : "none",
  news: [...state.news.filter(({ promptId }) => promptId === undefined || promptId !== news.promptId), news],
});

const withEntry = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> => new Map(map).set(key, value);

function withoutKey<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

function without<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const rest = new Set(set);
  rest.delete(item);
  return rest;
}
