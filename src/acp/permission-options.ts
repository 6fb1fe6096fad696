import type { PermissionOption, RequestPermissionOutcome } from "@agentclientprotocol/sdk";
import type { PermissionAnswer } from "../protocol/index.ts";
import { type Asker, type Choice, choicesOf, type Question } from "../view/index.ts";

/** The answers to a question in the editor's form. An editor cannot add text to an answer. */
export interface PermissionOffer {
  readonly options: PermissionOption[];
  /** Returns the chosen answer, or a denial if none was chosen. */
  answer(outcome: RequestPermissionOutcome): PermissionAnswer;
}

export function offerPermissionOptions(question: Question, asker: Pick<Asker, "name" | "team">): PermissionOffer {
  const choices = choicesOf(question, asker).filter(({ takesComment: asksWords }) => !asksWords);
  return {
    options: choices.map((choice, at) => ({ optionId: `${at}`, kind: kindOf(choice), name: nameOf(choice) })),
    answer: (outcome) =>
      (outcome.outcome === "selected" ? choices[Number(outcome.optionId)]?.answer : undefined) ?? { behavior: "deny" },
  };
}

function kindOf({ isApproval: isYes, answer }: Choice): PermissionOption["kind"] {
  if (!isYes) return "reject_once";
  return answer.behavior === "allow" && answer.scope === "once" && !answer.team ? "allow_once" : "allow_always";
}

const nameOf = ({ label, allows }: Choice) => [label, allows.join(", ")].filter(Boolean).join(" ");
