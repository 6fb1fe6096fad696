import { questionUnattended, type PermissionPorts } from "../../agent/index.ts";

const questionToolName = "AskUserQuestion";

/** A question for the user is always asked, in every mode. A rule can only forbid it. */
export const askUserQuestions =
  (decide: PermissionPorts["decide"]): PermissionPorts["decide"] =>
  async (tool, input) => {
    const decision = await decide(tool, input);
    if (tool.name !== questionToolName || decision.behavior !== "allow") return decision;
    const { question } = input as { question: string };
    return { behavior: "ask", rule: "question", question, suggestions: [], unattended: questionUnattended };
  };
