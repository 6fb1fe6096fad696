import { memo, useState } from "react";
import * as z from "zod";
import { type MailState, type SessionId, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { clockWords } from "../../parts/amounts.ts";
import { kindWords } from "../../parts/mail-kinds.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { hrefOf } from "../../route.ts";
import { askFor } from "../../state/ask-for.ts";
import type { Letter } from "../../state/letters.ts";
import { mailWords } from "./mail-words.ts";

interface Props {
  readonly letter: Letter;
  readonly session: SessionId;
  readonly colors: ReadonlyMap<string, string | undefined>;
}

/** One message: who says what to whom, and how far it has come. */
export const LetterRow = memo(function LetterRow({ letter, session, colors }: Props) {
  const { from, to, at, state, kept, isUrgent } = letter;
  return (
    <article className="letter" data-color={colors.get(from) ?? ""} data-spoken={letter.kind === "text" || undefined}>
      <header>
        <h3>
          <Name name={from} colors={colors} /> <span aria-label="to">→</span> <Name name={to} colors={colors} />
        </h3>
        {isUrgent && <span className="tag letter-urgent">urgent</span>}
        {kept?.sender === "unverified" && (
          <span className="tag letter-doubt" title="It is not signed with the key of whom it names">
            sender not verified
          </span>
        )}
        <span className="tag letter-state" data-state={state} title={stateTitles[state]}>
          {stateWords[state]}
        </span>
        <time className="soft" dateTime={at}>
          {clockWords(at)}
        </time>
      </header>
      {kept?.refused !== undefined && (
        <p className="letter-refused">Its receiver does not act on it: {visibleLine(kept.refused)}</p>
      )}
      {kept ? <Body letter={letter} session={session} /> : <Unkept letter={letter} session={session} />}
    </article>
  );
});

export function Name({ name, colors }: { name: string; colors: Props["colors"] }) {
  return (
    <span className="letter-name" data-color={colors.get(name) ?? ""}>
      {visibleLine(name)}
    </span>
  );
}

const stateWords: Readonly<Record<MailState, string>> = {
  queued: "sent",
  delivered: "delivered",
  read: "read",
  failed: "never read",
};

const stateTitles: Readonly<Record<MailState, string>> = {
  queued: "It is stored for its receiver",
  delivered: "It is in its receiver's log, and will be read when that works next",
  read: "It is in its receiver's conversation, or was acted on",
  failed: "Its receiver ended before it read it",
};

const Whole = z.object({ text: z.string() });

function Body({ letter, session }: { letter: Letter; session: SessionId }) {
  const [whole, setWhole] = useState<{ readonly text?: string; readonly problem?: string } | undefined>(undefined);
  if (!letter.kept) return null;
  const { mail, isCut } = letter.kept;
  const { title, text, fields } = mailWords(mail.body);
  const ask = () => {
    const query = new URLSearchParams({ session, mail: letter.id });
    askFor(`/api/mail-text?${query}`)
      .then((answer) => setWhole(Whole.parse(answer)))
      .catch((error: unknown) => setWhole({ problem: error instanceof Error ? error.message : String(error) }));
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
            Show all of it
          </button>{" "}
          {whole?.problem !== undefined && <span role="alert">{whole.problem}</span>}
        </p>
      )}
    </>
  );
}

/** What the team has not kept can still be where it was heard. */
function Unkept({ letter: { kind, summary, place }, session }: { letter: Letter; session: SessionId }) {
  return (
    <>
      <p className="letter-title">{kindWords(kind)}</p>
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
