import type { ReactNode } from "react";
import { visibleLine } from "../../../src/protocol/index.ts";

interface Props {
  readonly href: string;
  /** What it says, as text. */
  readonly said: string;
  readonly children?: ReactNode;
}

/** A link in what an agent wrote: where it leads stands beside it in full, and only the web can be led to. */
export function TextLink({ href, said, children }: Props) {
  const address = visibleLine(href);
  const isAddress = said === "" || said === href;
  if (!/^https?:\/\/[^/]/i.test(href) || address !== href) {
    return (
      <>
        {isAddress ? null : children} <span className="md-address">({address})</span>
      </>
    );
  }
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {isAddress ? address : children}
      {!isAddress && ` (${address})`}
    </a>
  );
}
