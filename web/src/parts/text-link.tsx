import type { ReactNode } from "react";
import { visibleLine } from "../../../src/protocol/index.ts";

interface Props {
  readonly href: string;
  /** The link text. */
  readonly said: string;
  readonly children?: ReactNode;
}

/** A link in an agent's text. Its full target is shown beside it, and only web addresses are linked. */
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
