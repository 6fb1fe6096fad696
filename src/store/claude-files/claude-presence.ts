import { currentProcess, isAlive } from "../../platform/index.ts";
import { type Mail, type Member, type MemberStatus, teamLead, workMailKinds } from "../../protocol/index.ts";
import type { MemberPresence, Presence } from "../team/presence/presence.ts";
import { type ConfigFile, fromConfigMember } from "./config-file.ts";

/** Presence for teams with external members. Only their mail and their config tell something about those. */
export interface ClaudePresence extends Presence {
  /** Call for mail to and from external members. */
  noteMail(mail: Mail, way: "in" | "out"): void;
  close(): Promise<void>;
}

export function createClaudePresence(options: {
  readonly own: Presence & { close(): Promise<void> };
  readonly isOurs: (name: string) => boolean;
  readonly config: () => ConfigFile;
  readonly now: () => number;
}): ClaudePresence {
  const { own, isOurs, config } = options;
  /** External members that received work and have not reported idle since, with the time. */
  const busySince = new Map<string, string>();
  const idleSince = new Map<string, string>();

  const externalStatus = (member: Member): MemberStatus => {
    const { name, joinedAt } = member;
    const alive = name === teamLead ? leadAlive(config()) : "unknown";
    const since = busySince.get(name);
    if (since !== undefined) return { name, state: "working", since, alive };
    return { name, state: "idle", since: idleSince.get(name) ?? joinedAt, alive };
  };

  const peekLead = (): MemberPresence | undefined => {
    const { leadProcess, createdAt } = config();
    if (leadProcess === undefined) return undefined;
    const since = new Date(createdAt).toISOString();
    const alive = leadAlive(config());
    return { name: teamLead, state: "idle", since, alive, expired: false, pid: leadProcess.pid };
  };

  return {
    announce: own.announce,
    look: async (name) => {
      if (isOurs(name)) return own.look(name);
      if (name === teamLead) return peekLead();
      const entry = config().members.find((each) => each.name === name);
      return entry && { ...externalStatus(fromConfigMember(entry, config().name)), expired: false, pid: 0 };
    },
    statusOf: async (members) => {
      const ours = await own.statusOf(members);
      return members.map((member, index) => {
        const known = ours[index];
        return known === undefined || (!isOurs(member.name) && member.ended === undefined)
          ? externalStatus(member)
          : known;
      });
    },
    goneReason: (name) => own.goneReason(name),
    noteMail(mail, way) {
      const now = new Date(options.now()).toISOString();
      if (way === "out" && mail.wakes && workMailKinds.has(mail.body.kind)) busySince.set(mail.to, now);
      if (way === "in" && mail.body.kind === "idle_notification" && busySince.delete(mail.from))
        idleSince.set(mail.from, now);
    },
    close: own.close,
  };
}

/** Uses the process that their config names, if any. */
function leadAlive({ leadProcess }: ConfigFile): MemberStatus["alive"] {
  if (leadProcess?.procStart === undefined) return "unknown";
  const here = currentProcess();
  if (leadProcess.pidSpace !== undefined && !leadProcess.pidSpace.endsWith(`#${here.pidNamespace}`)) return "unknown";
  return isAlive({ ...here, pid: leadProcess.pid, startedAt: leadProcess.procStart }, here);
}
