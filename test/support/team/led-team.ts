import { onTestFinished } from "vitest";
import type { Agent, Conversation } from "../../../src/agent/index.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { Member, SessionId, StoredEvent } from "../../../src/protocol/index.ts";
import { createFileTeamStore, type StoredTeam } from "../../../src/store/index.ts";
import type { Backend, RunningMember } from "../../../src/team/backend/backend.ts";
import { createTeamLead } from "../../../src/team/lead/create-team-lead.ts";
import type { LeadPermissions, LeadTeamOptions } from "../../../src/team/lead/lead-context.ts";
import type { LeadTeam, TeammateRequest } from "../../../src/team/lead/lead-team.ts";
import { openMailbox } from "../../../src/team/mailbox/open-mailbox.ts";
import { tempTree, type TempTree } from "../files/temp-tree.ts";

const ports = { clock: systemClock, createId: createIdFactory(systemClock) };

export interface LedTeam {
  readonly team: LeadTeam;
  readonly stored: StoredTeam;
  readonly tree: TempTree;
  /** Events that the lead has recorded. */
  readonly recorded: readonly StoredEvent[];
  /** Errors that broke the lead. */
  readonly failures: readonly unknown[];
  close(): Promise<void>;
}

export interface LedTeamOptions
  extends Partial<Pick<LeadTeamOptions, "spawnForMember"> & Pick<LeadPermissions, "ask" | "mode">> {
  readonly startMs?: number;
  readonly silentMs?: number;
  readonly backend: Backend;
  /** Wraps the team that the lead sees, to inject faults. */
  readonly seen?: (team: StoredTeam) => StoredTeam;
  /** Awaited whenever the lead records an event. */
  readonly onRecord?: (event: StoredEvent, team: StoredTeam) => Promise<unknown>;
}

/** A lead without a model, with a team on disk and members that `backend` runs. */
export async function ledTeam({
  backend,
  seen = (team) => team,
  onRecord,
  startMs,
  silentMs,
  ask = () => undefined,
  mode = () => "bypassPermissions",
  ...more
}: LedTeamOptions): Promise<LedTeam> {
  const tree = tempTree({ "home/.troupe/settings.json": {} });
  const home = tree.path("home/.troupe");
  const stored = await createFileTeamStore({ home, ...ports }).create({ name: "alpha", cwd: home });
  const mailbox = openMailbox(stored, ports);
  const recorded: StoredEvent[] = [];
  const failures: unknown[] = [];
  const agent = {
    running: false,
    record: async (event: StoredEvent) => {
      recorded.push(event);
      await onRecord?.(event, stored);
    },
    admit: async () => "prm_1",
    admitOnce: async () => undefined,
    hasPrompt: async () => false,
    wake: () => undefined,
    interrupt: async () => undefined,
    saved: async () => undefined,
    settled: async () => undefined,
    fail: async (error: unknown) => void failures.push(error),
  } as unknown as Agent;
  const conversation: Pick<Conversation, "waiting" | "waitingParts" | "hasReason"> = {
    waiting: [],
    waitingParts: () => undefined,
    hasReason: false,
  };
  const team = await createTeamLead({
    team: seen(stored),
    mailbox,
    lead: agent,
    conversation,
    permissions: { ask, mode, plansBy: "lead" },
    backends: { open: async () => backend, choose: async () => ({ type: backend.type }) },
    worktrees: { cleanUp: async () => [], leftBy: async () => undefined },
    limits: { shutdownMs: 1_000, startMs, silentMs },
    onStatus: () => undefined,
    replayed: [],
    ...ports,
    ...more,
  });
  await team.start();
  let closing: Promise<void> | undefined;
  const close = () =>
    (closing ??= (async () => {
      await team.close();
      await mailbox.close();
      await stored.close();
    })());
  onTestFinished(close);
  return { team, stored, tree, recorded, failures, close };
}

export const wishFor = (name: string, callId: string): TeammateRequest => ({
  name,
  description: "look",
  prompt: "look around",
  agentType: "general-purpose",
  model: "scripted/x",
  mode: "default",
  planModeRequired: false,
  cwd: "/",
  sessionId: ports.createId<SessionId>("ses"),
  launch: {},
  startedBy: "agt_lead",
  callId,
});

/** Members that run until they are killed, with control over how each starts and ends. */
export function heldBackend(how: {
  readonly start?: (member: Member) => Promise<void>;
  readonly kill?: (member: Member) => Promise<void>;
  readonly pane?: RunningMember["pane"];
}): Backend & { readonly there: ReadonlySet<string> } {
  const there = new Set<string>();
  return {
    type: how.pane ? "tmux" : "in-process",
    there,
    async start(member) {
      await how.start?.(member);
      there.add(member.name);
      let end: () => void = () => undefined;
      const ended = new Promise<undefined>((resolve) => (end = () => resolve(undefined)));
      return {
        pane: how.pane,
        ended,
        async kill() {
          await how.kill?.(member);
          there.delete(member.name);
          end();
        },
      };
    },
    attach: async () => undefined,
    close: async () => undefined,
  };
}
