import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { cutTo, graphemesOf, widthOf } from "../../../src/tui/terminal/terminal-width.ts";

/** Every character of the basic plane that is visible alone. */
const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter(
  (character) => !/[\p{Cc}\p{Cs}]/u.test(character),
);

describe("widthOf", () => {
  test("each character is as wide as Unicode says", () => {
    expect(characters.filter((character) => widthOf(character) !== stringWidth(character))).toEqual([]);
  });

  test("characters that Unicode added later, and unassigned ones", () => {
    expect(["䷀", "☰", "🫩", "\u{2e9a}", "〈"].map(widthOf)).toEqual([2, 2, 2, 1, 2]);
  });

  test("a text is as wide as its graphemes together", () => {
    const piece = fc.oneof(
      fc.constantFrom(...characters),
      fc.constantFrom("한국어", "か\u3099", "e\u0301", "❤\ufe0f", "1\ufe0f\u20e3", "👩‍👩‍👧", "🇩🇪", "─", "…"),
      fc.string({ unit: "grapheme", maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        const graphemes = graphemesOf(text);
        expect(graphemes.join("")).toBe(text);
        expect(graphemes).toEqual(Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment));
        expect(widthOf(text)).toBe(stringWidth(text));
        expect(graphemes.reduce((sum, grapheme) => sum + widthOf(grapheme), 0)).toBe(widthOf(text));
      }),
      { numRuns: 1000 },
    );
  });
});

test("a cut text fits and ends in a mark", () => {
  expect([cutTo("日本語", 4), cutTo("日本語", 6), cutTo("naïve — text", 7), cutTo("a", 0)]).toEqual([
    "日…",
    "日本語",
    "naïve …",
    "",
  ]);
});
