import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { Mail, MailBody, MailId, RequestId } from "../../../src/protocol/index.ts";

export const createId = createIdFactory(systemClock);

export function textMail(text: string, mail: Partial<Mail> = {}): Mail {
  return bodyMail({ kind: "text", text }, mail);
}

export function bodyMail(body: MailBody, mail: Partial<Mail> = {}): Mail {
  const id = createId<MailId>("mail");
  return { id, from: "anna", to: "bert", timestamp: "2026-01-01T00:00:00.000Z", wakes: true, body, ...mail };
}

export const shutdownRequest = (): MailBody => ({ kind: "shutdown_request", requestId: createId<RequestId>("ask") });

export const textsOf = (held: readonly { readonly mail: Mail }[]): string[] =>
  held.map(({ mail }) => (mail.body.kind === "text" ? mail.body.text : mail.body.kind));
