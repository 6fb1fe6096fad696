import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import {
  endPosition,
  findLine,
  isAtEnd,
  linesFrom,
  movedBy,
  type PagerText,
  startPosition,
} from "../../../src/tui/transcript/pager-position.ts";
import { TranscriptPager } from "../../../src/tui/transcript/transcript-pager.tsx";
import { openDialog } from "../../../src/view/index.ts";
import { said } from "../../support/view/sample-app-state.ts";
import { enclose, opened, prompted, spawned } from "../../support/view/sample-envelopes.ts";
import { drawPanel, type Drawn, key } from "../../support/terminal/draw-panel.tsx";

/** Items with these numbers of lines, and the set of items that were laid out. */
function textOf(heights: readonly number[]): PagerText<string> & { readonly asked: ReadonlySet<number> } {
  const asked = new Set<number>();
  return {
    asked,
    count: heights.length,
    lines(index) {
      asked.add(index);
      return Array.from({ length: heights[index] ?? 0 }, (_, line) => `${index}.${line}`);
    },
  };
}

test("of 10,000 items only those near the shown part are laid out", () => {
  const text = textOf(Array.from({ length: 10_000 }, (_, index) => index % 7));
  let place = endPosition(text, 40);
  expect(linesFrom(text, place, 40)).toHaveLength(40);
  for (let page = 0; page < 5; page++) place = movedBy(text, place, { by: -38, height: 40 });
  place = movedBy(text, startPosition, { by: 38, height: 40 });
  expect(linesFrom(text, place, 40)).toHaveLength(40);
  expect(text.asked.size).toBeLessThan(200);
});

test("scrolling equals scrolling in all lines at once", () => {
  const moves = fc.array(fc.integer({ min: -30, max: 30 }), { maxLength: 20 });
  const heights = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(heights, fc.integer({ min: 1, max: 12 }), moves, (sizes, height, steps) => {
      const text = textOf(sizes);
      const all = sizes.flatMap((size, item) => Array.from({ length: size }, (_, line) => `${item}.${line}`));
      const last = Math.max(0, all.length - height);
      let [place, top] = [endPosition(text, height), last];
      for (const by of steps) {
        place = movedBy(text, place, { by, height });
        top = Math.max(0, Math.min(top + by, last));
        expect(linesFrom(text, place, height)).toEqual(all.slice(top, top + height));
        expect(isAtEnd(text, place, height)).toBe(top === last);
      }
    }),
  );
});

test("a search moves to the next match, the previous one, and wraps around", () => {
  const text = textOf([2, 0, 3, 2]);
  const fits = (line: string) => line.endsWith(".1");
  const on = (from: { item: number; line: number }, by: 1 | -1) => findLine(text, from, { by, matches: fits });
  expect(on(startPosition, 1)).toEqual({ item: 0, line: 1 });
  expect(on({ item: 0, line: 1 }, 1)).toEqual({ item: 2, line: 1 });
  expect(on({ item: 3, line: 1 }, 1)).toEqual({ item: 0, line: 1 });
  expect(on({ item: 0, line: 1 }, -1)).toEqual({ item: 3, line: 1 });
  expect(findLine(text, startPosition, { by: 1, matches: () => false })).toBeUndefined();
});

const screens: Drawn[] = [];
afterEach(() => {
  for (const screen of screens.splice(0)) screen.end();
});

const exchange = (index: number) => [...prompted(index, `question ${index}`), said(index, `answer ${index}`)];

test("starts at the end, pages, searches, follows new text, and closes", async () => {
  const events = [opened(), spawned(), ...Array.from({ length: 50 }, (_, index) => exchange(index + 1)).flat()];
  const screen = drawPanel(() => <TranscriptPager />, {
    envelopes: enclose(events),
    size: { columns: 60, rows: 10 },
    state: (state) => openDialog(state, { kind: "transcript", back: 0 }),
  });
  screens.push(screen);
  const see = (text: string | RegExp) => expect.poll(() => screen.second() ?? "").toMatch(text);
  await see("● answer 50\n");
  await see(/Transcript of lead · 100% · .*q back$/);
  screen.press(key.pageUp);
  await see("❯ question 48");
  expect(screen.second()).not.toContain("answer 50");
  screen.press("g");
  await see(/^\n❯ question 1\n\n● answer 1\n/);
  await see("· 0%");
  screen.press("/", "answer 3", key.enter);
  await see(/● answer 3\n/);
  screen.press("n");
  await see(/^● answer 30\n/);
  screen.press("N");
  await see(/^● answer 3\n/);
  screen.press("/", "nowhere", key.enter);
  await see("no match");
  screen.press("G");
  await see("● answer 50\n");
  const more = enclose([...events, ...exchange(51)]).slice(events.length);
  screen.hear(...more);
  await see("● answer 51\n");
  screen.press("k");
  const later = enclose([...events, ...exchange(51), ...exchange(52)]).slice(events.length + more.length);
  screen.hear(...later);
  await expect.poll(() => screen.second()).not.toContain("100%");
  expect(screen.second()).not.toContain("answer 52");
  screen.press("q");
  expect(screen.store.getState().dialog.kind).toBe("none");
});
