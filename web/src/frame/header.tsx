import { useState } from "react";
import { formatDate } from "../parts/format-amounts.ts";
import { isFile } from "../parts/is-file.ts";
import { Icon } from "../parts/icon.tsx";
import { type SessionId, visibleLine } from "../../../src/protocol/index.ts";
import { useDashboard } from "../state/dashboard-store.ts";
import { NotifySwitch } from "./notify-switch.tsx";
import { sessionName, sessionStateText } from "./session-name.ts";
import { saveTheme, savedTheme, themes } from "./theme.ts";

interface Props {
  readonly session: SessionId | undefined;
  readonly isReplay: boolean;
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

export function Header({ session, isReplay, onHelp, onPalette }: Props) {
  const listing = useDashboard((state) => state.sessions?.find(({ id }) => id === session));
  return (
    <header className="header">
      <h1>
        <a href="#/" title="All sessions">
          <span className="header-logo">
            <Icon name="logo" />
          </span>
          Troupe
        </a>
      </h1>
      {session && (
        <p className="header-session" title={listing?.firstPrompt && visibleLine(listing.firstPrompt)}>
          <span className="header-name">{sessionName(listing)}</span>
          {listing && (
            <span className="badge" data-state={isReplay ? "replay" : listing.state}>
              {isReplay ? "replay" : isFile() ? formatDate(listing.startedAt) : sessionStateText(listing)}
            </span>
          )}
          {listing?.team !== undefined && <span className="header-team">team {visibleLine(listing.team)}</span>}
        </p>
      )}
      <span className="header-space" />
      <button
        type="button"
        className="header-find"
        aria-label="Go to… Ctrl K"
        title="Go to… (Ctrl+K)"
        onClick={onPalette}
      >
        <Icon name="search" />
        <span className="header-find-words">Go to…</span>
        <kbd>Ctrl K</kbd>
      </button>
      <ConnectionMark />
      <DocsLink />
      <NotifySwitch />
      <ThemeSwitch />
      <button
        type="button"
        className="icon"
        onClick={onHelp}
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
      >
        <Icon name="keys" />
      </button>
    </header>
  );
}

/** The server of the dashboard also serves the documentation. An exported file has none. */
function DocsLink() {
  if (isFile()) return null;
  return (
    <a className="header-docs" href="/docs/index.html" target="_blank" rel="noreferrer">
      <Icon name="book" />
      Docs
    </a>
  );
}

function ConnectionMark() {
  const kind = useDashboard((state) => state.connection.kind);
  if (isFile()) return null;
  const label = { connecting: "connecting", open: "connected", waiting: "reconnecting", refused: "access denied" }[
    kind
  ];
  return (
    <span className="connection" data-kind={kind} title={`The page is ${label}`}>
      <span className="connection-dot" aria-hidden="true" />
      <span className="connection-words">{label}</span>
    </span>
  );
}

const themeIcons = { auto: "auto", light: "sun", dark: "moon" } as const;

function ThemeSwitch() {
  const [theme, setTheme] = useState(savedTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  const change = () => {
    saveTheme(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      className="icon"
      onClick={change}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
    >
      <Icon name={themeIcons[theme]} />
    </button>
  );
}
