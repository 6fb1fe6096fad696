import { createHash } from "node:crypto";

/**
 * Returns a path component for a name from a model or user. Plain names stay as they are. Others become a readable
 * slug, `~`, and a hash of the whole name. A plain name contains no `~` and no capital, so two names never share a
 * file, even on a case-insensitive file system.
 */
export function safeName(name: string): string {
  if (plain.test(name) && !reserved.test(name)) return name;
  return `${slug(name).slice(0, slugLength).replace(/-+$/, "") || "name"}~${hash(name)}`;
}

/**
 * Returns the folder name of a project: the readable end of its path, and a hash of the whole path. `path` is real and
 * absolute.
 */
export function projectName(path: string): string {
  return `${slug(path).slice(-slugLength).replace(/^-+/, "") || "root"}~${hash(path)}`;
}

const slugLength = 48;
const plain = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Device names on Windows, with any extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)$/;

const slug = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");

/** 80 bits. Hashes UTF-16 units, because different lone surrogates are equal in UTF-8. */
function hash(name: string): string {
  const digest = createHash("sha256").update(Buffer.from(name, "utf16le")).digest();
  let text = "";
  for (let i = 0; i < 16; i++) text += base32[(digest[i] ?? 0) & 31];
  return text;
}

const base32 = "0123456789abcdefghjkmnpqrstvwxyz";
