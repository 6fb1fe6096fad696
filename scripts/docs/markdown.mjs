// Writes Markdown for the generated pages.

/** A table with aligned columns. A cell is one line. */
export function table(head, rows) {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll(/\s+/g, " ").replaceAll("|", "\\|")));
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(" | ")} |`;
  const [first, ...rest] = cells;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("\n");
}

export const code = (text) => `\`${text}\``;

export const fenced = (language, text) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** A generated page: its title, a note on its source, and its parts. */
export function page(title, { from, intro, parts }) {
  const note = `<!-- Generated from ${from} by \`npm run docs:generate\`. Do not edit. -->`;
  return `${[`# ${title}`, note, intro, ...parts].join("\n\n")}\n`;
}

/** Adds a full stop and starts with a capital letter. */
export function sentence(text) {
  const end = /[.!?:]$/.test(text) ? "" : ".";
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}
