import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { emptyView } from "../../../../src/view/index.ts";
import { Icon } from "../../parts/icon.tsx";
import { useDashboard } from "../../state/dashboard-store.ts";
import { useNavigation } from "../../state/navigation.ts";
import { useRoster } from "../../state/roster.ts";
import { saveTheme, savedTheme, themes } from "../theme.ts";
import { findItems, type PaletteItem, paletteItems } from "./palette-items.ts";
import "./palette.css";

interface Props {
  readonly session: SessionId | undefined;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Finds any session, agent, task or view by a few letters, and opens it. */
export function Palette({ session, onClose, onHelp }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { go } = useNavigation();
  const sessions = useDashboard((state) => state.sessions);
  const lists = useDashboard((state) => (session ? state.views.get(session)?.tasks : undefined) ?? emptyView.tasks);
  const roster = useRoster(session ?? ("" as SessionId));
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState(0);
  const items = useMemo(
    () => [
      ...paletteItems({ session, sessions: sessions ?? [], roster, tasks: [...lists.values()].flat() }),
      ...actions(onHelp),
    ],
    [session, sessions, roster, lists, onHelp],
  );
  const shown = useMemo(() => findItems(items, wanted), [items, wanted]);
  const current = Math.min(chosen, shown.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    dialog.current?.querySelector(`#${optionId(current)}`)?.scrollIntoView({ block: "nearest" });
  }, [current]);

  const open = (item: PaletteItem | undefined) => {
    if (!item) return;
    dialog.current?.close();
    if (typeof item.target === "string") go(item.target);
    else item.target();
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && shown.length > 0) setChosen((current + by + shown.length) % shown.length);
    else if (event.key === "Enter") open(shown[current]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Go to"
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div className="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Find"
          aria-expanded
          aria-controls="palette-list"
          aria-activedescendant={shown.length > 0 ? optionId(current) : undefined}
          placeholder="Session, agent, task, view…"
          value={wanted}
          onChange={(event) => {
            setWanted(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
        />
        <kbd>Esc</kbd>
      </div>
      <ul id="palette-list" role="listbox" aria-label="Found">
        {shown.map((item, index) => (
          // The field has the focus and its own keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={item.id}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => open(item)}
            onPointerMove={() => setChosen(index)}
          >
            <Icon name={item.icon} />
            <span className="palette-text">{item.text}</span>
            <span className="palette-detail">{item.detail}</span>
            <span className="palette-group">{item.group}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="palette-none soft">Nothing has these words.</p>}
    </dialog>
  );
}

const optionId = (index: number): string => `palette-${index}`;

function actions(onHelp: () => void): readonly PaletteItem[] {
  const theme = themes[(themes.indexOf(savedTheme()) + 1) % themes.length] ?? "auto";
  const action = { group: "Action", detail: "" } as const;
  return [
    { ...action, id: "home", icon: "logo", text: "All sessions", target: "#/" },
    { ...action, id: "theme", icon: "auto", text: `Theme: ${theme}`, target: () => saveTheme(theme) },
    { ...action, id: "keys", icon: "keys", text: "Keyboard shortcuts", target: onHelp },
  ];
}
