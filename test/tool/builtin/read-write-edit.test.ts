import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";

let bench: ToolBench;
beforeEach(() => {
  bench = openToolBench();
});
afterEach(() => bench.close());

const read = async (input: Record<string, unknown>) => {
  const outcome = await bench.call("Read", input);
  return `${outcome.outcome}: ${bench.text(outcome)}`;
};
const edit = async (input: Record<string, unknown>) => {
  const outcome = await bench.call("Edit", { file_path: "a.txt", ...input });
  return `${outcome.outcome}: ${bench.text(outcome)}`;
};
const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describe("Read", () => {
  it("numbers lines and reads ranges", async () => {
    bench.write("a.txt", "one\ntwo\nthree\nfour\n");
    expect(await read({ file_path: "a.txt" })).toBe("ok:      1\tone\n     2\ttwo\n     3\tthree\n     4\tfour");
    expect(await read({ file_path: bench.path("a.txt"), offset: 2, limit: 2 })).toBe(
      "ok:      2\ttwo\n     3\tthree\n\n[Lines 2 to 3 of 4 lines. Continue with offset 4.]",
    );
  });

  it("cuts after 2000 lines, and long lines", async () => {
    bench.write("long.txt", `${"x".repeat(5000)}\n${"y\n".repeat(2500)}`);
    const text = await read({ file_path: "long.txt" });
    expect(text).toContain(`${"x".repeat(2000)} [line cut: 5000 characters]`);
    expect(text).toContain("[Lines 1 to 2000 of 2501 lines. Continue with offset 2001.]");
  });

  it("ends at a whole line when the text is too long for one result", async () => {
    bench.write("wide.txt", `${"w".repeat(1500)}\n`.repeat(200));
    const outcome = await bench.call("Read", { file_path: "wide.txt" });
    expect(outcome.savedTo).toBeUndefined();
    expect(bench.text(outcome)).toMatch(/\[Lines 1 to 33 of 200 lines\. Continue with offset 34\.\]$/);
  });

  it("reads a range of a huge file without keeping it", async () => {
    execFileSync("bash", ["-c", `seq 1 6000000 > ${bench.path("huge.txt")}`]);
    expect(await read({ file_path: "huge.txt", offset: 3_000_000, limit: 2 })).toBe(
      "ok: 3000000\t3000000\n3000001\t3000001\n\n[Lines 3000000 to 3000001 of a longer file. Continue with offset 3000002.]",
    );
    expect(await read({ file_path: "huge.txt", offset: 6_000_000 })).toBe("ok: 6000000\t6000000");
    expect(await read({ file_path: "huge.txt", offset: 7_000_000 })).toMatch(
      /has 6000000 lines; offset 7000000 is beyond/,
    );
  });

  it("shows images, documents and notebooks by type", async () => {
    bench.write("a.bin", png);
    bench.write("b.pdf", "%PDF-1.4 …");
    const cells = [
      { cell_type: "markdown", source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        source: "plot()",
        outputs: [
          { output_type: "stream", text: ["done\n"] },
          { output_type: "display_data", data: { "image/png": png.toString("base64"), "text/plain": "<Figure>" } },
          { output_type: "error", ename: "ValueError", evalue: "no" },
        ],
      },
    ];
    bench.write("c.ipynb", JSON.stringify({ cells }));
    expect(await read({ file_path: "a.bin" })).toBe("ok: <image image/png>");
    expect(await read({ file_path: "b.pdf" })).toBe("ok: <document application/pdf>");
    expect(await read({ file_path: "c.ipynb" })).toMatchInlineSnapshot(`
      "ok: [cell 1, markdown]
      # Title
      text
      [cell 2, code]
      plot()
      [output of cell 2]
      done

      [output of cell 2]
      <Figure>
      <image image/png>
      [output of cell 2]
      ValueError: no"
    `);
  });

  it("says what else there is to say", async () => {
    mkdirSync(bench.path("folder"));
    bench.write("empty.txt", "");
    bench.write("binary", Buffer.from([1, 0, 2]));
    bench.write("short.txt", "a\n");
    bench.write("big.png", Buffer.concat([png, Buffer.alloc(4_000_000)]));
    execFileSync("bash", ["-c", `mkfifo ${bench.path("pipe")}`]);
    symlinkSync("loop", bench.path("loop"));
    const inputs = [
      "folder",
      "empty.txt",
      "binary",
      "pipe",
      "missing.txt",
      "short.txt/x",
      "loop",
      "big.png",
      "/dev/zero",
      "a\0b",
    ];
    const said = [];
    for (const file_path of inputs) said.push(await read({ file_path }));
    said.push(await read({ file_path: "short.txt", offset: 9 }), await read({ path: "x", limit: 0 }));
    expect(said.join("\n")).toMatchSnapshot();
  });

  it("names the file that was probably meant", async () => {
    mkdirSync(bench.path("folder"));
    bench.write("index.js", "x");
    expect(await read({ file_path: "folder/index.js" })).toBe(
      "failed: DIR/folder/index.js does not exist. Did you mean DIR/index.js?",
    );
    expect(await read({ file_path: "indexx.js" })).toContain("Did you mean DIR/index.js?");
    bench.write("test/deep/num[1].js", "x");
    bench.write("lib/num[1].js", "x");
    expect(await read({ file_path: "num[1].js" })).toMatch(/Did you mean DIR\/(\S+) or DIR\/(\S+)\?$/);
    expect(await edit({ file_path: "lib/deep/x/index.js", old_string: "x", new_string: "y" })).toContain(
      "there is nothing to replace. Did you mean DIR/index.js?",
    );
    for (const folder of ["a", "b", "c", "d"]) bench.write(`${folder}/main.js`, "x");
    expect(await read({ file_path: "main.js" })).toContain("does not exist. Search for its name.");
  });

  it("survives files that are not text", async () => {
    bench.write("bad.txt", Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x0a]));
    expect(await read({ file_path: "bad.txt" })).toContain("ok:      1\ta\ufffd\ufffdb\u241b[31m");
    bench.write("utf16.txt", Buffer.from("\ufeffhé\n", "utf16le"));
    expect(await read({ file_path: "utf16.txt" })).toBe("ok:      1\thé");
  });
});

