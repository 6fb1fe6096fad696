import { useEffect, useRef } from "react";
import { type LandingReport as Report, visibleLine, visibleText } from "../../../../src/protocol/index.ts";

/** The landed branches, and those that were not landed with the reason. */
export function LandingReport({ report, onClose }: { report: Report; onClose: () => void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), [report]);
  const { target, landed, refused, check, notices } = report;
  return (
    <section ref={place} className="landing" tabIndex={-1} aria-labelledby="landing-title">
      <h3 id="landing-title">
        {landed.length === 0
          ? `Nothing was landed on ${visibleLine(target)}`
          : `Landed on ${visibleLine(target)}: ${landed.length === 1 ? "1 branch" : `${landed.length} branches`}`}
      </h3>
      <ul>
        {landed.map(({ branch, commits, resolved }) => (
          <li key={branch} data-outcome="landed">
            <strong>{visibleLine(branch)}</strong> {commits === 1 ? "1 commit" : `${commits} commits`}
            {resolved && ", conflicts resolved"}
          </li>
        ))}
        {refused.map(({ branch, reason, message }) => (
          <li key={branch} data-outcome={reason}>
            <strong>{visibleLine(branch)}</strong> <span className="tag">{reason}</span>
            <pre>{visibleText(message)}</pre>
          </li>
        ))}
      </ul>
      <p className="soft">
        {check === undefined ? (
          "No check is configured: the result was not checked."
        ) : (
          <>
            Checked with <code>{visibleLine(check)}</code>
          </>
        )}
      </p>
      {notices.map((notice, index) => (
        <p key={index}>{visibleText(notice)}</p>
      ))}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </section>
  );
}
