import { type SessionId, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { type Message, tokensOf } from "../../../../src/view/index.ts";
import { AgentName, stateLabels } from "../../parts/agent-name.tsx";
import { formatAgo, formatCount, formatMoney } from "../../parts/format-amounts.ts";
import { activityText } from "../../parts/activity-text.ts";
import { mailKindText, oneLine } from "../../parts/mail-kind-text.ts";
import { hrefOf } from "../../route.ts";
import { useDisplayedTime } from "../../state/use-displayed-time.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { Composer } from "../transcript/composer.tsx";
import { type TeamFacts, taskText } from "./team-facts.ts";
import { type Aliases, messagesOf } from "./graph-edges.ts";

interface Props {
  readonly entry: RosterEntry;
  readonly roster: readonly RosterEntry[];
  readonly session: SessionId;
  readonly recent: readonly Message[];
  readonly aliases: Aliases;
  readonly facts: TeamFacts;
}

/** Details and commands of the selected agent. */
export function AgentPanel({ entry, roster, session, recent, aliases, facts }: Props) {
  const { agent, member } = entry;
  const { now } = useDisplayedTime(session, 1_000);
  return (
    <aside className="agent-panel" aria-label={`Selected: ${visibleLine(entry.name)}`}>
      <header>
        <AgentName entry={entry} />
        {entry.agentType !== entry.name && <span className="soft">{visibleLine(entry.agentType)}</span>}
      </header>
      <dl className="panel-facts">
        <Fact name="State">
          {stateLabels[entry.state]}
          {agent && <span className="soft"> · {formatAgo(agent.updatedAt, now)}</span>}
        </Fact>
        {activityText(entry) !== stateLabels[entry.state] && <Fact name="Does">{activityText(entry)}</Fact>}
        {facts.task && (
          <Fact name="Task">
            <a href={hrefOf(session, "tasks", { at: String(facts.task.id) })}>{visibleLine(taskText(facts.task))}</a>
          </Fact>
        )}
        {facts.waits.map(({ name, why }) => (
          <Fact key={`${name} ${why}`} name="Waits for">
            {visibleLine(name)} <span className="soft">{visibleLine(why)}</span>
          </Fact>
        ))}
        {agent?.description !== undefined && <Fact name="For">{visibleLine(agent.description)}</Fact>}
        {agent?.progress && <Fact name="Progress">{visibleLine(agent.progress.text.slice(0, 300))}</Fact>}
        {agent && <Fact name="Model">{visibleLine(agent.model)}</Fact>}
        {agent && (
          <Fact name="Tokens">
            {formatCount(tokensOf(agent.spending.total))}
            {agent.contextTokens !== undefined && (
              <span className="soft"> · {formatCount(agent.contextTokens)} in context</span>
            )}
          </Fact>
        )}
        {agent && (
          <Fact name="Cost">
            {formatMoney(agent.spending.total.costUsd)}
            <span className="soft">
              {" "}
              · {agent.turns} turns, {agent.toolCalls} calls
            </span>
          </Fact>
        )}
        {member?.worktreePath !== undefined && <Fact name="Worktree">{visibleLine(member.worktreePath)}</Fact>}
      </dl>
      {agent && agent.lastWords !== "" && (
        <section>
          <h3>Last message</h3>
          <blockquote>{visibleText(agent.lastWords)}</blockquote>
        </section>
      )}
      <section>
        <Composer session={session} entry={entry} />
        {agent && <a href={hrefOf(session, "transcript", { agent: agent.id })}>Open the transcript</a>}
      </section>
      <RecentMessages
        {...{ entry, roster, aliases }}
        messages={saidFirst(messagesOf(recent, entry.key, aliases)).slice(0, 6)}
      />
    </aside>
  );
}

/** Words of agents. Notices of the runtime are shown only if there are none. */
function saidFirst(messages: readonly Message[]): readonly Message[] {
  const said = messages.filter(({ summary }) => summary !== "");
  return said.length > 0 ? said : messages;
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface RecentMessagesProps extends Pick<Props, "entry" | "roster" | "aliases"> {
  readonly messages: readonly Message[];
}

function RecentMessages({ entry, roster, messages, aliases }: RecentMessagesProps) {
  const nameOf = (end: string) => {
    const key = aliases.get(end) ?? end;
    return visibleLine(roster.find((other) => other.key === key)?.name ?? end);
  };
  if (messages.length === 0) return null;
  return (
    <section>
      <h3>Messages</h3>
      <ul className="panel-said">
        {messages.map((passage) => {
          const isFrom = aliases.get(passage.from) === entry.key;
          const other = isFrom ? passage.to : passage.from;
          return (
            <li key={passage.id}>
              <span className="said-way">
                {isFrom ? "to" : "from"} <strong>{nameOf(other)}</strong>
              </span>
              <span className="said-what">{messageText(passage)}</span>
              <span className="said-state" data-state={passage.receivedAt === undefined ? "sent" : "received"}>
                {passage.receivedAt === undefined ? "sent" : "received"}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const messageText = ({ how, kind, summary }: Message): string => {
  if (summary !== "") return oneLine(summary);
  return how === "mail" ? mailKindText(kind) : how === "order" ? "its task" : "its report";
};
