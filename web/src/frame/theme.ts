export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "troupe.theme";

/** The theme chosen in this browser; `auto` follows the system. */
export function savedTheme(): Theme {
  try {
    const saved = localStorage.getItem(key);
    return themes.find((theme) => theme === saved) ?? "auto";
  } catch {
    return "auto"; // the browser stores no data for pages
  }
}

export function saveTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(key, theme);
  } catch {
    // The choice lasts until the page is closed.
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
