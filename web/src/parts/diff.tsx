import { memo } from "react";
import { visibleText } from "../../../src/protocol/index.ts";
import type { DiffRow } from "./diff-rows.ts";
import "./diff.css";

/** Lines of a change with numbers and signs. The colours only repeat the signs. */
export const Diff = memo(function Diff({ rows, label }: { rows: readonly DiffRow[]; label: string }) {
  const hasNumbers = rows.some(({ number }) => number !== undefined);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="diff" tabIndex={0} role="group" aria-label={label}>
      {rows.map((row, index) => (
        <div key={index} className="diff-row" data-kind={row.kind}>
          {hasNumbers && <span className="diff-number">{row.number}</span>}
          <span className="diff-sign">{signs[row.kind]}</span>
          <span className="diff-text">
            <RowText row={row} />
          </span>
        </div>
      ))}
    </div>
  );
});

const signs: Readonly<Record<DiffRow["kind"], string>> = { added: "+", removed: "-", same: " ", gap: " ", note: " " };

function RowText({ row: { text, changed } }: { row: DiffRow }) {
  if (!changed || changed[0] === changed[1]) return exact(text);
  return (
    <>
      {exact(text.slice(0, changed[0]))}
      <mark>{exact(text.slice(changed[0], changed[1]))}</mark>
      {exact(text.slice(changed[1]))}
    </>
  );
}

/** Shows every character, including line ends. */
const exact = (text: string): string => visibleText(text.replaceAll("\r", "\u240d"));
