import { secretPrefixes, secretShapes } from "./secret-shapes.ts";

/**
 * Replaces keys, tokens, passwords in addresses and private keys by a mark that names their kind. Pure and idempotent.
 * `known` lists secrets that have no typical form.
 */
export function redactSecrets(text: string, known: readonly string[] = []): string {
  const found = secretsIn(text, known);
  if (found.length === 0) return text;
  let redacted = "";
  let from = 0;
  for (const { start, end, kind } of found) {
    redacted += `${text.slice(from, start)}${redactionMark(kind)}`;
    from = end;
  }
  return redacted + text.slice(from);
}

const redactionMark = (kind: string): string => `[redacted: ${kind}]`;

/** Returns the marks of `redactSecrets` in a text. Writing them to a file would overwrite the original secrets. */
export const redactionMarksIn = (text: string): string[] => [
  ...new Set(text.match(/\[redacted: [a-z]+(?: [a-z]+)*\]/g) ?? []),
];

interface Found {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/**
 * Returns the secrets in order, without overlaps. Searches for typical beginnings first, which is cheap: most text
 * contains no secret.
 */
function secretsIn(text: string, known: readonly string[]): Found[] {
  const found = knownIn(text, known);
  for (const beginning of secretPrefixes) {
    const scan = new RegExp(beginning, "g");
    for (let hit = scan.exec(text); hit; hit = scan.exec(text)) {
      const secret = secretAt(text, hit.index);
      if (!secret) continue;
      found.push(secret);
      scan.lastIndex = Math.max(secret.end, hit.index + 1);
    }
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let last = 0;
  return found.filter(({ start, end }) => {
    if (start < last) return false;
    last = end;
    return true;
  });
}

function knownIn(text: string, known: readonly string[]): Found[] {
  const found: Found[] = [];
  for (const secret of known) {
    // A short secret, or a common word used as a placeholder key, would match ordinary text.
    if (secret.length < 16 && !/^(?=.*\d)(?=.*[A-Za-z]).{8,}$/.test(secret)) continue;
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) {
      found.push({ start: at, end: at + secret.length, kind: "model key" });
    }
  }
  return found;
}

function secretAt(text: string, at: number): Found | undefined {
  for (const { kind, shape, plausible } of secretShapes.get(text[at] ?? "") ?? []) {
    shape.lastIndex = at;
    const match = shape.exec(text);
    if (!match?.indices) continue;
    const [start, end] = match.indices[1] ?? [at, at + match[0].length];
    if (!plausible || plausible(text.slice(start, end), match)) return { start, end, kind };
  }
  return text.startsWith("-----BEGIN", at) ? privateKeyAt(text, at) : undefined;
}

/** Extends to the end mark, or over all following lines that can only belong to the key. */
function privateKeyAt(text: string, at: number): Found | undefined {
  const opening = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
  opening.lastIndex = at;
  const begin = opening.exec(text)?.[0];
  if (begin === undefined) return undefined;
  const start = at + begin.length;
  const closing = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(start, start + longestKey));
  if (closing) return closing.index < 16 ? undefined : { start, end: start + closing.index, kind: "private key" };
  const more =
    /(?:(?:\\r|\\n|\s|[>|:])*(?:\d{1,6}[\t:|])?[ \t]*[A-Za-z0-9+/=]{16,})+(?:\s+[A-Za-z0-9+/]{0,14}={1,2})?/y;
  more.lastIndex = start;
  const body = more.exec(text)?.[0];
  return body === undefined ? undefined : { start, end: start + body.length, kind: "private key" };
}

const longestKey = 65_536;
