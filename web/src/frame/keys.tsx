import { useEffect, useRef, useState } from "react";
import { hrefOf, type ViewName } from "../route.ts";
import { useNavigation } from "../state/navigation.ts";
import { useRoster } from "../state/roster.ts";
import { viewTitles } from "./tabs.tsx";
import type { SessionId } from "../../../src/protocol/index.ts";

/** Second keys after `g`. */
const goKeys: Readonly<Record<string, ViewName>> = {
  t: "team",
  l: "timeline",
  s: "transcript",
  k: "tasks",
  m: "mail",
  a: "approvals",
  c: "cost",
  w: "worktrees",
};

/** Time limit for the key after `g`. */
const pairMs = 1_200;

/** Keys that work on the whole page, except in text fields. */
export function useKeys() {
  const { route, go } = useNavigation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const pressed = useRef<number>(Number.NEGATIVE_INFINITY);
  const session = route.kind === "session" ? route.session : undefined;
  const roster = useRoster(session ?? ("" as SessionId));
  const latest = useRef({ route, roster, session, go });
  latest.current = { route, roster, session, go };

  useEffect(() => {
    const step = (by: number) => {
      const { route, roster, session, go } = latest.current;
      const agents = roster.flatMap(({ agent }) => (agent ? [agent.id] : []));
      if (!session || route.kind !== "session" || agents.length === 0) return;
      const at = Math.max(0, route.agent === undefined ? 0 : agents.indexOf(route.agent));
      const agent = agents[(at + by + agents.length) % agents.length];
      if (agent) go(hrefOf(session, "transcript", { agent, isReplay: route.isReplay }));
    };
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return setPaletteOpen((isOpen) => !isOpen);
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      const { route, session, go } = latest.current;
      const isReplay = route.kind === "session" && route.isReplay;
      const isPair = performance.now() - pressed.current < pairMs;
      pressed.current = Number.NEGATIVE_INFINITY;
      if (isPair) {
        const view = goKeys[event.key];
        if (event.key === "h") go("#/");
        else if (view && session) go(hrefOf(session, view, { isReplay }));
        else if (event.key === "r" && route.kind === "session")
          go(hrefOf(route.session, route.view, { agent: route.agent, isReplay: !isReplay }));
        else return;
      } else if (event.key === "g") pressed.current = performance.now();
      else if (event.key === "?") setHelpOpen((isOpen) => !isOpen);
      else if (event.key === "]") step(1);
      else if (event.key === "[") step(-1);
      else if (event.key === "/") {
        const composer = document.querySelector<HTMLElement>("[data-composer]");
        if (!composer) return;
        composer.focus();
      } else if (event.key === "f") {
        const find = document.querySelector<HTMLElement>("[data-find]");
        if (!find) return;
        // If the search is open, focus it.
        const field = document.querySelector<HTMLElement>("search input");
        if (field) field.focus();
        else find.click();
      } else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return {
    isHelpOpen,
    openHelp: () => setHelpOpen(true),
    closeHelp: () => setHelpOpen(false),
    isPaletteOpen,
    openPalette: () => setPaletteOpen(true),
    closePalette: () => setPaletteOpen(false),
  };
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=range]), textarea, select"));

export function KeyHelp({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="key-help" aria-labelledby="key-help-title" onClose={onClose} onClick={closeOutside}>
      <h2 id="key-help-title">Keys</h2>
      <dl>
        {rows.map(([keys, words]) => (
          <div key={words}>
            <dt>
              {keys.split(" ").map((key, index) => (
                <kbd key={index}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" className="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}

const rows: readonly (readonly [string, string])[] = [
  ["Ctrl K", "Go to a session, agent, task or view"],
  ["?", "Show these keys"],
  ["g h", "All sessions"],
  ...Object.entries(goKeys).map(([key, view]) => [`g ${key}`, viewTitles[view]] as const),
  ["g r", "Open or leave the replay"],
  ["[", "Transcript of the previous agent"],
  ["]", "Transcript of the next agent"],
  ["/", "Write to the displayed agent"],
  ["f", "Find in the displayed transcript; Enter for the next match, Shift+Enter for the previous"],
  ["j k", "Choose the next or previous question"],
  ["y n", "Allow the chosen question once, or deny it"],
  ["a a", "Allow the chosen question always"],
  ["Esc", "Close a dialog or leave a field"],
];

function closeOutside(event: React.MouseEvent<HTMLDialogElement>) {
  if (event.target === event.currentTarget) event.currentTarget.close();
}
