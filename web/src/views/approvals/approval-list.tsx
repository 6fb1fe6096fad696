import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import type { Approval } from "../../state/approvals.ts";
import { ApprovalCard } from "./approval-card.tsx";
import "./approvals-view.css";

/** After a card has moved, presses on it are ignored for this time: they were meant for another card. */
const settleMs = 400;

interface Props {
  readonly approvals: readonly Approval[];
  /** Drawn above a card. */
  readonly heading?: (approval: Approval) => ReactNode;
}

/** Open questions, oldest first. `j` and `k` choose one; its own keys answer it. */
export function ApprovalList({ approvals, heading }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const places = useRef(new Map<string, { readonly top: number; readonly movedAt: number }>());
  const ids = approvals.map(({ question }) => question.requestId).join(" ");
  useLayoutEffect(() => {
    const now = performance.now();
    const next = new Map<string, { top: number; movedAt: number }>();
    for (const item of list.current?.children ?? []) {
      if (!(item instanceof HTMLElement)) continue;
      const [id, top] = [item.dataset["request"] ?? "", item.offsetTop];
      const before = places.current.get(id);
      const isMoved = before !== undefined && before.top !== top;
      next.set(id, { top, movedAt: isMoved ? now : (before?.movedAt ?? Number.NEGATIVE_INFINITY) });
    }
    places.current = next;
  }, [ids]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || (event.key !== "j" && event.key !== "k")) return;
      if (event.target instanceof HTMLElement && event.target.matches("input, textarea, select")) return;
      const cards = [...(list.current?.querySelectorAll<HTMLElement>("article") ?? [])];
      const at = cards.findIndex((card) => card.contains(document.activeElement));
      const next = event.key === "j" ? Math.min(at + 1, cards.length - 1) : Math.max(at - 1, 0);
      cards[next]?.focus();
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const isSettled = (id: string) => performance.now() - (places.current.get(id)?.movedAt ?? 0) > settleMs;
  return (
    <ul className="approval-list" ref={list}>
      {approvals.map((approval) => {
        const { requestId } = approval.question;
        return (
          <li key={requestId} data-request={requestId}>
            {heading?.(approval)}
            <ApprovalCard approval={approval} isSettled={() => isSettled(requestId)} />
          </li>
        );
      })}
    </ul>
  );
}
