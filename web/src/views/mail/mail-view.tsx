import { useMemo, useState } from "react";
import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { emptyView } from "../../../../src/view/index.ts";
import { ChoiceGroup } from "../../parts/choice-group.tsx";
import { mailKindText, oneLine } from "../../parts/mail-kind-text.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { isConversation, type MailItem, type Thread, threadsOf } from "../../state/mail-list.ts";
import { useReadOnlyReason } from "../../state/use-read-only-reason.ts";
import { useMail } from "../../state/use-mail.ts";
import { MailList } from "./mail-list.tsx";
import { Name } from "./mail-row.tsx";
import { WriteMail } from "./write-mail.tsx";
import "./mail-view.css";

/** The mail of the team, by pair and in total, and a form to write to a member. */
export function MailView({ session }: { session: SessionId }) {
  const { mail: letters, problems, refresh } = useMail(session);
  const teams = useDashboard((state) => state.views.get(session)?.teams ?? emptyView.teams);
  const memberships = useDashboard((state) => state.views.get(session)?.memberships ?? emptyView.memberships);
  const [shows, setShows] = useState<"all" | "spoken">("spoken");
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [wanted, setWanted] = useState("");
  const shown = useMemo(
    () => letters.filter((item) => (shows === "all" || isConversation(item)) && hasWords(item, wanted)),
    [letters, shows, wanted],
  );
  const threads = useMemo(() => threadsOf(shown), [shown]);
  const thread = threads.find(({ key }) => key === chosen);
  const members = useMemo(() => [...teams.values()].flatMap((team) => team.members), [teams]);
  const colors = useMemo(() => new Map(members.map(({ name, color }) => [name, color])), [members]);

  const led = [...memberships.values()].findLast(({ role }) => role === "lead")?.team;
  const present = useMemo(
    () =>
      (led === undefined ? [] : (teams.get(led)?.members ?? []))
        .filter(({ ended }) => ended === undefined)
        .map(({ name }) => name),
    [teams, led],
  );
  const readOnlyReason = useReadOnlyReason(session);
  const away = readOnlyReason ?? (led === undefined ? noPartnerText(memberships.size > 0) : undefined);
  const other = thread?.names.find((name) => name !== "team-lead" && present.includes(name));
  const open = threads.reduce((sum, each) => sum + each.open, 0);
  return (
    <section className="mail-view" aria-labelledby="mail-title">
      <div className="mail-bar">
        <h2 id="mail-title">Mail</h2>
        <p className="soft">
          {shown.length} {shown.length === 1 ? "message" : "messages"}
          {open > 0 && `, ${open} unread`}
        </p>
        <input
          type="search"
          placeholder="Find in the mail"
          aria-label="Find in the mail"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
        <ChoiceGroup
          label="Show"
          value={shows}
          onChange={setShows}
          options={{ spoken: "Only messages", all: "Everything" }}
        />
      </div>
      {problems.length > 0 && (
        <p className="mail-problem" role="alert">
          {problems.map(visibleLine).join(" · ")}
        </p>
      )}
      <nav className="mail-threads" aria-label="Threads">
        <ul>
          <li>
            <button type="button" aria-pressed={!thread} onClick={() => setChosen(undefined)}>
              <span className="thread-names">All members</span>
              <span className="thread-count">{shown.length}</span>
            </button>
          </li>
          {threads.map((each) => (
            <li key={each.key}>
              <ThreadButton
                thread={each}
                colors={colors}
                isChosen={each === thread}
                onChoose={() => setChosen(each.key)}
              />
            </li>
          ))}
        </ul>
      </nav>
      <div className="mail-thread">
        <MailList
          key={`${thread?.key ?? ""} ${shows}`}
          mail={thread?.mail ?? shown}
          session={session}
          colors={colors}
          emptyText={letters.length === 0 ? "No mail yet." : "No message here: show everything, or find other words."}
        />
        {away === undefined && led !== undefined ? (
          <WriteMail session={session} team={led} members={present} other={other} onSent={refresh} />
        ) : (
          <p className="mail-note soft">{away}</p>
        )}
      </div>
    </section>
  );
}

interface ThreadProps {
  readonly thread: Thread;
  readonly colors: ReadonlyMap<string, string | undefined>;
  readonly isChosen: boolean;
  onChoose(): void;
}

function ThreadButton({ thread: { names, mail: letters, open }, colors, isChosen, onChoose }: ThreadProps) {
  const last = letters.at(-1);
  const body = last?.stored?.mail.body;
  const summaryText = last?.summary || (body?.kind === "text" ? body.text : "");
  return (
    <button type="button" aria-pressed={isChosen} onClick={onChoose}>
      <span className="thread-names">
        <Name name={names[0]} colors={colors} /> <span aria-hidden="true">⇄</span> <span className="unseen">and</span>{" "}
        <Name name={names[1]} colors={colors} />
      </span>
      <span className="thread-count">
        {letters.length}
        {open > 0 && <span className="tag">{open} unread</span>}
      </span>
      <span className="thread-last soft">
        {summaryText === "" ? mailKindText(last?.kind ?? "") : oneLine(summaryText)}
      </span>
    </button>
  );
}

function hasWords({ from, to, summary, stored }: MailItem, wanted: string): boolean {
  const body = stored?.mail.body;
  const text = [from, to, summary, body?.kind === "text" ? body.text : ""].join("\n").toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const noPartnerText = (isMember: boolean): string =>
  isMember ? "Write to members in the session that leads the team." : "This session leads no team, so it has no mail.";
