import type { AgentId } from "../../protocol/index.ts";
import { failedResult, type Tool } from "../../tool/index.ts";

/**
 * Refuses changing calls of any agent but the owner of the tools. A fork has exactly its parent's tools, because the tool list
 * must not change, but it is not the member that acts in the team.
 */
export const onlyForOwner = (tools: readonly Tool[], owner: () => AgentId): readonly Tool[] =>
  tools.map((tool) =>
    tool.access === "read"
      ? tool
      : {
          ...tool,
          execute: async (input, context) =>
            context.agent.id === owner() ? tool.execute(input, context) : failedResult(refusal(tool.name)),
        },
  );

const refusal = (tool: string) =>
  `You are a fork: ${tool} would act for your parent. Nothing was changed. Put what you have to say into your answer.`;
