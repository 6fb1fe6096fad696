import type { WorkItem } from "../../../src/protocol/index.ts";

export const sampleTask = (id: number, more: Partial<WorkItem> = {}): WorkItem => ({
  id,
  subject: `task ${id}`,
  description: "",
  status: "pending",
  generation: 0,
  blocks: [],
  blockedBy: [],
  needs: [],
  acceptance: [],
  metadata: {},
  createdBy: "team-lead",
  createdAt: "2026-11-15T12:00:00.000Z",
  updatedAt: "2026-11-15T12:00:00.000Z",
  ...more,
});
