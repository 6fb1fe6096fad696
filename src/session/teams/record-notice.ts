import type { StoredEvent } from "../../protocol/index.ts";
import type { TeamPorts } from "./team-role.ts";

type Notice = Extract<StoredEvent, { type: "notice.raised" }>;

/** Records a notice for the user. Ignores a failure: the next record fails as well. */
export const createNoticeRecorder =
  ({ agent }: Pick<TeamPorts, "agent">, kind: Pick<Notice, "code" | "level">) =>
  (message: string): void => {
    agent.record({ type: "notice.raised", ...kind, message }).catch(() => undefined);
  };

/** The kind of a notice about a team's store: a bus or files. */
export const storageNoticeKind = (bus: unknown): Pick<Notice, "code" | "level"> =>
  bus === undefined ? { code: "storage", level: "error" } : { code: "bus", level: "warning" };
