import { type RefObject, useEffect, useState } from "react";

/** The theme colours for a canvas, by the names of their custom properties; updated when the theme changes. */
export function useColors<N extends string>(
  within: RefObject<HTMLElement | null>,
  names: readonly N[],
): Readonly<Record<N, string>> | undefined {
  const [colors, setColors] = useState<Readonly<Record<N, string>> | undefined>(undefined);
  useEffect(() => {
    const read = () => {
      const probe = document.createElement("span");
      within.current?.append(probe);
      const entries = names.map((name) => {
        probe.style.color = `var(${name})`;
        return [name, getComputedStyle(probe).color] as const;
      });
      probe.remove();
      setColors(Object.fromEntries(entries) as Record<N, string>);
    };
    read();
    const theme = new MutationObserver(read);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", read);
    return () => {
      theme.disconnect();
      system.removeEventListener("change", read);
    };
  }, [within, names]);
  return colors;
}
