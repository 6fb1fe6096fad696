// Compares two recordings and describes the differences.

/** Numbers that depend on the length of texts. */
const lengths = /(_tokens|Tokens|costUsd|total_cost_usd)$/;

/** Human-readable text contains white space. Event types, outcomes, codes, names and ids contain none. */
const isText = (value) => typeof value === "string" && /\s/.test(value.replaceAll(/<[a-z]+ \d+>/g, "<id>"));

/** Masks text. A list of lines counts as one text, since rewording changes the number of lines. */
export function withoutText(value, key = "") {
  if (isText(value)) return "<text>";
  if (typeof value === "number" && lengths.test(key)) return "<length>";
  if (Array.isArray(value)) return value.some(isText) ? "<text>" : value.map((entry) => withoutText(entry));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutText(entry, name)]));
}

/** Finds the first differences, each with its path and both values. */
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
  if (
    bothObjects &&
    sameKeys(before, after) &&
    Object.keys(before).join() !== Object.keys(after).join() &&
    found.length < most
  )
    found.push({ at: `${at} (order of fields)`, before: Object.keys(before).join(), after: Object.keys(after).join() });
  return found;
}

const sameKeys = (one, other) => Object.keys(one).toSorted().join() === Object.keys(other).toSorted().join();
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function labelOf(entry, index) {
  const name = entry?.event?.type ?? entry?.path ?? entry?.agent ?? entry?.actor;
  return name === undefined ? index : `${index} ${entry?.about ?? name}`;
}

export function show({ at, before, after }) {
  const [a, b] = [text(before), text(after)];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const oneSided = before === undefined || after === undefined;
  const from = oneSided ? 0 : Math.max(0, start - 40);
  const most = oneSided ? 600 : 200;
  const cut = (whole) =>
    `${from > 0 ? "…" : ""}${whole.slice(from, from + most)}${whole.length > from + most ? "…" : ""}`;
  return `  ${at}\n    - ${cut(a)}\n    + ${cut(b)}`;
}

const text = (value) => (value === undefined ? "(not there)" : JSON.stringify(value));
