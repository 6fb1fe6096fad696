import { Text } from "ink";
import type { ReactNode } from "react";
import {
  type AppState,
  isWithoutPrompt,
  leadOf,
  sessionSpending,
  type SessionView,
  visibleLine,
} from "../../view/index.ts";
import { useAppState, useFrontend, useSize } from "../app-context.ts";
import { keyFor } from "../key-table.ts";
import { formatCost } from "../format-counts.ts";
import { type Line, lineWidth, paintLine, span } from "../terminal/terminal-lines.ts";
import { cutTo, widthOf } from "../terminal/terminal-width.ts";
import { viewedOf } from "../transcript/transcript-history.ts";
import { tokens } from "../transcript/transcript-text.ts";

export interface StatusProps {
  /** Returns the context window of a model in tokens, or undefined if unknown. */
  readonly contextWindow: (model: string) => number | undefined;
  readonly home: string | undefined;
}

/**
 * One line below the prompt: mode, model, context use, cost, team, folder. On a narrow screen the least important parts
 * are left out.
 */
export function StatusLine({ contextWindow, home }: StatusProps): ReactNode {
  const { theme } = useFrontend();
  const { columns } = useSize();
  const state = useAppState((each) => each);
  const parts = statusParts(state, { contextWindow, home });
  const hint = usefulKey(state);
  return <Text wrap="truncate">{paintLine(withHint(parts, hint, columns - 1), theme)}</Text>;
}

/** The key that helps most now. A dialog names its own keys. */
function usefulKey({ dialog, session, viewing, expandedView }: AppState): string {
  if (dialog.kind !== "none") return "";
  const lead = leadOf(session);
  const isWorking = lead?.status.kind === "running" || lead?.status.kind === "waiting";
  if (viewing !== undefined) return `${keyFor("app", "previousAgent")} Enter to the lead`;
  const jobs = session.runningBackground.size;
  if (jobs > 0) return `${keyFor("app", "background")} ${jobs} in the background`;
  if (isWorking) return `${keyFor("prompt", "send")} adds your text`;
  if (expandedView === "none" && hasOpenTasks(session)) return `${keyFor("app", "tasks")} tasks`;
  const isNew = lead === undefined || isWithoutPrompt(lead.transcript);
  return isNew ? `${keyFor("app", "mode")} mode` : `${keyFor("app", "transcript")} transcript`;
}

const hasOpenTasks = ({ tasks }: SessionView): boolean =>
  [...tasks.values()].some((list) => list.some(({ status }) => status !== "completed"));

/** Puts the hint at the right end. It is left out if it would hide more than the folder. */
function withHint(parts: readonly Line[], hint: string, width: number): Line {
  const room = width - widthOf(hint) - 2;
  const line = fitToWidth(parts, room);
  const isWorthIt = hint !== "" && lineWidth(fitToWidth(parts.slice(0, -1), width)) <= room;
  if (!isWorthIt) return fitToWidth(parts, width);
  return [...line, span(" ".repeat(width - lineWidth(line) - widthOf(hint))), span(hint, { dim: true })];
}

/** The parts in display order, the least important last. */
function statusParts(state: AppState, { contextWindow, home }: StatusProps): Line[] {
  const agent = viewedOf(state)?.agent ?? leadOf(state.session);
  if (!agent) return [[span("starting …", { dim: true })]];
  const window = contextWindow(agent.model);
  const { contextTokens } = agent;
  const share = contextTokens === undefined || window === undefined ? undefined : contextTokens / window;
  const context =
    share !== undefined
      ? `${Math.round(share * 100)}% context`
      : contextTokens === undefined
        ? undefined
        : `${tokens(contextTokens)} context`;
  const cost = sessionSpending(state.session).total.costUsd;
  const team = state.teamContext;
  return [
    [modeSpan(agent.permissionMode)],
    ...(state.session.isCoordinator ? [[span("coordinates", { role: "accent" })]] : []),
    [span(shortModel(agent.model), { dim: true })],
    ...(context === undefined
      ? []
      : [[span(context, share !== undefined && share > 0.8 ? { role: "warning" } : { dim: true })]]),
    ...(cost > 0 ? [[span(formatCost(cost), { dim: true })]] : []),
    ...(team
      ? [
          [
            span(`${visibleLine(team.selfAgentName)}@${visibleLine(team.teamName)}`, {
              agent: team.selfAgentColor,
              dim: true,
            }),
          ],
        ]
      : []),
    [span(shortFolder(agent.cwd, home), { dim: true })],
  ];
}

function modeSpan(mode: string) {
  switch (mode) {
    case "default":
      return span("asks first", { dim: true });
    case "acceptEdits":
      return span("accepts edits", { role: "success" });
    case "plan":
      return span("plans only", { role: "accent" });
    case "bypassPermissions":
      return span("never asks", { role: "error" });
    default:
      return span(visibleLine(mode), { dim: true });
  }
}

export const shortModel = (model: string): string => visibleLine(model.split("/").at(-1) ?? model);

export function shortFolder(cwd: string, home: string | undefined): string {
  const inHome = home !== undefined && (cwd === home || cwd.startsWith(`${home}/`));
  return visibleLine(inHome ? `~${cwd.slice(home.length)}` : cwd);
}

/** Returns the parts that fit, from the first. The first part is cut rather than left out. */
function fitToWidth(parts: readonly Line[], width: number): Line {
  const line = [...(parts[0] ?? [])];
  for (const part of parts.slice(1)) {
    if (lineWidth(line) + lineWidth(part) + 3 > width) {
      const room = width - lineWidth(line) - 3;
      const [only] = part;
      // A folder is still useful when only its end is visible.
      if (room >= 12 && only && part === parts.at(-1))
        line.push(span(" · ", { dim: true }), span(endOf(only.text, room), only.style));
      break;
    }
    line.push(span(" · ", { dim: true }), ...part);
  }
  const [first] = line;
  return line.length === 1 && first ? [span(cutTo(first.text, width), first.style)] : line;
}

const endOf = (text: string, room: number): string => `…${text.slice(1 - room)}`;
