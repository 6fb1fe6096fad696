import * as z from "zod";
import { CallId } from "./ids.ts";

export const TextPart = z.object({ type: z.literal("text"), text: z.string() });
export type TextPart = z.infer<typeof TextPart>;

/** Base64 data. An adapter replaces unsupported images by text. */
export const ImagePart = z.object({ type: z.literal("image"), mediaType: z.string(), data: z.string() });
export type ImagePart = z.infer<typeof ImagePart>;
export const DocumentPart = z.object({
  type: z.literal("document"),
  mediaType: z.literal("application/pdf"),
  name: z.string(),
  data: z.string(),
});
export type DocumentPart = z.infer<typeof DocumentPart>;

/** `signature` and `redacted` belong to the provider and are returned to it unchanged. */
export const ThinkingPart = z.object({
  type: z.literal("thinking"),
  text: z.string(),
  signature: z.string().optional(),
  redacted: z.string().optional(),
});
export type ThinkingPart = z.infer<typeof ThinkingPart>;

/** `input` is the JSON that the model wrote. Only the tool's schema validates it. */
export const ToolCallPart = z.object({
  type: z.literal("tool_call"),
  callId: CallId,
  name: z.string(),
  input: z.unknown(),
});
export type ToolCallPart = z.infer<typeof ToolCallPart>;

export const ContentPart = z.discriminatedUnion("type", [TextPart, ImagePart, DocumentPart]);
export type ContentPart = z.infer<typeof ContentPart>;

export const ToolResultPart = z.object({
  type: z.literal("tool_result"),
  callId: CallId,
  content: z.array(ContentPart),
  isError: z.boolean(),
});
export type ToolResultPart = z.infer<typeof ToolResultPart>;

export const AnswerPart = z.discriminatedUnion("type", [TextPart, ThinkingPart, ToolCallPart]);
export type AnswerPart = z.infer<typeof AnswerPart>;

export const UserMessage = z.object({
  role: z.literal("user"),
  parts: z.array(z.discriminatedUnion("type", [ToolResultPart, TextPart, ImagePart, DocumentPart])),
});
export type UserMessage = z.infer<typeof UserMessage>;
export const AssistantMessage = z.object({ role: z.literal("assistant"), parts: z.array(AnswerPart) });
export type AssistantMessage = z.infer<typeof AssistantMessage>;

export const Message = z.discriminatedUnion("role", [UserMessage, AssistantMessage]);
export type Message = z.infer<typeof Message>;
