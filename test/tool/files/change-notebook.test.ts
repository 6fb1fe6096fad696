import { expect, test } from "vitest";
import { changeNotebook } from "../../../src/tool/files/change-notebook.ts";

const notebook = `${JSON.stringify(
  {
    cells: [
      { cell_type: "markdown", id: "a", metadata: {}, source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        execution_count: 3,
        id: "b",
        metadata: { tags: ["x"] },
        outputs: [{ output_type: "stream", text: "1" }],
        source: ["print(1)"],
      },
    ],
    metadata: { kernelspec: { name: "python3" } },
    nbformat: 4,
    nbformat_minor: 5,
  },
  undefined,
  1,
)}\n`;

const changed = (input: Parameters<typeof changeNotebook>[1], text = notebook) => {
  const result = changeNotebook(text, input);
  if ("problem" in result) throw new Error(result.problem);
  return { ...result, notebook: JSON.parse(result.text) };
};

test("a replaced code cell keeps its metadata and loses its outputs; the rest of the file is the same", () => {
  const result = changed({ cell_number: 2, new_source: "print(2)\nprint(3)\n" });
  expect(result.notebook.cells[1]).toEqual({
    cell_type: "code",
    execution_count: null,
    id: "b",
    metadata: { tags: ["x"] },
    outputs: [],
    source: ["print(2)\n", "print(3)\n"],
  });
  expect(result.notebook.cells[0]).toEqual(JSON.parse(notebook).cells[0]);
  expect(result.text.endsWith("}\n")).toBe(true);
  expect(result.text).toContain('\n "cells": [');
});

test("cells are inserted after a number, also at the beginning, and deleted", () => {
  const inserted = changed({ cell_number: 0, new_source: "x", edit_mode: "insert" });
  expect(inserted.did).toBe("Inserted cell 1");
  expect(inserted.notebook.cells[0]).toMatchObject({ cell_type: "code", id: "cell-3", outputs: [], source: ["x"] });
  const prose = changed({ cell_number: 2, new_source: "y", edit_mode: "insert", cell_type: "markdown" });
  expect(prose.notebook.cells[2]).toEqual({ cell_type: "markdown", id: "cell-3", metadata: {}, source: ["y"] });
  expect(changed({ cell_number: 1, edit_mode: "delete" }).notebook.cells).toHaveLength(1);
});

test("the type of a cell can change", () => {
  expect(changed({ cell_number: 2, new_source: "prose", cell_type: "markdown" }).notebook.cells[1]).toEqual({
    cell_type: "markdown",
    id: "b",
    metadata: { tags: ["x"] },
    source: ["prose"],
  });
});

test.each([
  [{ cell_number: 3, new_source: "x" }, "it has cells 1 to 2, and no cell 3"],
  [{ cell_number: 0, new_source: "x" }, "no cell 0"],
  [{ cell_number: 1 }, "new_source is missing"],
])("%j is refused", (input, problem) => {
  expect(changeNotebook(notebook, input)).toEqual({ problem: expect.stringContaining(problem) });
});

test("a file that is not a notebook is refused", () => {
  for (const text of ["", "{}", "[1]", "not json"])
    expect(changeNotebook(text, { cell_number: 1, new_source: "" })).toEqual({
      problem: expect.stringContaining("not a notebook"),
    });
});
