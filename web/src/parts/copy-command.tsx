import { useState } from "react";

/** A command with a button that copies it. */
export function CopyCommand({ command }: { command: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(command);
    setCopied(true);
  };
  return (
    <p className="copy-command">
      <code>{command}</code>
      <button type="button" aria-label={`Copy: ${command}`} onClick={() => void copy()}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </p>
  );
}
