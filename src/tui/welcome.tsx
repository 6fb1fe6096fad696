import { Text } from "ink";
import type { ReactNode } from "react";
import { useFace, useSize } from "./app-context.ts";
import type { FaceFacts } from "./face-facts.ts";
import { firstRunLines } from "./first-run.ts";
import { paintLines } from "./terminal-lines.ts";
import { useFacts } from "./use-facts.ts";

/** Stands above the prompt in a folder in which nothing was ever said; gone with the first word. */
export function Welcome({
  facts,
  room,
}: {
  readonly facts: Pick<FaceFacts, "sessions">;
  readonly room: number;
}): ReactNode {
  const { theme } = useFace();
  const { columns } = useSize();
  const sessions = useFacts(facts.sessions);
  if (sessions.kind !== "found" || sessions.found.some(({ firstPrompt }) => firstPrompt !== "")) return null;
  const lines = firstRunLines({ width: columns - 1 });
  return lines.length > room ? null : <Text>{paintLines(lines, theme)}</Text>;
}
