/** Decodes `&lt;` and other entities. The result may contain any character: apply `visibleText` afterwards. */
export function decodeHtmlEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return named[name] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  rarr: "→",
  larr: "←",
  times: "×",
};
