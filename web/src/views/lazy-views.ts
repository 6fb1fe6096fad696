import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import type { ViewName } from "../route.ts";

type View = ComponentType<{ session: SessionId }>;

const named = <K extends string>(load: () => Promise<Record<K, View>>, name: K): LazyExoticComponent<View> =>
  lazy(async () => ({ default: (await load())[name] }));

/** Each view is loaded when first opened. */
export const lazyViews: Readonly<Record<ViewName, LazyExoticComponent<View>>> = {
  summary: named(() => import("./summary/summary-view.tsx"), "SummaryView"),
  team: named(() => import("./team/team-view.tsx"), "TeamView"),
  timeline: named(() => import("./timeline/timeline-view.tsx"), "TimelineView"),
  transcript: named(() => import("./transcript/transcript-view.tsx"), "TranscriptView"),
  tasks: named(() => import("./tasks/tasks-view.tsx"), "TasksView"),
  mail: named(() => import("./mail/mail-view.tsx"), "MailView"),
  approvals: named(() => import("./approvals/approvals-view.tsx"), "ApprovalsView"),
  cost: named(() => import("./cost/cost-view.tsx"), "CostView"),
  worktrees: named(() => import("./worktrees/worktrees-view.tsx"), "WorktreesView"),
};