describe("Write", () => {
  it("creates a file with its folders, and shows the change", async () => {
    const outcome = await bench.call("Write", { file_path: "new/deep/a.txt", content: "one\ntwo\n" });
    expect(bench.text(outcome)).toBe("Created new/deep/a.txt (2 lines).");
    expect(outcome.display).toEqual({
      kind: "diff",
      path: bench.path("new/deep/a.txt"),
      patch: "@@ -0,0 +1,2 @@\n+one\n+two",
    });
    expect(readFileSync(bench.path("new/deep/a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(readdirSync(bench.path("new/deep"))).toEqual(["a.txt"]);
    expect((await bench.call("Write", { file_path: "new/deep/a.txt", content: "three\n" })).outcome).toBe("ok");
  });

  it("keeps mode, link and hard link", async () => {
    bench.write("script.sh", "old\n");
    chmodSync(bench.path("script.sh"), 0o750);
    symlinkSync("script.sh", bench.path("link"));
    await read({ file_path: "link" });
    expect((await bench.call("Write", { file_path: "link", content: "new\n" })).outcome).toBe("ok");
    expect(readlinkSync(bench.path("link"))).toBe("script.sh");
    expect(readFileSync(bench.path("script.sh"), "utf8")).toBe("new\n");
    expect(statSync(bench.path("script.sh")).mode & 0o777).toBe(0o750);

    linkSync(bench.path("script.sh"), bench.path("twin"));
    expect((await bench.call("Write", { file_path: "script.sh", content: "x\n" })).outcome).toBe("ok");
    expect(readFileSync(bench.path("twin"), "utf8")).toBe("x\n");
  });

  it("refuses a file that was not read or has changed since", async () => {
    bench.write("a.txt", "one\n");
    const first = await bench.call("Write", { file_path: "a.txt", content: "x" });
    await read({ file_path: "a.txt" });
    writeFileSync(bench.path("a.txt"), "two\n");
    const second = await bench.call("Write", { file_path: "a.txt", content: "x" });
    const third = await bench.call("Write", { file_path: ".", content: "x" });
    expect(
      [first, second, third].map((outcome) => `${outcome.outcome}: ${bench.text(outcome)}`),
    ).toMatchInlineSnapshot(`
      [
        "failed: DIR/a.txt has not been read yet. Read it first, then write it.",
        "failed: DIR/a.txt has changed on disk since it was read. Read it again, then write it.",
        "failed: DIR is a directory. List its files instead.",
      ]
    `);
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("two\n");
  });

  it("counts a file as read if the agent has read one with the same content", async () => {
    for (const name of ["main.txt", "copy.txt"]) writeFileSync(bench.path(name), "same\n");
    writeFileSync(bench.path("other.txt"), "same, but other\n");
    await read({ file_path: "main.txt" });
    const edit = (file: string) => bench.call("Edit", { file_path: file, old_string: "same", new_string: "new" });
    expect((await edit("copy.txt")).outcome).toBe("ok");
    expect(bench.text(await edit("other.txt"))).toContain("has not been read yet");
  });
});

describe("Edit", () => {
  it("replaces the only occurrence, or all", async () => {
    bench.write("a.txt", "a\nb\nc\nb\n");
    await read({ file_path: "a.txt" });
    const outcome = await bench.call("Edit", { file_path: "a.txt", old_string: "a\nb", new_string: "A\nB" });
    expect(bench.text(outcome)).toBe("Edited a.txt at line 1.");
    expect(outcome.display).toMatchObject({ patch: "@@ -1,4 +1,4 @@\n-a\n-b\n+A\n+B\n c\n b" });
    expect(await edit({ old_string: "b", new_string: "$&", replace_all: true })).toBe("ok: Edited a.txt at line 4.");
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("A\nB\nc\n$&\n");
  });

  it("keeps line ends and byte order mark", async () => {
    bench.write("a.txt", "\ufeffone\r\ntwo\r\nthree\r\n");
    await read({ file_path: "a.txt" });
    expect(await edit({ old_string: "one\ntwo", new_string: "1\n2" })).toMatch(/^ok/);
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("\ufeff1\r\n2\r\nthree\r\n");
    bench.write("mixed.txt", "one\r\ntwo\n");
    await read({ file_path: "mixed.txt" });
    expect(await edit({ file_path: "mixed.txt", old_string: "two", new_string: "2" })).toMatch(/^ok/);
    expect(readFileSync(bench.path("mixed.txt"), "utf8")).toBe("one\r\n2\n");
  });

  it("writes a whole file with the line ends and byte order mark that it had", async () => {
    bench.write("a.txt", "\ufeffone\r\ntwo\r\n");
    await read({ file_path: "a.txt" });
    const outcome = await bench.call("Write", { file_path: "a.txt", content: "1\n2\r\n3\n" });
    expect(bench.text(outcome)).toBe("Replaced the content of a.txt (3 lines). Its line ends stay CRLF.");
    expect(outcome.display).toMatchObject({ patch: "@@ -1,2 +1,3 @@\n-one\n-two\n+1\n+2\n+3" });
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("\ufeff1\r\n2\r\n3\r\n");
    bench.write("mixed.txt", "one\r\ntwo\n");
    await read({ file_path: "mixed.txt" });
    await bench.call("Write", { file_path: "mixed.txt", content: "1\n" });
    expect(readFileSync(bench.path("mixed.txt"), "utf8")).toBe("1\n");
  });

  it.each([
    ["     1\tone\n     2\ttwo", ""],
    ["1→one\n2→two", ""],
    ["1: one\n2: two", ""],
    ["     1\tone\n     2\ttoo", " Without them: old_string is not exactly in the file."],
  ])("says that old_string has the line numbers of Read: %j", async (old, more) => {
    bench.write("a.txt", "one\ntwo\n");
    await read({ file_path: "a.txt" });
    expect(await edit({ old_string: old, new_string: "x" })).toContain(
      `was not changed. old_string contains the line numbers of Read: remove them, also from new_string.${more}`,
    );
  });

  it("accepts a touched file and refuses a changed one", async () => {
    const path = bench.write("a.txt", "one\n");
    await read({ file_path: "a.txt" });
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    expect(await edit({ old_string: "one", new_string: "two" })).toMatch(/^ok/);
    const { mtime } = statSync(path);
    writeFileSync(path, "2wo\n");
    utimesSync(path, mtime, mtime);
    expect(await edit({ old_string: "two", new_string: "three" })).toMatch(/^failed: .*has changed on disk/);
  });

  it("names the tool for notebooks when the text of a cell is not in the file", async () => {
    const cell = { cell_type: "code", metadata: {}, outputs: [], source: ["x = 1\n", "print(x)"] };
    bench.write("a.ipynb", JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 }));
    await read({ file_path: "a.ipynb" });
    const wrong = { file_path: "a.ipynb", old_string: "x = 1\nprint(x)", new_string: "x = 2" };
    expect(await edit(wrong)).not.toContain("NotebookEdit");
    Object.assign(bench.context.agent, { tools: new Set(["NotebookEdit"]) });
    expect(await edit(wrong)).toBe(
      "failed: DIR/a.ipynb was not changed: Read shows the cells of a notebook, not its text. Use NotebookEdit.",
    );
  });

  it("says why it could not", async () => {
    bench.write("a.txt", "function one() {\n\treturn 1;\n}\n\nfunction two() {\n\treturn 1;\n}\n");
    bench.write("latin1.txt", Buffer.from([0x61, 0xe9, 0x0a]));
    const said = [await edit({ old_string: "x", new_string: "y" })];
    await read({ file_path: "a.txt" });
    await read({ file_path: "latin1.txt" });
    said.push(
      await edit({ old_string: "return 1;", new_string: "return 2;" }),
      await edit({ old_string: "function one() {\n  return 1;\n}", new_string: "x" }),
      await edit({ old_string: "function onee() {", new_string: "x" }),
      await edit({ old_string: "something else altogether that is nowhere", new_string: "x" }),
      await edit({ old_string: "     1\tfunction one() {\n     2\t\treturn 1;", new_string: "x" }),
      await edit({ old_string: "one", new_string: "one" }),
      await edit({ old_string: "", new_string: "one" }),
      await edit({ file_path: "none.txt", old_string: "a", new_string: "b" }),
      await edit({ file_path: "latin1.txt", old_string: "a", new_string: "b" }),
    );
    expect(said.join("\n")).toMatchSnapshot();
  });
});
