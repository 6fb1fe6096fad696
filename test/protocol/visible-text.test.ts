import * as fc from "fast-check";
import { expect, test } from "vitest";
import { visibleLine, visibleText } from "../../src/protocol/index.ts";

const esc = "\u001b";
const character = (code: number) => String.fromCodePoint(code);

test.each([
  ["colour", `${esc}[31mred${esc}[0m`, "␛[31mred␛[0m"],
  ["cursor and clear", `${esc}[2J${esc}[1;1H`, "␛[2J␛[1;1H"],
  ["a link (OSC 8)", `${esc}]8;;http://evil${esc}\\text${esc}]8;;${esc}\\`, "␛]8;;http://evil␛\\text␛]8;;␛\\"],
  ["the clipboard (OSC 52)", `${esc}]52;c;ZXZpbA==\u0007`, "␛]52;c;ZXZpbA==␇"],
  ["the title", `${esc}]0;title\u0007`, "␛]0;title␇"],
  ["device control, APC and PM", `${esc}Pq${esc}_a${esc}^b`, "␛Pq␛_a␛^b"],
  ["C1 control sequence", "\u009b31m", "[U+009B]31m"],
  ["C1 operating system command", "\u009d52;c;x\u009c", "[U+009D]52;c;x[U+009C]"],
  ["next line", "a\u0085b", "a[U+0085]b"],
  ["backspaces and bell", "rm\b\bls\u0007", "rm␈␈ls␇"],
  ["carriage return alone", "safe\revil", "safe␍evil"],
  ["shift out, NUL, DEL", "\u000e\u0000\u007f", "␎␀␡"],
  ["right to left override", "a\u202etxt.exe\u202c", "a[U+202E]txt.exe[U+202C]"],
  [
    "isolates and marks",
    "\u2066\u2067\u2068\u2069\u200e\u200f\u061c",
    "[U+2066][U+2067][U+2068][U+2069][U+200E][U+200F][U+061C]",
  ],
  ["zero width", "a\u200bb\u2060c\ufeffd\u00ade", "a[U+200B]b[U+2060]c[U+FEFF]d[U+00AD]e"],
  ["joiners between Latin letters", "pay\u200dpal\u200c!", "pay[U+200D]pal[U+200C]!"],
  ["tag characters", character(0xe0041) + character(0xe007f), "[U+E0041][U+E007F]"],
  ["variation selectors as a carrier", "x\ufe0f\ufe01" + character(0xe0100), "x[U+FE0F][U+FE01][U+E0100]"],
  ["fillers", "\u115f\u3164\uffa0\u2800", "[U+115F][U+3164][U+FFA0][U+2800]"],
  ["line and paragraph separators", "a\u2028b\u2029c", "a[U+2028]b[U+2029]c"],
  ["interlinear marks", "\ufff9\ufffa\ufffb", "[U+FFF9][U+FFFA][U+FFFB]"],
  ["lone surrogates", "a\ud800b\udc00", "a\ufffdb\ufffd"],
])("%s becomes inert and visible", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test.each([
  "plain ASCII, tabs\tand\nlines",
  "Grüße, 漢字, кириллица, العربية, עברית, हिन्दी",
  "e\u0301 combined",
  "❤️ and 👩‍👩‍👧 and 👩🏽‍💻 and 🏳️‍🌈 and 1️⃣",
  "می\u200cخواهم",
  "क्\u200dष",
  "a\u00a0b",
])("ordinary text stays unchanged: %s", (text) => {
  expect(visibleText(text)).toBe(text);
});

test("Windows line ends become line ends; a one-line field has none", () => {
  expect(visibleText("a\r\nb\u0007")).toBe("a\nb␇");
  expect(visibleText("a\r\nb")).toBe("a\nb");
  expect(visibleLine("a\nb\tc\r\nd")).toBe("a␊b␉c␊d");
});

test("a second variation selector is shown as its code point", () => {
  expect(visibleText("❤\ufe0f\ufe0f")).toBe("❤\ufe0f[U+FE0F]");
});

test("no text passes a control, bidi or tag character, and a second pass changes nothing", () => {
  const sneaky = fc.oneof(
    fc.integer({ min: 0, max: 0x9f }),
    fc.integer({ min: 0x2000, max: 0x206f }),
    fc.integer({ min: 0xd800, max: 0xdfff }),
    fc.integer({ min: 0xfe00, max: 0xfeff }),
    fc.integer({ min: 0xe0000, max: 0xe01ef }),
    fc.integer({ min: 0x1f300, max: 0x1f6ff }),
    fc.integer({ min: 0, max: 0x10ffff }),
  );
  fc.assert(
    fc.property(fc.array(sneaky, { maxLength: 60 }), (codes) => {
      const shown = visibleText(String.fromCodePoint(...codes));
      expect(shown).not.toMatch(
        // oxlint-disable-next-line no-control-regex -- controls are what this is about
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]|\p{Cs}/u,
      );
      expect(visibleText(shown)).toBe(shown);
      expect(visibleLine(shown)).not.toMatch(/[\n\t]/);
    }),
    { numRuns: 2000 },
  );
});

test("a megabyte of escapes is converted", () => {
  expect(visibleText(esc.repeat(1_000_000))).toBe("␛".repeat(1_000_000));
});
