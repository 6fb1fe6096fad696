import type { AgentDefinition } from "../../protocol/index.ts";

/**
 * True for a type that only reads: its definition sets plan mode. Its agents never plan and never leave that mode, so
 * their texts say nothing of it.
 */
export const isReadOnlyType = ({ permissionMode }: Pick<AgentDefinition, "permissionMode">): boolean =>
  permissionMode === "plan";
