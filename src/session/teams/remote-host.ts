import { join, relative } from "node:path";
import type { Ledger } from "../../agent/index.ts";
import { isInside } from "../../platform/index.ts";
import type { AllowedPath, Envelope, Member, PermissionMode, SessionId } from "../../protocol/index.ts";
import type { ConfigFlags } from "../config/load-config.ts";
import type { MemberRole } from "./member-role.ts";
import type { PermissionAsker } from "../session-dependencies.ts";

/** A member of a team on another machine than its lead's: what is decided where it runs. */
export interface RemoteHost {
  /** The clone it works in. */
  readonly folder: string;
  /** Where its lead has the repository. */
  readonly leadFolder: string;
  /** Of this life alone. */
  readonly sessionId: SessionId;
  /** Instead of what its lead was started with. */
  readonly flags: ConfigFlags;
  readonly conduct: string;
  /** What it spends from, where there is a budget; it knows nothing of earlier lives. */
  readonly ledger?: Ledger | undefined;
  /** No more than this machine's user lets anybody do without asking. */
  capMode(mode: PermissionMode): PermissionMode;
  /** To be told everything that its agent stores, as it does. */
  observe(envelope: Envelope): void;
  /** Resolves when all that was heard so far is where another machine can go on from it. */
  flushed(): Promise<void>;
  /** Before its lead hears that it rests. */
  beforeReport(): Promise<void>;
}

/** Its entry in the record as it holds on this machine. */
export function localizeMember(member: Member, remoteHost: RemoteHost | undefined): Member {
  if (!remoteHost) return member;
  const { launch: _, worktreePath: __, ...rest } = member;
  const { folder: cwd, sessionId } = remoteHost;
  return { ...rest, cwd, sessionId, mode: remoteHost.capMode(member.mode ?? "default") };
}

/** What is to last lasts with its lead, and not on a machine that is somebody else's. */
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

/** A path of the lead's repository is the same one of the clone; any other means nothing here. */
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
