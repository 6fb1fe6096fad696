import type { StoredEvent } from "../../protocol/index.ts";
import type { TeamPorts } from "./team-role.ts";

type Notice = Extract<StoredEvent, { type: "notice.raised" }>;

/** Puts down what people should know. That it could not be put down is told by whatever is put down next. */
export const createNoticeRecorder =
  ({ agent }: Pick<TeamPorts, "agent">, kind: Pick<Notice, "code" | "level">) =>
  (message: string): void => {
    agent()
      .record({ type: "notice.raised", ...kind, message })
      .catch(() => undefined);
  };

/** Of a team that is on a bus, or on files. */
export const storageNoticeKind = (bus: unknown): Pick<Notice, "code" | "level"> =>
  bus === undefined ? { code: "storage", level: "error" } : { code: "bus", level: "warning" };
