// Searches the pages in the browser. The index is in `pages.js`, so that it also works from disk.
const pages = globalThis.troupeDocs;
const input = document.querySelector("#search");
const results = document.querySelector("#results");
const root = document.body.dataset.root;

input.addEventListener("input", () => {
  const words = input.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1);
  results.replaceChildren(...(words.length === 0 ? [] : find(words).map(row)));
});

/** The pages that contain every word. A word in the title counts more. */
function find(words) {
  const found = pages.flatMap((page) => {
    const [title, text] = [page.title.toLowerCase(), page.text.toLowerCase()];
    if (!words.every((word) => title.includes(word) || text.includes(word))) return [];
    const score = words.reduce(
      (sum, word) => sum + (title.includes(word) ? 50 : 0) + Math.min(text.split(word).length, 20),
      0,
    );
    // Pages for contributors come last.
    const weight = /^(?:internals|decisions)\//.test(page.path) ? 0.2 : 1;
    return [{ ...page, score: score * weight, at: text.indexOf(words[0]) }];
  });
  return found.sort((a, b) => b.score - a.score).slice(0, 12);
}

function row({ path, title, text, at }) {
  const link = document.createElement("a");
  link.href = root + path;
  const part = document.createElement("small");
  part.textContent = at < 0 ? "" : `…${text.slice(Math.max(0, at - 30), at + 60)}…`;
  link.append(title, part);
  const item = document.createElement("li");
  item.append(link);
  return item;
}
