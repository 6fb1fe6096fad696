import { useEffect, useRef } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import { hrefOf, type ViewName, viewNames } from "../route.ts";

export function Tabs({ session, view, approvals }: { session: SessionId; view: ViewName; approvals: number }) {
  const open = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // In newer browsers this returns a promise, which an effect must not return.
    open.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view]);
  return (
    <nav className="tabs" aria-label="Views">
      {viewNames.map((name) => (
        <a
          key={name}
          ref={name === view ? open : undefined}
          href={hrefOf(session, name)}
          aria-current={name === view ? "page" : undefined}
        >
          {viewTitles[name]}
          {name === "approvals" && approvals > 0 && (
            <span className="count" title={`${approvals} waiting`}>
              {approvals}
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}

export const viewTitles: Readonly<Record<ViewName, string>> = {
  team: "Team",
  timeline: "Timeline",
  transcript: "Transcript",
  tasks: "Tasks",
  mail: "Mail",
  approvals: "Approvals",
  cost: "Cost",
  worktrees: "Worktrees",
  replay: "Replay",
};
