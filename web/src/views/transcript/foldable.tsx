import { createContext, type ReactNode, useContext } from "react";

/** The parts folded or unfolded by the user, kept while rows scroll out of view. */
export interface Unfolded {
  readonly unfolded: ReadonlyMap<string, boolean>;
  unfold(key: string, isOpen: boolean): void;
  /** Everything that the user did not fold is open. */
  readonly isAll: boolean;
}

export const UnfoldedContext = createContext<Unfolded>({ unfolded: new Map(), unfold: () => undefined, isAll: false });

interface Props {
  readonly foldKey: string;
  readonly isOpenAtFirst: boolean;
  readonly summary: ReactNode;
  /** Rendered only when shown. */
  readonly children: () => ReactNode;
}

export function Foldable({ foldKey, isOpenAtFirst, summary, children }: Props) {
  const { unfolded, unfold, isAll } = useContext(UnfoldedContext);
  const isOpen = unfolded.get(foldKey) ?? (isAll || isOpenAtFirst);
  return (
    <div className="foldable" data-open={isOpen}>
      <button
        type="button"
        className="foldable-summary"
        aria-expanded={isOpen}
        onClick={() => unfold(foldKey, !isOpen)}
      >
        <span className="foldable-mark" aria-hidden="true">
          {isOpen ? "▾" : "▸"}
        </span>
        {summary}
      </button>
      {isOpen && <div className="foldable-body">{children()}</div>}
    </div>
  );
}
