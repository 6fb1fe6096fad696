// Draws the diagrams of the docs as SVG, so that every viewer shows them without a library.

const font = `font-family="system-ui, sans-serif" font-size="13"`;
const [ink, line, box] = ["#1f2937", "#64748b", "#eef2ff"];

/** Actors in columns and messages between them, from the top. `back` draws a dashed answer. */
export function sequence(title, { actors, messages }) {
  const [gap, step] = [190, 44];
  const [width, height] = [actors.length * gap, messages.length * step + 100];
  const x = (name) => actors.indexOf(name) * gap + gap / 2;
  const columns = actors.map(
    (name) =>
      `${label(x(name), 34, { text: name, width: 150 })}<path d="M${x(name)} 52V${height - 16}" stroke="${line}" stroke-dasharray="2 4"/>`,
  );
  const arrows = messages.map(({ from, to, text, back }, index) => {
    const y = 92 + index * step;
    const [a, b] = [x(from), x(to)];
    if (from === to)
      return `${words(a + 8, y - 4, text, "start")}<circle cx="${a}" cy="${y - 8}" r="4" fill="${ink}"/>`;
    return `${words((a + b) / 2, y - 8, text)}${arrow(`M${a} ${y}H${b + (b > a ? -2 : 2)}`, back)}`;
  });
  return svg(title, { width, height, parts: [...columns, ...arrows] });
}

/** Boxes at places of a grid and named arrows between them. An arrow has its own path, in pixels. */
export function graph(title, { width, height, boxes, arrows }) {
  const drawn = arrows.map(
    ({ path, text, at, back }) => `${arrow(path, back)}${text ? words(at[0], at[1], text) : ""}`,
  );
  return svg(title, { width, height, parts: [...drawn, ...boxes.map(({ at, ...one }) => label(at[0], at[1], one))] });
}

/** Boxes on top of each other, each with a note. */
export function stack(title, layers) {
  const parts = layers.map(
    ([name, note], index) =>
      `<rect x="16" y="${16 + index * 46}" width="648" height="38" rx="6" fill="${box}" stroke="${line}"/><text x="32" y="${40 + index * 46}" font-weight="600">${safe(name)}</text><text x="250" y="${40 + index * 46}">${safe(note)}</text>`,
  );
  return svg(title, { width: 680, height: layers.length * 46 + 24, parts });
}

function svg(title, { width, height, parts }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" fill="${ink}" ${font}>
<title>${safe(title)}</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="${line}"/></marker></defs>
<rect width="100%" height="100%" rx="8" fill="#ffffff"/>
${parts.join("\n")}
</svg>
`;
}

const label = (x, y, { text, width = 120 }) =>
  `<rect x="${x - width / 2}" y="${y - 18}" width="${width}" height="36" rx="6" fill="${box}" stroke="${line}"/>${words(x, y + 5, text)}`;

const arrow = (path, isDashed) =>
  `<path d="${path}" fill="none" stroke="${line}" stroke-width="1.5" marker-end="url(#tip)"${isDashed ? ` stroke-dasharray="5 4"` : ""}/>`;

const words = (x, y, text, anchor = "middle") => `<text x="${x}" y="${y}" text-anchor="${anchor}">${safe(text)}</text>`;

const safe = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
