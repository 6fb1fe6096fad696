import { join, relative } from "node:path";
import type { Ledger } from "../../agent/index.ts";
import { isInside } from "../../platform/index.ts";
import type { AllowedPath, Envelope, Member, PermissionMode, SessionId, SessionOptions } from "../../protocol/index.ts";
import type { MemberRole } from "./member-team-role.ts";
import type { PermissionAsker } from "../session-context.ts";

/** The machine of a teammate that runs remote from its lead. It decides these values locally. */
export interface RemoteHost {
  /** The clone that the teammate works in. */
  readonly folder: string;
  /** The folder of the lead's repository. */
  readonly leadFolder: string;
  /** The session id of this run only. */
  readonly sessionId: SessionId;
  /** Replaces the flags that the lead was started with. */
  readonly flags: SessionOptions;
  readonly conduct: string;
  /** The teammate's budget, if there is one. It does not include previous runs. */
  readonly ledger?: Ledger | undefined;
  /** Lowers a mode to what this machine's user allows without asking. */
  capMode(mode: PermissionMode): PermissionMode;
  /** Receives each event that the agent stores. */
  observe(envelope: Envelope): void;
  /** Resolves when all observed events are stored where another machine can resume from them. */
  flushed(): Promise<void>;
  /** Runs before the lead learns that the teammate is idle. */
  beforeReport(): Promise<void>;
}

/** Returns the member's entry with the values of this machine. */
export function localizeMember(member: Member, remoteHost: RemoteHost | undefined): Member {
  if (!remoteHost) return member;
  const { launch: _, worktreePath: __, ...rest } = member;
  const { folder: cwd, sessionId } = remoteHost;
  return { ...rest, cwd, sessionId, mode: remoteHost.capMode(member.mode ?? "default") };
}

/**
 * Limits answers to this session and to this machine's highest mode. Permanent rules are stored on the lead's machine,
 * not on this one.
 */
export function limitAnswerToHost(asker: PermissionAsker, { capMode }: RemoteHost): PermissionAsker {
  if (typeof asker !== "function") return asker;
  return async (question, signal) => {
    const answer = await asker(question, signal);
    if (answer.behavior !== "allow") return answer;
    const { permissionMode, scope } = answer;
    return {
      ...answer,
      scope: scope === "once" ? "once" : "session",
      ...(permissionMode && { permissionMode: capMode(permissionMode) as typeof permissionMode }),
    };
  };
}

/** Maps a path in the lead's repository to the clone. Other paths do not exist on this machine, so they are dropped. */
export function mapPathToClone(path: AllowedPath, remoteHost: RemoteHost | undefined): readonly AllowedPath[] {
  if (!remoteHost) return [path];
  const { folder, leadFolder } = remoteHost;
  return isInside(path.path, leadFolder) ? [{ ...path, path: join(folder, relative(leadFolder, path.path)) }] : [];
}

export const tapEvents =
  (connect: MemberRole["connect"], remoteHost: RemoteHost): MemberRole["connect"] =>
  (ports) => {
    const team = connect(ports);
    return {
      ...team,
      observe(envelope) {
        remoteHost.observe(envelope);
        team.observe(envelope);
      },
    };
  };
