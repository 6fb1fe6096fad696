import type { Ask } from "./ask.ts";
import type { Rule, TextMatch, When } from "./script.ts";

/** True if every condition of `when` holds. */
export function matches(when: Rule["when"], ask: Ask): boolean {
  if (when === undefined) return true;
  if (typeof when === "function") return when(ask);
  return (
    (when.agent === undefined || matchesPath(when.agent, ask.agent)) &&
    (when.type === undefined || when.type === ask.type) &&
    (when.turn === undefined || matchesTurn(when.turn, ask.turn)) &&
    (when.purpose === undefined || when.purpose === ask.purpose) &&
    (when.said === undefined || matchesText(when.said, ask.said)) &&
    (when.tool === undefined || when.tool === ask.result?.tool) &&
    (when.result === undefined || (ask.result !== undefined && matchesText(when.result, ask.result.text))) &&
    (when.system === undefined || matchesText(when.system, ask.system))
  );
}

/** `*` stands for one name of the path or a part of it, `**` for any number of names. */
export function matchesPath(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((piece) => (piece === "**" ? ".*" : piece === "*" ? "[^/]*" : piece.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")));
  return new RegExp(`^${source.join("")}$`, "s").test(path);
}

function matchesTurn(wanted: NonNullable<When["turn"]>, turn: number): boolean {
  if (typeof wanted === "number") return turn === wanted;
  return turn >= (wanted.from ?? 0) && turn <= (wanted.to ?? Number.POSITIVE_INFINITY);
}

function matchesText(wanted: TextMatch, text: string): boolean {
  if (typeof wanted === "string") return text.includes(wanted);
  // A regular expression with the flag g or y keeps its position between uses, so a new one is created.
  const expression =
    wanted instanceof RegExp ? new RegExp(wanted.source, wanted.flags) : new RegExp(wanted.regex, wanted.flags);
  return expression.test(text);
}
