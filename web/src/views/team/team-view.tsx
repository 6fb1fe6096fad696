import { useCallback, useMemo, useRef, useState } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { joinMessageFlows } from "../../../../src/view/index.ts";
import { ChoiceGroup } from "../../parts/choice-group.tsx";
import { useMediaQuery } from "../../parts/use-media-query.ts";
import { useSize } from "../../parts/use-size.ts";
import { useThrottledWhileLoading } from "../../state/use-throttled-while-loading.ts";
import { useDashboard, useSessionView } from "../../state/dashboard-store.ts";
import type { SessionFolds } from "../../state/session-folds.ts";
import { useRoster } from "../../state/roster.ts";
import { useEachFold } from "../../state/use-each-fold.ts";
import { AgentPanel } from "./agent-panel.tsx";
import { useAnimatedMessages } from "./animated-messages.tsx";
import { layOutGraph } from "./graph-layout.ts";
import { aliasesOf, graphEdgesOf } from "./graph-edges.ts";
import { teamFacts } from "./team-facts.ts";
import { TeamList } from "./team-list.tsx";
import { TeamGraph } from "./team-graph.tsx";
import { TeamTable } from "./team-table.tsx";
import "../../styles/tables.css";
import "./team-view.css";

const messageFlowOf = ({ messageFlow }: SessionFolds) => messageFlow;

/** An overview of the team: its agents, their activity, and their messages. */
export function TeamView({ session }: { session: SessionId }) {
  const roster = useThrottledWhileLoading(session, useRoster(session));
  const view = useSessionView(session);
  const all = useThrottledWhileLoading(session, useEachFold(messageFlowOf));
  const messageFlow = useMemo(() => joinMessageFlows(all), [all]);
  const [shows, setShows] = useState<"graph" | "table">("graph");
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const place = useRef<HTMLDivElement>(null);
  const room = useSize(place);

  const { memberships } = view;
  const keys = roster.map(({ key, agent }) => `${key} ${agent?.id ?? ""}`).join("\n");
  // Depends only on the set of agents, not on their activity.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const aliases = useMemo(() => aliasesOf(roster, view), [keys, memberships]);
  const drawing = useMemo(() => (room ? layOutGraph(roster, room) : undefined), [roster, room]);
  const edges = useMemo(
    () => (drawing ? graphEdgesOf(drawing.nodes, messageFlow.edges, aliases) : []),
    [drawing, messageFlow.edges, aliases],
  );
  const replayAt = useDashboard((state) => state.replayAt);
  const now = useCallback(() => (replayAt === undefined ? Date.now() : Date.parse(replayAt)), [replayAt]);
  const { flights, land } = useAnimatedMessages(messageFlow.recent, roster, { aliases, now });
  const sessions = useDashboard((state) => state.sessions);
  const { tasks } = view;
  const facts = useMemo(() => teamFacts(roster, tasks, sessions ?? []), [roster, tasks, sessions]);
  const isNarrow = useMediaQuery("(max-width: 43.75rem)");
  const selected = roster.find(({ key }) => key === chosen) ?? roster[0];

  return (
    <section className="team-view" aria-label="Team">
      <div className="team-main">
        <div className="team-bar">
          <h2>Team</h2>
          <p className="soft">{summary(roster)}</p>
          <ChoiceGroup
            label="Show as"
            value={shows}
            onChange={setShows}
            options={{ graph: isNarrow ? "List" : "Graph", table: "Table" }}
          />
        </div>
        <div className="team-place" ref={place}>
          {shows === "graph" && isNarrow && (
            <TeamList {...{ roster, facts, session }} selected={selected?.key} onSelect={setChosen} />
          )}
          {shows === "graph" && !isNarrow && drawing && (
            <TeamGraph
              drawing={drawing}
              edges={edges}
              animatedMessages={flights}
              facts={facts}
              selected={selected?.key}
              onSelect={setChosen}
              onAnimationDone={land}
            />
          )}
          {shows === "table" && (
            <TeamTable
              roster={roster}
              facts={facts}
              messageFlow={messageFlow}
              aliases={aliases}
              session={session}
              onSelect={setChosen}
            />
          )}
        </div>
      </div>
      {selected && (
        <AgentPanel
          key={selected.key}
          entry={selected}
          recent={messageFlow.recent}
          facts={facts(selected)}
          {...{ roster, session, aliases }}
        />
      )}
    </section>
  );
}

function summary(roster: ReturnType<typeof useRoster>): string {
  const count = (...states: string[]) => roster.filter(({ state }) => states.includes(state)).length;
  const asking = count("asking");
  return [
    `${roster.length} ${roster.length === 1 ? "agent" : "agents"}`,
    `${count("working", "tool", "waiting", "starting")} working`,
    ...(asking > 0 ? [`${asking} ${asking === 1 ? "asks" : "ask"}`] : []),
  ].join(" · ");
}
