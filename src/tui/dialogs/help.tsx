import type { ReactNode } from "react";
import { visibleLine } from "../../view/index.ts";
import { useSize } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { keyHelp } from "../key-table.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { slashListings } from "../slash-commands.ts";
import { span } from "../terminal/terminal-lines.ts";
import { widthOf } from "../terminal/terminal-width.ts";

/** Lists every command and key, from the same tables that handle them. */
export function Help({ facts }: { readonly facts: Pick<FrontendFacts, "slashCommands"> }): ReactNode {
  const { columns } = useSize();
  const listings = slashListings(facts);
  const pad = padding(
    listings.map(({ name, argumentHint = "" }) => widthOf(visibleLine(`/${name} ${argumentHint}`.trim()))),
    columns,
  );
  const commands = listings.map(({ name, argumentHint = "", description }): ListRow => {
    const hint = argumentHint === "" ? "" : ` ${visibleLine(argumentHint)}`;
    return {
      id: `/${name}`,
      title: [
        span(`/${visibleLine(name)}`, { role: "accent" }),
        span(hint, { dim: true }),
        span(`${pad(`/${visibleLine(name)}${hint}`)}  ${visibleLine(description)}`),
      ],
    };
  });
  const keys = keyHelp().flatMap(({ title, keys }): ListRow[] => {
    const padKeys = padding(
      keys.map(({ keys: names }) => widthOf(names)),
      columns,
    );
    return [
      { id: title, title: [span(title)], isHeading: true },
      ...keys.map(({ keys: names, does }) => ({
        id: `${title} ${names}`,
        title: [span(names, { role: "accent" }), span(`${padKeys(names)}  ${does}`)],
      })),
    ];
  });
  const rows: ListRow[] = [
    { id: "intro", title: [span("Describe what you want done. @ inserts a file, / a command.")] },
    { id: "commands", title: [span("Commands")], isHeading: true },
    ...commands,
    ...keys,
  ];
  return <ListDialog title="Help" rows={rows} empty="" />;
}

/** Pads text to a common column, if the screen is wide enough. */
function padding(widths: readonly number[], columns: number): (text: string) => string {
  const widest = columns < 70 ? 0 : Math.min(34, Math.max(0, ...widths));
  return (text) => " ".repeat(Math.max(0, widest - widthOf(text)));
}
