import * as z from "zod";
import { type PermissionAnswer, visibleLine } from "../../protocol/index.ts";
import type { Asker } from "./open-questions.ts";
import type { Question } from "../session/session-view.ts";

/** A possible answer to a question. */
export interface Choice {
  readonly label: string;
  /** The full rules or path that it would allow from then on. */
  readonly allows: readonly string[];
  readonly isApproval: boolean;
  /** True if the user adds a comment before the answer is sent. */
  readonly takesComment: boolean;
  readonly answer: PermissionAnswer;
}

/** Returns every answer to a question, the narrowest approval first. */
export function choicesOf(question: Question, asker: Pick<Asker, "name" | "team">): readonly Choice[] {
  if (question.tool === "ExitPlanMode") return planChoices;
  if (question.tool === "AskUserQuestion") return answerChoices(question.input);
  const { suggestions } = question;
  const allows = suggestions.map(visibleLine);
  const path = asker.team === undefined ? undefined : pathOf(question.input);
  const place = asker.team === undefined ? "in this session" : `while ${visibleLine(asker.name)} works`;
  return [
    yes("Yes, this once", { behavior: "allow", scope: "once" }),
    ...(suggestions.length === 0
      ? []
      : [
          { ...yes(`Yes, and ${place} without asking:`, { behavior: "allow", scope: "session" }), allows },
          {
            ...yes("Yes, and always in this folder without asking:", { behavior: "allow", scope: "always" }),
            allows,
          },
        ]),
    ...(path === undefined
      ? []
      : [
          {
            ...yes(`Yes, and all of ${visibleLine(asker.team ?? "")} may without asking:`, {
              behavior: "allow",
              scope: "once",
              team: true,
            }),
            allows: [`${question.tool} ${visibleLine(path)}`],
          },
        ]),
    no,
    noWithComment("No, and say what to do instead"),
  ];
}

const yes = (label: string, answer: PermissionAnswer): Choice => ({
  label,
  allows: [],
  isApproval: true,
  takesComment: false,
  answer,
});

const no: Choice = { label: "No", allows: [], isApproval: false, takesComment: false, answer: { behavior: "deny" } };

const noWithComment = (label: string): Choice => ({ ...no, label, takesComment: true });

const planChoices: readonly Choice[] = [
  yes("Yes, and ask before each change", { behavior: "allow", scope: "once", permissionMode: "default" }),
  yes("Yes, and change files without asking", { behavior: "allow", scope: "once", permissionMode: "acceptEdits" }),
  { ...no, label: "No, continue planning" },
  noWithComment("No, and say what to change"),
];

/** The answers that the model offers, and the user's own words. */
function answerChoices(input: unknown): readonly Choice[] {
  const { options } = Options.safeParse(input).data ?? { options: [] };
  return [
    ...options.map(({ label }) => yes(visibleLine(label), { behavior: "allow", scope: "once", message: label })),
    { ...yes("Answer in my own words", { behavior: "allow", scope: "once" }), takesComment: true },
    { ...no, label: "No answer", answer: { behavior: "deny", message: "I give no answer. Decide yourself." } },
  ];
}

const Options = z.looseObject({ options: z.array(z.looseObject({ label: z.string() })).default([]) });

function pathOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("file_path" in input)) return undefined;
  return typeof input.file_path === "string" ? input.file_path : undefined;
}

/** Adds the user's comment to the choice. */
export function withComment({ answer }: Choice, words: string): PermissionAnswer {
  return words.trim() === "" ? answer : { ...answer, message: words.trim() };
}

/** Describes the request in a few words, to follow the name of the asking agent. */
export function requestText({ tool }: Pick<Question, "tool">): string {
  const [, server, name] = /^mcp__(.+?)(?:__(.+))?$/.exec(tool) ?? [];
  if (server !== undefined)
    return name === undefined ? `has a question from ${server}` : `wants to use ${name} of ${server}`;
  return requestTexts[tool] ?? `wants to use ${tool}`;
}

const requestTexts: Readonly<Record<string, string>> = {
  Bash: "wants to run a command",
  Edit: "wants to change a file",
  Write: "wants to write a file",
  Read: "wants to read a file",
  WebFetch: "wants to read a web page",
  ExitPlanMode: "has a plan",
  AskUserQuestion: "has a question",
};
