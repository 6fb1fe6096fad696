// Compares two recordings, and says in words where they differ.

/** Numbers that follow from the length of texts. */
const lengths =
  /^(inputTokens|outputTokens|cacheReadTokens|cacheWriteTokens|contextTokens|costUsd|.*_tokens|.*Tokens|total_cost_usd|tokens|usd|size|bytes)$/;

/** Text is what has a space or a line break in it: event types, outcomes, codes, names and ids have none. */
export function withoutText(value, key = "") {
  if (typeof value === "string") return /\s/.test(value) ? "<text>" : value;
  if (typeof value === "number" && lengths.test(key)) return "<length>";
  if (Array.isArray(value)) return value.map((entry) => withoutText(entry));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutText(entry, name)]));
}

/** The first differences, each with its place and both sides. */
export function differences(before, after, { most = 6, at = "", found = [] } = {}) {
  if (found.length >= most || Object.is(before, after)) return found;
  const bothLists = Array.isArray(before) && Array.isArray(after);
  const bothObjects = isObject(before) && isObject(after);
  if (!bothLists && !bothObjects) {
    found.push({ at, before, after });
    return found;
  }
  const keys = bothLists
    ? Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index)
    : [...new Set([...Object.keys(before), ...Object.keys(after)])];
  for (const key of keys) {
    if (found.length >= most) break;
    const place = bothLists ? `${at}[${labelOf(before[key] ?? after[key], key)}]` : `${at}${at && "."}${key}`;
    differences(before[key], after[key], { most, at: place, found });
  }
  if (bothObjects && found.length < most && Object.keys(before).join() !== Object.keys(after).join())
    if (
      JSON.stringify(before) !== JSON.stringify(after) &&
      keys.length === Object.keys(before).length &&
      keys.length === Object.keys(after).length
    )
      found.push({
        at: `${at} (order of fields)`,
        before: Object.keys(before).join(", "),
        after: Object.keys(after).join(", "),
      });
  return found;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function labelOf(entry, index) {
  const name = entry?.event?.type ?? entry?.path ?? entry?.agent ?? entry?.actor;
  return name === undefined ? index : `${index} ${entry?.about ?? name}`;
}

export function show({ at, before, after }) {
  const [a, b] = [text(before), text(after)];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const from = Math.max(0, start - 40);
  const cut = (whole) =>
    `${from > 0 ? "…" : ""}${whole.slice(from, from + 200)}${whole.length > from + 200 ? "…" : ""}`;
  return `  ${at}\n    - ${cut(a)}\n    + ${cut(b)}`;
}

const text = (value) => (value === undefined ? "(not there)" : JSON.stringify(value));
