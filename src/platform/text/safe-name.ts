import { createHash } from "node:crypto";

/**
 * One component of a path for a name that a model or a user chose. Plain names stay as they are; any other becomes a
 * readable slug, `~`, and a hash of the whole name. A plain name holds no `~` and no capital, so two different names
 * never share a file, on a file system that ignores case neither.
 */
export function safeName(name: string): string {
  if (plain.test(name) && !reserved.test(name)) return name;
  return `${slug(name).slice(0, slugLength).replace(/-+$/, "") || "name"}~${hash(name)}`;
}

/** The folder of a project: the end of its path, readable, and a hash of the whole. `path` is the real, absolute path. */
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

/** 80 bits. Over UTF-16 units, since different lone surrogates are one and the same in UTF-8. */
function hash(name: string): string {
  const digest = createHash("sha256").update(Buffer.from(name, "utf16le")).digest();
  let text = "";
  for (let i = 0; i < 16; i++) text += base32[(digest[i] ?? 0) & 31];
  return text;
}

const base32 = "0123456789abcdefghjkmnpqrstvwxyz";
