import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { screenModel } from "../../../bench/screen-model.mjs";
import { changeLines } from "../../../src/tui/terminal/terminal-diff.ts";
import { createIncrementalOutput } from "../../../src/tui/terminal/terminal-output.ts";

const [begin, end] = ["\x1b[?2026h", "\x1b[?2026l"];
const erase = (lines: number) => (lines === 0 ? "" : `${"\x1b[2K\x1b[1A".repeat(lines - 1)}\x1b[2K\x1b[G`);
const framed = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** The output of Ink, and a terminal that shows the result. */
function place(rows = 8, columns = 30) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  const model = screenModel({ columns, rows });
  let written = "";
  stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
    model.write(chunk.toString());
  });
  const output = createIncrementalOutput(stdout as unknown as NodeJS.WriteStream);
  let drawn = 0;
  return {
    output,
    model,
    /** As Ink does it: erases what was drawn, prints what stays, and writes the frame. */
    frame(lines: readonly string[], printed: readonly string[] = []): string {
      const before = written.length;
      const { stream } = output;
      stream.write(begin);
      if (printed.length > 0) {
        stream.write(erase(drawn));
        stream.write(framed(printed));
        stream.write(framed(lines));
      } else stream.write(erase(drawn) + framed(lines));
      stream.write(end);
      drawn = lines.length + 1;
      return written.slice(before).replace(begin, "").replace(end, "");
    },
  };
}

test("only changed cells of a frame are written", () => {
  const { frame, model } = place();
  const steps: readonly (readonly [lines: readonly string[], expected: string, printed?: readonly string[]])[] = [
    [["one", "two", "three"], "one\ntwo\nthree\n"],
    [["one", "2", "three"], "\x1b[2A2\x1b[K\n\n"],
    [["one", "2", "three", "four"], "four\n"],
    [["one", "2"], "\x1b[2A\x1b[J"],
    [["one", "2"], ""],
    [["\x1b[2m⠋ works 12s\x1b[22m", "2"], "\x1b[2A\x1b[2m⠋ works 12s\x1b[m\n\n"],
    [["\x1b[2m⠙ works 13s\x1b[22m", "2"], "\x1b[2A\x1b[2m⠙\x1b[m\x1b[8C\x1b[2m3\x1b[m\n\n"],
    // The upper line is now printed permanently, and stays in its place.
    [["2"], "", ["\x1b[2m⠙ works 13s\x1b[22m"]],
    [["3", "4"], "\x1b[1Aprinted\n3\n4\n", ["printed"]],
    // Other terminals may draw this character wider, so everything from it on is written again.
    [["ab 界 cd", "4"], "\x1b[2Aa\x1b[Kb 界 cd\x1b[m\n\n"],
    [["xb 界 cd", "4"], "\x1b[2Ax\n\n"],
    [["xb 界 ce", "4"], "\x1b[2A\x1b[3C\x1b[K界 ce\x1b[m\n\n"],
  ];
  for (const [lines, expected, printed] of steps) expect(frame(lines, printed)).toBe(expected);
  expect(model.all()).toBe("⠙ works 13s\nprinted\nxb 界 ce\n4");
});

const style = fc.constantFrom("", "1", "2", "36", "38;5;208", "7", "1;31");
const piece = fc.tuple(
  style,
  fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "❯", "⠋", "界", "🙂", "e\u0301"), maxLength: 6 }),
);
const line = fc
  .array(piece, { maxLength: 3 })
  .map((pieces) => pieces.map(([codes, text]) => (codes === "" ? text : `\x1b[${codes}m${text}\x1b[0m`)).join(""));
const lines = fc.array(line, { maxLength: 6 });

test("any sequence of frames gives the same screen as drawing on an empty one", () => {
  const drawnAlone = (all: readonly string[]) => {
    const model = screenModel({ columns: 60, rows: 8 });
    model.write(framed(all));
    return [model.all(), cellsOf(model)];
  };
  fc.assert(
    fc.property(fc.array(fc.tuple(lines, lines), { minLength: 1, maxLength: 6 }), (frames) => {
      const model = screenModel({ columns: 60, rows: 8 });
      let before: readonly string[] = [];
      const history: string[] = [];
      for (const [printed, frame] of frames) {
        const shown = frame.slice(-7);
        model.write(changeLines(before, [...printed, ...shown]));
        history.push(...printed);
        before = shown;
      }
      expect([model.all(), cellsOf(model)]).toEqual(drawnAlone([...history, ...before]));
    }),
    { numRuns: 500 },
  );
});

const cellsOf = (model: ReturnType<typeof screenModel>) => model.cells().join("\n").trimEnd();

test("of a frame higher than the screen its end is shown, and nothing is cleared", () => {
  const { frame, model } = place(5);
  frame(["a"], ["said before"]);
  frame(["1", "2", "3", "4", "5", "6", "7"]);
  expect(model.screen()).toBe("4\n5\n6\n7");
  expect(frame(["1", "2", "3", "4", "5", "six", "7"])).toBe("\x1b[2Asix\n\n");
  frame(["a"]);
  expect(model.all()).toBe("said before\na");
});

test("while another screen is shown nothing is written; afterwards everything is", () => {
  const { frame, output, model } = place();
  frame(["one", "two"]);
  output.hold();
  expect(frame(["three"], ["kept"])).toBe("");
  expect(frame(["four", "five"], ["kept too"])).toBe("");
  output.release();
  expect(model.all()).toBe("kept\nkept too\nfour\nfive");
});

test("after the screen was cleared it is drawn completely", () => {
  const { frame, output, model } = place();
  frame(["one", "two"]);
  model.write("\x1b[H\x1b[2J\x1b[H");
  output.cleared();
  output.refresh();
  expect(model.screen()).toBe("one\ntwo");
  expect(frame(["one", "2"])).toBe("\x1b[1A2\x1b[K\n");
});

test("unknown sequences pass through unchanged", () => {
  const { frame, output, model } = place();
  frame(["one", "two"]);
  output.stream.write(`${erase(7)}y\n`);
  expect(model.screen()).toContain("y");
  frame(["z"]);
  expect(model.screen()).toContain("z");
});
