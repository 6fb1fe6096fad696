// `npm run docs:record`: runs the demo and writes docs/images/demo.svg, an animation of its real output.
import "./setup.mjs";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const troupe = fileURLToPath(new URL("../dist/troupe.cjs", import.meta.url));
const target = fileURLToPath(new URL("../docs/images/demo.svg", import.meta.url));
const [columns, rows, lineHeight, charWidth] = [82, 24, 18, 7.8];
/** A longer pause is shortened, so that the recording stays short. */
const longestPause = 0.7;
const colors = { lead: "#7aa2f7", researcher: "#bb9af7", implementer: "#7dcfff", tester: "#e0af68", demo: "#f7768e" };
const signs = { "✓": "#9ece6a", "✗": "#f7768e", "!": "#f7768e", "?": "#e0af68" };

const { lines, code } = await record();
if (code !== 0) throw new Error(`the demo ended with ${code}. Nothing was written.`);
writeFileSync(
  target,
  draw(
    lines.slice(
      0,
      lines.findIndex(({ text }) => text.startsWith("What to try next")),
    ),
  ),
);

/** Runs the demo and returns each line with the second in which it came. */
async function record() {
  const child = spawn(process.execPath, [troupe, "demo"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, COLUMNS: "80", NO_COLOR: "1" },
  });
  const lines = [];
  let rest = "";
  let shown = 0;
  let last = performance.now();
  child.stdout.setEncoding("utf8").on("data", (text) => {
    const now = performance.now();
    shown += Math.min((now - last) / 1000, longestPause);
    last = now;
    const parts = (rest + text).split("\n");
    rest = parts.pop();
    for (const part of parts) lines.push({ at: shown, text: withoutRandomParts(part) });
  });
  const code = await new Promise((done, fail) => child.on("error", fail).on("close", done));
  return { lines, code };
}

/** Folder names and process ids differ in every run and mean nothing to a reader. */
function withoutRandomParts(line) {
  return line.replace(/\/\S*troupe-demo-\w+/g, "/tmp/troupe-demo").replace(/kill -9 \d+/, "kill -9 4711");
}

function draw(lines) {
  const end = lines.at(-1).at + 6;
  const time = (seconds) => (seconds / end).toFixed(4);
  const [width, height] = [Math.ceil(columns * charWidth) + 24, rows * lineHeight + 44];
  const scrolled = lines.map((_, index) => Math.max(0, index + 1 - rows));
  const changes = scrolled.flatMap((by, index) =>
    by > (scrolled[index - 1] ?? 0) ? [{ by, at: lines[index].at }] : [],
  );
  const scroll = discrete("animateTransform", {
    attributes: `attributeName="transform" type="translate"`,
    values: ["0 0", ...changes.map(({ by }) => `0 ${-by * lineHeight}`)],
    times: ["0", ...changes.map(({ at }) => time(at))],
    end,
  });
  const texts = lines.flatMap(({ text, at }, index) => {
    if (text.trim() === "") return [];
    const appear = discrete("animate", {
      attributes: `attributeName="opacity"`,
      values: ["0", "1"],
      times: ["0", time(at)],
      end,
    });
    return `<text y="${(index + 1) * lineHeight - 5}">${paint(text)}${appear}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A recording of troupe demo. Made by npm run docs:record.</title>
<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>
<circle cx="18" cy="16" r="5" fill="#f7768e"/><circle cx="36" cy="16" r="5" fill="#e0af68"/><circle cx="54" cy="16" r="5" fill="#9ece6a"/>
<svg x="12" y="32" width="${width - 24}" height="${rows * lineHeight}" overflow="hidden">
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#c0caf5" transform="translate(0 ${-scrolled.at(-1) * lineHeight})">
${scroll}
${texts.join("\n")}
</g>
</svg>
</svg>
`;
}

/** An animation that jumps from value to value, for ever. */
function discrete(tag, { attributes, values, times, end }) {
  return `<${tag} ${attributes} calcMode="discrete" values="${values.join(";")}" keyTimes="${times.join(";")}" dur="${end.toFixed(1)}s" repeatCount="indefinite"/>`;
}

/** Colours the name of an agent, and the sign behind it. */
function paint(text) {
  const found = /^( {2})(lead|researcher|implementer|tester|demo)( +)(\S)( .*)$/.exec(text);
  if (found === null)
    return span(text, /^ {16}[-+]/.test(text) ? (text.trim().startsWith("+") ? "#9ece6a" : "#f7768e") : undefined);
  const [, start, name, gap, sign, rest] = found;
  return `${span(start)}${span(name, colors[name])}${span(gap)}${span(sign, signs[sign])}${span(rest)}`;
}

/** Spaces become hard spaces: browsers join the others. */
function span(text, color) {
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
  return color === undefined ? safe : `<tspan fill="${color}">${safe}</tspan>`;
}
