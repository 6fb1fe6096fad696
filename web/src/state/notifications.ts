const key = "troupe-notify";

/** True if the user wants desktop notifications and the browser allows them. */
export const isNotifying = (): boolean =>
  "Notification" in globalThis && Notification.permission === "granted" && localStorage.getItem(key) === "on";

/** Turns notifications on, after the browser's own question, or off. Returns the new state. */
export async function setNotifying(isOn: boolean): Promise<boolean> {
  if (isOn && "Notification" in globalThis) await Notification.requestPermission();
  localStorage.setItem(key, isOn ? "on" : "off");
  return isNotifying();
}

/** Shows a notification if the page is hidden. Tabs with the same tag show it once. */
export function notify(text: string, { tag, href }: { readonly tag: string; readonly href: string }): void {
  if (!isNotifying() || document.visibilityState === "visible") return;
  const shown = new Notification("Troupe", { body: text, tag });
  shown.addEventListener("click", () => {
    focus();
    location.hash = href;
    shown.close();
  });
}
