import { join, relative } from "node:path";
import { isInside } from "../../platform/index.ts";
import { type Member, teamLead } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { InboxConsumer } from "../mailbox/inbox-consumer.ts";

export interface AllowTeamPathPorts {
  readonly record: StoredTeam["record"];
  readonly link: () => InboxConsumer;
  readonly memberOf: (name: string) => Member;
  /** Where a member on another machine works. */
  readonly folderOf: (name: string) => string | undefined;
  /** Who is to be told. */
  readonly teammates: () => readonly Member[];
  /** Does what is to be done with a mail to this one that could not be sent. */
  readonly warnNotDelivered: (name: string) => (error: unknown) => Promise<unknown>;
}

/** Everybody in the team may change a path from now on that one of them has asked about. */
export const createAllowTeamPath =
  ({ record, link, memberOf, folderOf, teammates, warnNotDelivered }: AllowTeamPathPorts) =>
  async ({ path: askedPath, tool, askedBy }: { path: string; tool: string; askedBy: string }): Promise<void> => {
    const path = toLocalPath(askedPath, memberOf(askedBy), folderOf(askedBy));
    if (path === undefined) return;
    await record.allowPath({ path, tool, addedBy: teamLead });
    const body = { kind: "team_permission_update" as const, path, tool };
    // The record is read at each call; this is for those who wait for an answer to the same question.
    for (const { name, ended } of teammates())
      if (!ended && name !== askedBy) await link().send({ to: name, body, wakes: false }).catch(warnNotDelivered(name));
  };

/** A path that one on another machine has asked about is the same one of the repository here; undefined: there is none. */
function toLocalPath(path: string, { worker, cwd }: Member, folder: string | undefined): string | undefined {
  if (!worker) return path;
  return folder !== undefined && isInside(path, folder) ? join(cwd, relative(folder, path)) : undefined;
}
