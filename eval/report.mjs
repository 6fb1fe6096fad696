/** One row for each task, one column for each mode, and the sums. */
export function table(results, modes) {
  const tasks = [...new Set(results.map(({ task }) => task))];
  const head = ["task", ...modes];
  const rows = tasks.map((task) => [
    task,
    ...modes.map((mode) => cell(results.filter((each) => each.task === task && each.mode === mode))),
  ]);
  const sums = modes.map((mode) => results.filter((each) => each.mode === mode));
  const total = (name, value) => [name, ...sums.map((list) => (list.length === 0 ? "" : value(list)))];
  return align([
    head,
    ...rows,
    total("passed", (list) => `${list.filter(({ passed }) => passed).length} of ${list.length}`),
    total("cost, USD", (list) => sum(list, "costUsd").toFixed(3)),
    total("cost of one success, USD", (list) => {
      const passed = list.filter((each) => each.passed).length;
      return passed === 0 ? "-" : (sum(list, "costUsd") / passed).toFixed(3);
    }),
    total("time, s", (list) => sum(list, "seconds").toFixed(0)),
    total("turns", (list) => String(sum(list, "turns"))),
    total("agents", (list) => String(sum(list, "agents"))),
    total("wasted wakes", (list) => String(sum(list, "wastedWakes"))),
    total("compactions", (list) => String(sum(list, "compactions"))),
  ]);
}

function cell(runs) {
  if (runs.length === 0) return "";
  const passed = runs.filter((run) => run.passed).length;
  const mark = runs.length === 1 ? (passed === 1 ? "pass" : "FAIL") : `${passed}/${runs.length}`;
  return `${mark} ${(sum(runs, "seconds") / runs.length).toFixed(0)} s $${(sum(runs, "costUsd") / runs.length).toFixed(3)} ${Math.round(sum(runs, "turns") / runs.length)} turns`;
}

const sum = (list, field) => list.reduce((total, each) => total + each[field], 0);

function align(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
