import { memo, useState } from "react";
import * as z from "zod";
import { type MailState, messageOf, type SessionId, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { formatClock } from "../../parts/format-amounts.ts";
import { mailKindText } from "../../parts/mail-kind-text.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { hrefOf } from "../../route.ts";
import { fetchJson } from "../../state/fetch-json.ts";
import type { MailItem } from "../../state/mail-list.ts";
import { displayName } from "../../state/roster.ts";
import { mailText } from "./mail-text.ts";

interface Props {
  readonly item: MailItem;
  readonly session: SessionId;
  readonly colors: ReadonlyMap<string, string | undefined>;
}

/** One mail: sender, receiver, text and state. */
export const MailRow = memo(function MailItemRow({ item, session, colors }: Props) {
  const { from, to, at, state, stored: kept, isUrgent } = item;
  return (
    <article className="letter" data-color={colors.get(from) ?? ""} data-spoken={item.kind === "text" || undefined}>
      <header>
        <h3>
          <Name name={from} colors={colors} /> <span aria-label="to">→</span> <Name name={to} colors={colors} />
        </h3>
        {isUrgent && <span className="tag letter-urgent">urgent</span>}
        {kept?.sender === "unverified" && (
          <span className="tag letter-doubt" title="Not signed with the key of the named sender">
            sender not verified
          </span>
        )}
        <span className="tag letter-state" data-state={state} title={stateTitles[state]}>
          {stateLabels[state]}
        </span>
        <time className="soft" dateTime={at}>
          {formatClock(at)}
        </time>
      </header>
      {kept?.refused !== undefined && (
        <p className="letter-refused">Its receiver ignores it: {visibleLine(kept.refused)}</p>
      )}
      {kept ? <Body item={item} session={session} /> : <DeletedMail item={item} session={session} />}
    </article>
  );
});

export function Name({ name, colors }: { name: string; colors: Props["colors"] }) {
  return (
    <span className="letter-name" data-color={colors.get(name) ?? ""}>
      {visibleLine(displayName(name))}
    </span>
  );
}

const stateLabels: Readonly<Record<MailState, string>> = {
  queued: "sent",
  delivered: "delivered",
  read: "read",
  failed: "not read",
};

const stateTitles: Readonly<Record<MailState, string>> = {
  queued: "Stored for its receiver",
  delivered: "In its receiver's log; it is read with the next turn",
  read: "In its receiver's conversation, or acted on",
  failed: "Its receiver ended before reading it",
};

const MailText = z.object({ text: z.string() });

function Body({ item, session }: { item: MailItem; session: SessionId }) {
  const [whole, setWhole] = useState<{ readonly text?: string; readonly problem?: string } | undefined>(undefined);
  if (!item.stored) return null;
  const { mail, isCut } = item.stored;
  const { title, text, fields } = mailText(mail.body);
  const ask = () => {
    const query = new URLSearchParams({ session, mail: item.id });
    fetchJson(`/api/mail-text?${query}`)
      .then((answer) => setWhole(MailText.parse(answer)))
      .catch((error: unknown) => setWhole({ problem: messageOf(error) }));
  };
  return (
    <>
      {title !== undefined && <p className="letter-title">{title}</p>}
      {fields.length > 0 && (
        <dl>
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{visibleText(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {text !== "" && <Markdown text={whole?.text ?? text} />}
      {isCut && whole?.text === undefined && (
        <p>
          <button type="button" onClick={ask}>
            Show all
          </button>{" "}
          {whole?.problem !== undefined && <span role="alert">{whole.problem}</span>}
        </p>
      )}
    </>
  );
}

/** A mail that the team no longer stores may still be in the receiver's transcript. */
function DeletedMail({ item: { kind, summary, place }, session }: { item: MailItem; session: SessionId }) {
  return (
    <>
      <p className="letter-title">{mailKindText(kind)}</p>
      {summary !== "" && <p>{visibleText(summary)}</p>}
      {place && (
        <p>
          <a href={hrefOf(session, "transcript", { agent: place.agent, at: place.seq })}>
            In the receiver's transcript
          </a>
        </p>
      )}
    </>
  );
}
