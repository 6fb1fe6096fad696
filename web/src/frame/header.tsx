import { useState } from "react";
import { type SessionId, visibleLine } from "../../../src/protocol/index.ts";
import { useDashboard } from "../state/dashboard-store.ts";
import { NotifySwitch } from "./notify-switch.tsx";
import { sessionName, sessionStateText } from "./session-name.ts";
import { saveTheme, savedTheme, themes } from "./theme.ts";

export function Header({ session, onHelp }: { session: SessionId | undefined; onHelp: () => void }) {
  const listing = useDashboard((state) => state.sessions?.find(({ id }) => id === session));
  return (
    <header className="header">
      <h1>
        <a href="#/" title="All sessions">
          Troupe
        </a>
      </h1>
      {session && (
        <p className="header-session" title={listing?.firstPrompt && visibleLine(listing.firstPrompt)}>
          <span className="header-name">{sessionName(listing)}</span>
          {listing && (
            <span className="badge" data-state={listing.state}>
              {sessionStateText(listing)}
            </span>
          )}
          {listing?.team !== undefined && <span className="header-team">team {visibleLine(listing.team)}</span>}
        </p>
      )}
      <span className="header-space" />
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
        ?
      </button>
    </header>
  );
}

/** The server of the dashboard also serves the documentation. An exported file has none. */
function DocsLink() {
  if (location.protocol === "file:") return null;
  return (
    <a className="header-docs" href="/docs/index.html" target="_blank" rel="noreferrer">
      Docs
    </a>
  );
}

function ConnectionMark() {
  const kind = useDashboard((state) => state.connection.kind);
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

const themeMarks = { auto: "◐", light: "☀", dark: "☾" } as const;

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
      {themeMarks[theme]}
    </button>
  );
}
