import * as z from "zod";
import { type PermissionAnswer, visibleLine } from "../../protocol/index.ts";
import type { Asker } from "./open-questions.ts";
import type { Question } from "../session/session-view.ts";

/** A possible answer to a question. */
export interface Choice {
  /** The key that selects it. A key means the same answer in every question: see `answerKeys`. */
  readonly key: string;
  readonly label: string;
  /** The full rules or path that it would allow from then on. */
  readonly allows: readonly string[];
  readonly isApproval: boolean;
  /** True if the user adds a comment before the answer is sent. */
  readonly takesComment: boolean;
  readonly answer: PermissionAnswer;
}

/**
 * The keys of the answers, in the order in which they are shown. A question without one of these answers leaves its key
 * unused. The answers that a model offers have letters.
 */
const answerKeys = {
  yes: "1",
  session: "2",
  always: "3",
  no: "4",
  words: "5",
  team: "6",
  network: "7",
  edits: "8",
} as const;
const offeredKeys = "abcdefghij";

/** Returns every answer to a question, ordered by key. */
export function choicesOf(question: Question, asker: Pick<Asker, "name" | "team">): readonly Choice[] {
  if (question.tool === "ExitPlanMode") return planChoices;
  if (question.tool === "AskUserQuestion") return answerChoices(question.input);
  const { suggestions } = question;
  const allows = suggestions.map(visibleLine);
  const path = asker.team === undefined ? undefined : pathOf(question.input);
  const place = asker.team === undefined ? "in this session" : `while ${visibleLine(asker.name)} works`;
  const choices: Choice[] = [yes("yes", "Yes, this once", { behavior: "allow", scope: "once" })];
  if (suggestions.length > 0)
    choices.push(
      { ...yes("session", `Yes, and ${place} without asking:`, { behavior: "allow", scope: "session" }), allows },
      {
        ...yes("always", "Yes, and always in this folder without asking:", { behavior: "allow", scope: "always" }),
        allows,
      },
    );
  choices.push(no, noWithComment("No, and say what to do instead"));
  if (path !== undefined)
    choices.push({
      ...yes("team", `Yes, and all of ${visibleLine(asker.team ?? "")} may without asking:`, {
        behavior: "allow",
        scope: "once",
        team: true,
      }),
      allows: [`${question.tool} ${visibleLine(path)}`],
    });
  if (question.sandbox !== undefined) choices.push(withNetwork);
  return choices;
}

/** Shows the paths in the rules of a choice relative to the folder. A relative path in a rule means the same file. */
export function withRelativePaths(choice: Choice, cwd: string): Choice {
  if (cwd === "" || cwd === "/") return choice;
  const shorten = (rule: string) => rule.replace(`(/${cwd}/`, "(").replace(` ${cwd}/`, " ");
  return { ...choice, allows: choice.allows.map(shorten) };
}

/** The tools whose calls the mode acceptEdits allows. */
const editTools: readonly string[] = ["Edit", "Write", "NotebookEdit"];

/**
 * For an edit of the lead: the answer that also accepts its other edits in this session. The frontend sets the mode
 * `acceptEdits` with it.
 */
export const acceptEditsChoice = (
  { tool }: Pick<Question, "tool">,
  { isLead }: Pick<Asker, "isLead">,
): readonly Choice[] =>
  isLead && editTools.includes(tool)
    ? [
        yes("edits", "Yes, and accept all edits in this session", {
          behavior: "allow",
          scope: "once",
          permissionMode: "acceptEdits",
        }),
      ]
    : [];

const yes = (key: keyof typeof answerKeys, label: string, answer: PermissionAnswer): Choice => ({
  key: answerKeys[key],
  label,
  allows: [],
  isApproval: true,
  takesComment: false,
  answer,
});

/** For a command: it keeps its walls, but may use the network. */
const withNetwork = yes("network", "Yes, this once, inside the sandbox with network", {
  behavior: "allow",
  scope: "once",
  network: true,
});

const no: Choice = {
  key: answerKeys.no,
  label: "No",
  allows: [],
  isApproval: false,
  takesComment: false,
  answer: { behavior: "deny" },
};

const noWithComment = (label: string): Choice => ({ ...no, key: answerKeys.words, label, takesComment: true });

const planChoices: readonly Choice[] = [
  yes("yes", "Yes, and ask before each change", { behavior: "allow", scope: "once", permissionMode: "default" }),
  yes("session", "Yes, and change files without asking", {
    behavior: "allow",
    scope: "once",
    permissionMode: "acceptEdits",
  }),
  { ...no, label: "No, continue planning" },
  noWithComment("No, and say what to change"),
];

/** The answers that the model offers, and the user's own words. */
function answerChoices(input: unknown): readonly Choice[] {
  const { options } = Options.safeParse(input).data ?? { options: [] };
  return [
    ...options.map(({ label }, index) => ({
      ...yes("yes", visibleLine(label), { behavior: "allow", scope: "once", message: label }),
      key: offeredKeys[index] ?? "",
    })),
    { ...no, label: "No answer", answer: { behavior: "deny", message: "I give no answer. Decide yourself." } },
    { ...yes("words", "Answer in my own words", { behavior: "allow", scope: "once" }), takesComment: true },
  ];
}

const Options = z.looseObject({ options: z.array(z.looseObject({ label: z.string() })).default([]) });

function pathOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || !("file_path" in input)) return undefined;
  return typeof input.file_path === "string" ? input.file_path : undefined;
}

/** True for an answer that lasts longer than the session of the asking agent, or that holds for the team. */
export const isBroad = ({ answer }: Choice): boolean =>
  answer.behavior === "allow" && (answer.scope === "always" || answer.team === true);

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
