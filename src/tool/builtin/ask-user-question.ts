import * as z from "zod";
import { defineTool, textResult } from "../define-tool.ts";

const OneQuestion = z.strictObject({
  question: z.string().min(1).max(4_000).describe("The question, with all that the user needs to decide"),
  options: z
    .array(
      z.preprocess(
        (option) => (typeof option === "string" ? { label: option } : option),
        z.strictObject({
          label: z.string().min(1).max(200).describe("The answer, in a few words"),
          description: z.string().max(1_000).optional().describe("What follows from it"),
        }),
      ),
    )
    .max(7)
    .optional()
    .describe("Answers to choose from, the recommended one first. The user can always write another answer"),
});

/** Models that know another agent give a list of questions. Several questions become one text without choices. */
const QuestionList = z.strictObject({
  questions: z
    .array(OneQuestion.extend({ header: z.string().optional(), multiSelect: z.boolean().optional() }))
    .min(1)
    .max(10),
});

const AskUserQuestionInput = z.preprocess((input) => {
  const list = QuestionList.safeParse(input);
  if (!list.success) return input;
  const [first, ...others] = list.data.questions;
  if (first && others.length === 0)
    return { question: withHint(first), ...(first.options && { options: first.options }) };
  return { question: list.data.questions.map((each, index) => `${index + 1}. ${inFull(each)}`).join("\n") };
}, OneQuestion);

type ListedQuestion = z.infer<typeof QuestionList>["questions"][number];

const withHint = ({ question, multiSelect }: ListedQuestion) =>
  multiSelect ? `${question} (More than one answer is possible.)` : question;

const inFull = (asked: ListedQuestion) =>
  [
    withHint(asked),
    ...(asked.options ?? []).map(
      ({ label, description }) => `   - ${description === undefined ? label : `${label}: ${description}`}`,
    ),
  ].join("\n");

/** The session asks the user before the tool runs. It runs only if the user has answered. */
export const askUserQuestionTool = defineTool<z.infer<typeof AskUserQuestionInput>>({
  name: "AskUserQuestion",
  description:
    "Asks the user one question and waits for the answer. Use it when only the user can decide and a wrong guess would cost much. Not for permissions, and not for what you can find out.",
  input: AskUserQuestionInput,
  access: "read",
  subject: () => ({ kind: "own" }),
  title: ({ question }) => `Ask: ${question.split("\n", 1)[0] ?? ""}`,
  noteText: (answer) => `The user's answer: ${answer}`,
  execute: () => Promise.resolve(textResult("The user has answered.")),
});
