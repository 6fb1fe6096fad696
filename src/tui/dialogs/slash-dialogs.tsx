import type { ReactNode } from "react";
import {
  closeDialog,
  enterTeammateView,
  itemsOf,
  leadOf,
  type MemberView,
  sessionSpending,
  teamTree,
  tokensOf,
  type Totals,
  visibleLine,
} from "../../view/index.ts";
import { useAppState, useFrontend } from "../app-context.ts";
import type { Fact, FrontendFacts } from "../frontend-facts.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { formatTokens } from "../format-counts.ts";
import { setModel } from "../slash-commands.ts";
import { type Line, span } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";
import { emptyListText, useFacts } from "../use-facts.ts";

interface Props {
  readonly facts: FrontendFacts;
}

/** Lists the agents and the agent types. */
export function AgentsDialog({ facts }: Props): ReactNode {
  const frontend = useFrontend();
  const state = useAppState((each) => each);
  const types = useFacts(facts.agentTypes);
  const running = teamTree(state, frontend.now());
  const rows: ListRow[] = [
    ...(running.length === 0 ? [] : [heading("Agents")]),
    ...running.map(({ task, state: how }) => ({
      id: task.id,
      title: [
        span(visibleLine(task.name), task.color === undefined ? { role: "accent" } : { agent: task.color }),
        span(` · ${how} · ${formatTokens(task.progress.tokens)}`, { dim: true }),
      ] as Line,
      detail: visibleLine(task.description),
    })),
    heading("Types"),
    ...(types.kind === "found" ? factRows(types.found) : [note(emptyListText(types, ""))]),
  ];
  const look = (id: string) =>
    frontend.store.setState((each) => {
      const next = enterTeammateView(each, id, frontend.now());
      return next === each ? each : closeDialog(next);
    });
  return (
    <ListDialog
      title="Agents"
      rows={rows}
      empty=""
      choose={running.length === 0 ? undefined : { does: "view it", run: look }}
    />
  );
}

export function TeamDialog(): ReactNode {
  const teams = useAppState(({ session }) => session.teams);
  const rows = [...teams.values()].flatMap(({ name, members }): ListRow[] => [
    heading(visibleLine(name)),
    ...members.map((member) => memberRow(name, member)),
  ]);
  return <ListDialog title="Team" rows={rows} empty="There is no team. Ask for one: “make a team of three and …”" />;
}

function memberRow(team: string, member: MemberView): ListRow {
  const { name, color, state, agentType, backendType, worktreePath, tmuxPaneId, unread = 0, detail, role } = member;
  const place = [
    ...(agentType === undefined ? [] : [agentType]),
    ...(backendType === undefined ? [] : [backendType]),
    ...(tmuxPaneId === undefined ? [] : [`pane ${tmuxPaneId}`]),
    ...(worktreePath === undefined ? [] : [worktreePath]),
    ...(detail === undefined ? [] : [detail]),
  ];
  return {
    id: `${name}@${team}`,
    title: [
      span(visibleLine(name), color === undefined ? { role: "accent" } : { agent: color }),
      span(`${role === "lead" ? " (lead)" : ""} · ${state}${unread > 0 ? ` · ${unread} unread` : ""}`, { dim: true }),
    ],
    detail: visibleLine(place.join(", ")),
  };
}

export function ModelDialog({ facts }: Props): ReactNode {
  const frontend = useFrontend();
  const current = useAppState(({ session }) => leadOf(session)?.model ?? "");
  const models = useFacts(facts.models);
  const rows = models.kind === "found" ? factRows(models.found) : [];
  const choose = (id: string) => {
    frontend.store.setState(closeDialog);
    void setModel(frontend, id);
  };
  return (
    <ListDialog
      title={`Model: ${visibleLine(current)}`}
      rows={rows}
      empty={emptyListText(
        models,
        "The list of models is empty. Name one: /model anthropic/NAME, openai/NAME or local/NAME.",
      )}
      choose={{ does: "use it", run: choose }}
    />
  );
}

export function CostDialog(): ReactNode {
  const session = useAppState((each) => each.session);
  const agents = [...itemsOf(session.agents)].filter(({ spending }) => spending.total.requests > 0);
  const rows: ListRow[] = [
    ...agents.flatMap(({ id, path, spending }) =>
      [...spending.byModel].map(([model, totals]) => ({
        id: `${id} ${model}`,
        title: costLine(visibleLine(path), totals),
        detail: visibleLine(model),
      })),
    ),
    ...(agents.length === 0 ? [] : [{ id: "total", title: costLine("together", sessionSpending(session).total) }]),
  ];
  return <ListDialog title="Cost of this session" rows={rows} empty="Nothing was spent yet." />;
}

const costLine = (name: string, totals: Totals): Line => [
  span(name, { role: "accent" }),
  span(` · $${totals.costUsd.toFixed(4)}`, { bold: true }),
  span(` · ${formatTokens(tokensOf(totals))} · ${totals.requests} ${totals.requests === 1 ? "request" : "requests"}`),
  ...(totals.lostUsd > 0 ? [span(` · $${totals.lostUsd.toFixed(4)} lost`, { role: "warning" })] : []),
];

export function PermissionsDialog({ facts }: Props): ReactNode {
  const mode = useAppState(({ session }) => leadOf(session)?.permissionMode ?? "default");
  const rules = useFacts(facts.rules);
  return (
    <ListDialog
      title={`Permission mode: ${mode}`}
      rows={rules.kind === "found" ? factRows(rules.found) : []}
      empty={emptyListText(
        rules,
        "No rules: the mode decides every call. Answer “always”, or add rules to the settings.",
      )}
    />
  );
}

export function HooksDialog({ facts }: Props): ReactNode {
  const hooks = useFacts(facts.hooks);
  return (
    <ListDialog
      title="Hooks"
      rows={hooks.kind === "found" ? factRows(hooks.found) : []}
      empty={emptyListText(
        hooks,
        "No hooks. Hooks are commands that run at certain events of a session: see `hooks` in the settings.",
      )}
    />
  );
}

export function McpDialog(): ReactNode {
  const { send } = useFrontend();
  const servers = useAppState(({ session }) => session.mcpServers);
  const rows = servers.map(({ server, state, tools, error }): ListRow => {
    const style: Style =
      state === "connected" ? { role: "success" } : state === "failed" ? { role: "error" } : { dim: true };
    return {
      id: server,
      title: [
        span(visibleLine(server), { role: "accent" }),
        span(` · ${state}`, style),
        span(` · ${tools} ${tools === 1 ? "tool" : "tools"}`, { dim: true }),
      ],
      detail: error === undefined ? undefined : visibleLine(error),
    };
  });
  return (
    <ListDialog
      title="MCP servers"
      rows={rows}
      empty="No servers. Add one with 'troupe mcp add NAME -- PROGRAM', then restart."
      choose={{ does: "reconnect", run: (server) => void send({ type: "mcp.reconnect", server }) }}
    />
  );
}

const heading = (text: string): ListRow => ({ id: `heading ${text}`, title: [span(text)], isHeading: true });
const note = (text: string): ListRow => ({ id: `note ${text}`, title: [span(text, { dim: true })], isHeading: true });

const factRows = (facts: readonly Fact[]): ListRow[] =>
  facts.map(({ title, detail, isInactive: isOff }) => ({
    id: title,
    title: [span(visibleLine(title), isOff ? { dim: true } : { role: "accent" })],
    detail: detail === undefined ? undefined : visibleLine(detail),
  }));
