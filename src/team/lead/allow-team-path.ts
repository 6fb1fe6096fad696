import { join, relative } from "node:path";
import { isInside } from "../../platform/index.ts";
import { type Member, teamLead } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";

export interface AllowTeamPathPorts {
  readonly record: StoredTeam["record"];
  readonly sender: MailSender;
  readonly memberOf: (name: string) => Member;
  /** The working directory of a remote member. */
  readonly folderOf: (name: string) => string | undefined;
  /** The members that receive the update. */
  readonly teammates: () => readonly Member[];
  /** Handles a mail to this member that could not be sent. */
  readonly warnNotDelivered: (name: string) => (error: unknown) => Promise<unknown>;
}

/** Allows every member to change a path that one member asked about. */
export const createAllowTeamPath =
  ({ record, sender, memberOf, folderOf, teammates, warnNotDelivered }: AllowTeamPathPorts) =>
  async ({ path: askedPath, tool, askedBy }: { path: string; tool: string; askedBy: string }): Promise<void> => {
    const path = toLocalPath(askedPath, memberOf(askedBy), folderOf(askedBy));
    if (path === undefined) return;
    await record.allowPath({ path, tool, addedBy: teamLead });
    const body = { kind: "team_permission_update" as const, path, tool };
    // Members read the record at each call. The mail is for members that wait for an answer to the same question.
    for (const { name, ended } of teammates())
      if (!ended && name !== askedBy) await sender.send({ to: name, body, wakes: false }).catch(warnNotDelivered(name));
  };

/**
 * Maps a path in a remote member's clone to the same path in the local repository. Undefined if the path is outside the
 * clone.
 */
function toLocalPath(path: string, { worker, cwd }: Member, folder: string | undefined): string | undefined {
  if (!worker) return path;
  return folder !== undefined && isInside(path, folder) ? join(cwd, relative(folder, path)) : undefined;
}
