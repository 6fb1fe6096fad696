import { Text } from "ink";
import type { ReactNode } from "react";
import { useFrontend, useSize } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { firstRunLines } from "./first-run-screen.ts";
import { paintLines } from "../terminal/terminal-lines.ts";
import { useFacts } from "../use-facts.ts";

/** Shown above the prompt in a folder without earlier prompts, until the first one. */
export function Welcome({
  facts,
  room,
}: {
  readonly facts: Pick<FrontendFacts, "sessions">;
  readonly room: number;
}): ReactNode {
  const { theme } = useFrontend();
  const { columns } = useSize();
  const sessions = useFacts(facts.sessions);
  if (sessions.kind !== "found" || sessions.found.some(({ firstPrompt }) => firstPrompt !== "")) return null;
  const lines = firstRunLines({ width: columns - 1 });
  return lines.length > room ? null : <Text>{paintLines(lines, theme)}</Text>;
}
