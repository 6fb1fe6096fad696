// Builds the docs as a site: plain HTML, one style sheet, and a search that needs no server.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";

const root = fileURLToPath(new URL("../..", import.meta.url));
const site = fileURLToPath(new URL("site", import.meta.url));
/** The groups of the navigation: a folder, or only its index. */
const sections = [
  ["tutorial", "Tutorial"],
  ["how-to", "How-to"],
  ["reference", "Reference"],
  ["explanation", "Explanation"],
  ["internals/index.html", "Internals"],
  ["decisions/index.html", "Decisions"],
];

/** Writes the site into a folder. What was in the folder before is removed. */
export function buildSite(target) {
  const pages = readPages();
  rmSync(target, { recursive: true, force: true });
  for (const page of pages) {
    const file = join(target, page.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, htmlOf(page, pages));
  }
  cpSync(join(root, "docs/images"), join(target, "images"), { recursive: true });
  for (const name of ["site.css", "search.js"]) copyFileSync(join(site, name), join(target, name));
  const index = pages.map(({ path, title, text }) => ({ path, title, text: plain(text) }));
  writeFileSync(join(target, "pages.js"), `globalThis.troupeDocs = ${JSON.stringify(index)};\n`);
}

/** All pages of `docs`, with the glossary. `README.md` of a folder is its index. */
function readPages() {
  const names = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".md")).map((name) => [`docs/${name}`, name]);
  return [...files, ["GLOSSARY.md", "reference/glossary.md"]]
    .map(([source, name]) => {
      const text = readFileSync(join(root, source), "utf8").replaceAll(/<!--[^]*?-->\n*/g, "");
      const path = name
        .replaceAll("\\", "/")
        .replace(/README\.md$/, "index.md")
        .replace(/\.md$/, ".html");
      return { source: source.replaceAll("\\", "/"), path, text, title: /^# (.*)$/m.exec(text)?.[1] ?? name };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function htmlOf(page, pages) {
  const up = "../".repeat(page.path.split("/").length - 1);
  const bodyHtml = markdownOf(page, pages).parse(page.text, { async: false });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(page.title)} · Troupe</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}site.css">
</head>
<body data-root="${up}">
<nav aria-label="Pages">
<p><a href="${up}index.html"><strong>Troupe</strong></a></p>
<input id="search" type="search" placeholder="Search" aria-label="Search the docs">
<ul id="results"></ul>
${sections
  .map(([folder, name]) =>
    group(
      { name, up, page },
      pages.filter(({ path }) => path.startsWith(folder)),
    ),
  )
  .join("\n")}
</nav>
<main>
${bodyHtml}
</main>
<script src="${up}pages.js"></script>
<script src="${up}search.js"></script>
</body>
</html>
`;
}

function group({ name, up, page }, pages) {
  const rows = pages.map(
    ({ path, title }) =>
      `<li><a href="${up}${path}"${path === page.path ? ` aria-current="page"` : ""}>${escape(title)}</a></li>`,
  );
  return `<h2>${name}</h2>\n<ul>\n${rows.join("\n")}\n</ul>`;
}

/** Markdown with headings that have ids, links between pages, and no HTML of the source. */
function markdownOf(page, pages) {
  const marked = new Marked();
  marked.use({
    renderer: {
      html: ({ text }) => escape(text),
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = linkTo(href, page, pages);
        return target === undefined ? inner : `<a href="${escape(target)}">${inner}</a>`;
      },
    },
    hooks: {
      postprocess: (html) =>
        html.replaceAll("<table>", `<div class="table"><table>`).replaceAll("</table>", "</table></div>"),
    },
  });
  return marked;
}

/** The address of a link on this page. A file that is not part of the site has none. */
function linkTo(href, page, pages) {
  if (/^[a-z]+:/.test(href) || href.startsWith("#")) return href;
  const [file, anchor] = href.split("#");
  const source = posix.join(posix.dirname(page.source), file);
  const found = pages.find((each) => each.source === source);
  if (found === undefined) return undefined;
  const path = posix.relative(posix.dirname(page.path), found.path);
  return anchor === undefined ? path : `${path}#${anchor}`;
}

/** The id of a heading, as GitHub makes it. */
const slug = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");

const plain = (text) => text.replaceAll(/\]\([^)]*\)|[`*|#[\]]|-{3,}/g, " ").replaceAll(/\s+/g, " ");

const escape = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
