import { cpus, loadavg } from "node:os";

/** Prints a table for people and one line of JSON for programs. */
export function printReport({ name, rows, seconds }) {
  const heads = ["", "median", "p10 to p90", "bare minimum", "ratio", "more", "goal"];
  const lines = rows.map((row) => [
    row.what,
    ...(row.note === undefined ? figures(row) : [row.note, "", "", "", "", ""]),
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...lines.map((line) => line[column].length)));
  const print = (cells) =>
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    );
  console.log(`\n${name} (${seconds.toFixed(0)} s)`);
  print(heads);
  for (const line of lines) print(line);
  console.log(JSON.stringify({ bench: name, ...machine(), rows }));
}

export const machine = () => ({
  node: process.version,
  cores: cpus().length,
  load: Number(loadavg()[0].toFixed(1)),
});

const figures = (row) => [
  `${row.median} ${row.unit}`,
  row.rounds > 1 ? `${row.low} to ${row.high}` : "",
  row.against === undefined ? "" : `${row.bare} ${row.unit} (${row.against})`,
  row.ratio === undefined ? "" : `${row.ratio}×`,
  row.more === undefined ? "" : `${row.more} ${row.unit}`,
  row.goal === undefined ? "" : `${row.goal} ${row.reached ? "yes" : "NO"}`,
];
