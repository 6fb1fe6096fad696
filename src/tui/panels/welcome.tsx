import { Text } from "ink";
import type { ReactNode } from "react";
import { leadOf, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend, useSize } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { firstRunLines } from "./first-run-screen.ts";
import { shortFolder, shortModel } from "./status-line.tsx";
import { type Line, paintLines, span } from "../terminal/terminal-lines.ts";
import { cutTo } from "../terminal/terminal-width.ts";
import { useFacts } from "../use-facts.ts";

export interface WelcomeProps {
  readonly facts: Pick<FrontendFacts, "sessions">;
  readonly home: string | undefined;
  /** Lines that are free. */
  readonly room: number;
}

/** Shown above the prompt until the first one: the version, and an introduction in a folder without earlier prompts. */
export function Welcome({ facts, home, room }: WelcomeProps): ReactNode {
  const { theme } = useFrontend();
  const { columns } = useSize();
  const { cwd, version } = useAppState(({ session }) => session);
  const model = useAppState(({ session }) => leadOf(session)?.model ?? "");
  const sessions = useFacts(facts.sessions);
  const isFirst = sessions.kind === "found" && !sessions.found.some((session) => session.cwd === cwd);
  const width = columns - 1;
  const parts = [`Troupe ${visibleLine(version)}`, shortModel(model), shortFolder(cwd, home)];
  const header: Line = [span(cutTo(parts.join(" · "), width), { dim: true })];
  const lines = [...(isFirst ? firstRunLines({ width }) : [header])];
  return lines.length + 1 > room ? null : <Text>{`\n${paintLines(lines, theme)}`}</Text>;
}
