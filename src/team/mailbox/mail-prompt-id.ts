import type { MailId, PromptId } from "../../protocol/index.ts";

const mailPromptPrefix = "prm_m";

/** The prompt id is derived from the mail id, so that a mail enters the conversation only once. */
export const promptIdOfMail = (id: MailId): PromptId => id.replace(/^mail_/, mailPromptPrefix) as PromptId;
/** True for prompts that are mail. */
export const isMailPrompt = (id: PromptId): boolean => id.startsWith(mailPromptPrefix);

export const mailIdOfPrompt = (id: PromptId): MailId | undefined =>
  isMailPrompt(id) ? (id.replace(mailPromptPrefix, "mail_") as MailId) : undefined;
