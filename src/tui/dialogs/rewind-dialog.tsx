import type { ReactNode } from "react";
import type { RewindPoint } from "../../session/index.ts";
import { addNotice, closeDialog, visibleLine } from "../../view/index.ts";
import { type Frontend, useFrontend } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { span } from "../terminal/terminal-lines.ts";
import { emptyListText, useFacts } from "../use-facts.ts";
import { useLiveState } from "../use-live-state.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";

type Part = "both" | "conversation" | "files";

/** Lists the earlier prompts and rewinds, newest first, then asks what to restore. */
export function RewindDialog({ facts }: { readonly facts: Pick<FrontendFacts, "rewindPoints"> }): ReactNode {
  const frontend = useFrontend();
  const points = useFacts(facts.rewindPoints);
  const chosen = useLiveState<RewindPoint | undefined>(undefined);
  const found = points.kind === "found" ? points.found.toReversed() : [];
  const point = chosen.get();
  if (point) {
    return (
      <ListDialog
        title={visibleLine(point.kind === "rewind" ? "Back to before this rewind" : `Back to before: ${point.text}`)}
        rows={parts}
        empty=""
        choose={{ does: "restore", run: (part) => void restore(frontend, point, part as Part) }}
        onClose={() => chosen.set(() => undefined)}
      />
    );
  }
  return (
    <ListDialog
      title="Rewind: go back to the moment before …"
      rows={found.map(pointRow)}
      empty={emptyListText(points, "There is no earlier prompt.")}
      choose={{ does: "go back", run: (id) => chosen.set(() => found.find((each) => each.id === id)) }}
    />
  );
}

const pointRow = ({ id, kind, at, text, isLeft }: RewindPoint): ListRow => ({
  id,
  title: [
    span(`${new Date(at).toTimeString().slice(0, 5)}  `, { dim: true }),
    ...(kind === "rewind" ? [span("rewind: ", { role: "accent" })] : []),
    span(visibleLine(text), { dim: isLeft }),
    ...(isLeft ? [span("  (left by a rewind)", { dim: true })] : []),
  ],
});

const part = (id: Part, title: string, detail: string): ListRow => ({ id, title: [span(title)], detail });

const parts: readonly ListRow[] = [
  part("both", "Files and conversation", "everything as it was; this moment stays in the list"),
  part("conversation", "Only the conversation", "the files stay as they are now"),
  part("files", "Only the files", "the conversation continues"),
];

/** After a rewind of the conversation the prompt is ready to be changed and sent again. */
async function restore({ store, send, now, writePrompt }: Frontend, point: RewindPoint, what: Part): Promise<void> {
  store.setState(closeDialog);
  const ack = await send({ type: "rewind", to: point.id, what });
  if (!ack.ok) return;
  if (what !== "files" && point.prompt !== undefined) writePrompt(point.prompt);
  const text = "To undo it, rewind again and choose the rewind.";
  store.setState((state) => addNotice(state, { level: "success", text, until: now() + 8_000 }));
}
