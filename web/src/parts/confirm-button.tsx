import { useEffect, useState } from "react";

interface Props {
  readonly label: string;
  /** What it says once it was pressed, until it is pressed again or left. */
  readonly confirm: string;
  readonly onConfirm: () => void;
  readonly title?: string;
}

/** For what cannot be taken back: the first press asks, the second does it. */
export function ConfirmButton({ label, confirm, onConfirm, title }: Props) {
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isAsking) return;
    const timer = setTimeout(() => setAsking(false), 5_000);
    return () => clearTimeout(timer);
  }, [isAsking]);
  const press = () => {
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
