import type { ReactNode } from "react";
import { visibleText } from "../../view/index.ts";
import { useAppState } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { diffLine } from "../markdown/diff-lines.ts";
import { emptyListText, useFacts } from "../use-facts.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";

/** Shows the changed files of the session, of the last prompt or of an agent. */
export function DiffDialog({ facts }: { readonly facts: Pick<FrontendFacts, "diff" | "rewindPoints"> }): ReactNode {
  const of = useAppState(({ dialog }) => (dialog.kind === "diff" ? dialog.of : ""));
  const patch = useFacts(async () => {
    if (of !== "last") return facts.diff(of === "" ? {} : { agent: of });
    const prompt = (await facts.rewindPoints()).findLast(({ kind, isLeft }) => kind === "prompt" && !isLeft);
    return prompt ? facts.diff({ prompt: prompt.id }) : "";
  });
  const lines = patch.kind === "found" && patch.found !== "" ? visibleText(patch.found).trimEnd().split("\n") : [];
  const shown = lines.slice(0, maxLines).map((text, at): ListRow => ({ id: String(at), title: diffLine(text) }));
  const rest: ListRow[] =
    lines.length > maxLines
      ? [{ id: "rest", title: diffLine(`… ${lines.length - maxLines} more lines: troupe diff prints all`) }]
      : [];
  const what = of === "" ? "this session" : of === "last" ? "the last prompt" : of;
  return (
    <ListDialog
      title={`Changes of ${what}`}
      rows={[...shown, ...rest]}
      empty={emptyListText(patch, "No file has changed.")}
    />
  );
}

const maxLines = 2_000;
