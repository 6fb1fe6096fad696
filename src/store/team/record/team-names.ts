import { cutAfter, TroupeError, teamLead, teamUser } from "../../../protocol/index.ts";
import { skeletonOf } from "./confusable-names.ts";

/**
 * Returns the name as stored, or throws a `TroupeError` that says what is wrong. A name is only a label: file names use
 * a hash unless it is plain.
 */
export function checkName(name: string, what: "member" | "team"): string {
  const kept = name.normalize("NFC").trim();
  const problem = problemOf(kept, what);
  if (problem === undefined) return kept;
  throw new TroupeError("team", `${quotedName(name)} cannot be the name of a ${what}: ${problem}.`);
}

/** Returns `tester`, or `tester-2`, `tester-3`, … if a name that looks like it `isTaken`. */
export function uniqueName(name: string, isTaken: (skeleton: string) => boolean): string {
  if (!isTaken(skeletonOf(name))) return name;
  for (let n = 2; ; n++) {
    const ending = `-${n}`;
    const numbered = `${Array.from(name)
      .slice(0, longest - ending.length)
      .join("")
      .trimEnd()}${ending}`;
    if (!isTaken(skeletonOf(numbered))) return numbered;
  }
}

/** Formats a name for a message: bounded, and without characters that a terminal acts on or hides. */
export function quotedName(name: string): string {
  return JSON.stringify(cutAfter(name, 80)).replace(
    unseen,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The name of the runtime, which releases the tasks of dead members. */
export const runtimeName = "troupe";

const longest = 64;
const form = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M} ._-]*[\p{L}\p{N}\p{M}_-])?$/u;
/** `lead` is what members call the lead. */
const reserved = new Set([teamLead, "lead", teamUser, runtimeName].map(skeletonOf));

function problemOf(name: string, what: "member" | "team"): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > longest) return `it is longer than ${longest} characters`;
  if (/\p{Default_Ignorable_Code_Point}|\p{C}/u.test(name)) return "it has invisible characters";
  if (/ {2}|\p{M}{3}/u.test(name)) return "it has two spaces or three accents in a row";
  if (!form.test(name))
    return "it must contain only letters, digits, spaces and . _ -, and begin and end with a letter or digit";
  if (what === "member" && reserved.has(skeletonOf(name)))
    return "this name, or one that looks like it, is reserved. Choose another";
  return undefined;
}
