import { createContext, useContext } from "react";
import type { Ack, Command, SessionId } from "../../../src/protocol/index.ts";

/** Sends a command to a session. Never rejects; an error has already been shown as a toast. */
export type Send = (session: SessionId, command: Command) => Promise<Ack>;

export const SendContext = createContext<Send>(() =>
  Promise.resolve({ ok: false, code: "not_running", message: "the page is not connected" }),
);

export const useSend = (): Send => useContext(SendContext);
