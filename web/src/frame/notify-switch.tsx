import { useState } from "react";
import { isFile } from "../parts/is-file.ts";
import { Icon } from "../parts/icon.tsx";
import { isNotifying, setNotifying } from "../state/notifications.ts";

/** Turns desktop notifications of new questions on and off. */
export function NotifySwitch() {
  const [isOn, setOn] = useState(isNotifying);
  if (!("Notification" in globalThis) || isFile()) return null;
  return (
    <button
      type="button"
      className="icon"
      aria-pressed={isOn}
      aria-label="Notify me of new questions"
      title={isOn ? "Notifications of new questions are on" : "Notify me of new questions on the desktop"}
      onClick={() => void setNotifying(!isOn).then(setOn)}
    >
      <Icon name="bell" />
    </button>
  );
}
