import type { TeamRole } from "../teams/team-role.ts";

/** The team role of a session that can have no team. */
export const noTeamRole: TeamRole = {
  tools: [],
  adaptTool: (tool) => tool,
  observe: () => undefined,
  start: async () => undefined,
  dispatch: async () => ({ ok: false, code: "no_such_team", message: "this session leads no team" }),
  running: () => [],
  ongoingWork: async () => [],
  close: async () => undefined,
};
