import { expect, test } from "vitest";
import { findItems, type PaletteItem } from "../../../../web/src/frame/palette/palette-items.ts";

const item = (text: string, detail = ""): PaletteItem => ({
  id: text,
  group: "Agent",
  icon: "team",
  text,
  detail,
  target: "#/",
});

test("all words must occur, in any order, and a beginning comes first", () => {
  const items = [item("the tester", "idle"), item("tester", "idle"), item("writer", "asks")];
  expect(findItems(items, "TEST idle").map(({ text }) => text)).toEqual(["tester", "the tester"]);
  expect(findItems(items, "agent asks").map(({ text }) => text)).toEqual(["writer"]);
  expect(findItems(items, "nothing")).toEqual([]);
});
