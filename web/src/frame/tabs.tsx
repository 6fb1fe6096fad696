import { useEffect, useRef } from "react";
import { isFile } from "../parts/is-file.ts";
import { Icon } from "../parts/icon.tsx";
import { hrefOf, type Route, type ViewName, viewNames } from "../route.ts";
import { useApprovals } from "../state/approvals.ts";

interface Props {
  readonly route: Extract<Route, { kind: "session" }>;
}

/** The views of a session, and the switch between now and the replay. */
export function Tabs({ route: { session, view, agent, isReplay } }: Props) {
  const open = useRef<HTMLAnchorElement>(null);
  const approvals = useApprovals(session).length;
  useEffect(() => {
    // In newer browsers this returns a promise, which an effect must not return.
    open.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [view]);
  return (
    <nav className="tabs" aria-label="Views">
      {viewNames
        // A file begins with a summary, and cannot send answers.
        .filter((name) => name !== (isFile() ? "approvals" : "summary") || name === view)
        .map((name) => (
          <a
            key={name}
            ref={name === view ? open : undefined}
            href={hrefOf(session, name, { isReplay })}
            aria-current={name === view ? "page" : undefined}
            data-waits={name === "approvals" && approvals > 0 ? true : undefined}
          >
            <Icon name={name} />
            {viewTitles[name]}
            {name === "approvals" && approvals > 0 && (
              <span className="count" title={`${approvals} waiting`}>
                {approvals}
              </span>
            )}
          </a>
        ))}
      <a
        className="tabs-mode"
        data-live
        href={hrefOf(session, view, { agent, isReplay: !isReplay })}
        title={isReplay ? "Leave the replay (g r)" : "Show any moment of the session (g r)"}
      >
        <Icon name={isReplay ? "close" : "replay"} />
        {isReplay ? "Leave the replay" : "Replay"}
      </a>
    </nav>
  );
}

export const viewTitles: Readonly<Record<ViewName, string>> = {
  summary: "Summary",
  team: "Team",
  timeline: "Timeline",
  transcript: "Transcript",
  tasks: "Tasks",
  mail: "Mail",
  approvals: "Approvals",
  cost: "Cost",
  worktrees: "Worktrees",
};
