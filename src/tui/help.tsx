import type { ReactNode } from "react";
import { visibleLine } from "../view/index.ts";
import type { FaceFacts } from "./face-facts.ts";
import { keyHelp } from "./key-table.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { slashListings } from "./slash.ts";
import { span } from "./terminal-lines.ts";

/** Every command and every key, from the lists by which they work. */
export function Help({ facts }: { readonly facts: Pick<FaceFacts, "slashCommands"> }): ReactNode {
  const commands = slashListings(facts).map(
    ({ name, argumentHint, description }): ListRow => ({
      id: `/${name}`,
      title: [
        span(`/${visibleLine(name)}`, { role: "accent" }),
        span(argumentHint === undefined ? "" : ` ${visibleLine(argumentHint)}`, { dim: true }),
        span(`  ${visibleLine(description)}`),
      ],
    }),
  );
  const keys = keyHelp().flatMap(({ title, keys }): ListRow[] => [
    { id: title, title: [span(title)], isHeading: true },
    ...keys.map(({ keys, does }) => ({
      id: `${title} ${keys}`,
      title: [span(keys, { role: "accent" }), span(`  ${does}`)],
    })),
  ]);
  const rows: ListRow[] = [
    { id: "intro", title: [span("Say what you want done. @ names a file, / a command.")] },
    { id: "commands", title: [span("Commands")], isHeading: true },
    ...commands,
    ...keys,
  ];
  return <ListDialog title="Help" rows={rows} empty="" />;
}
