import { type MouseEvent, useState } from "react";

interface Props {
  readonly label: string;
  /** The label after the first press, until the button is pressed again or loses focus. */
  readonly confirm: string;
  readonly onConfirm: () => void;
  readonly title?: string;
}

/** For actions that cannot be undone: the first press asks, the second acts. A double click only asks. */
export function ConfirmButton({ label, confirm, onConfirm, title }: Props) {
  const [isAsking, setAsking] = useState(false);
  const press = ({ detail: clicks }: MouseEvent) => {
    if (isAsking && clicks > 1) return;
    setAsking(!isAsking);
    if (isAsking) onConfirm();
  };
  return (
    <button
      type="button"
      className={isAsking ? "danger" : undefined}
      title={title}
      onClick={press}
      onBlur={() => setAsking(false)}
    >
      {isAsking ? confirm : label}
    </button>
  );
}
