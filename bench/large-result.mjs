import { environment, start } from "./start-up.mjs";
import { interleave, row } from "./measure.mjs";

const large = 10_000_000;
const small = 1000;
const megabyte = 1024 * 1024;

/**
 * A tool that returns 10 MB, from the call to the next request. Each runs in a separate process, to measure its peak
 * memory.
 */
export async function run(bench) {
  const child = (how, bytes) => async () => {
    const folder = bench.emptyFolder();
    const args = [bench.child("large-result"), bench.library, how, folder, String(bytes)];
    const { code, output, errors } = await start(args, { cwd: folder, env: environment(folder, "") }).ended;
    if (code !== 0) throw new Error(`the child process exited with code ${code}: ${errors}`);
    return JSON.parse(output);
  };
  const seen = await interleave(
    {
      write: child("write", large),
      shell: child("shell", large),
      tool: child("tool", large),
      smallTool: child("tool", small),
      bash: child("bash", large),
      smallBash: child("bash", small),
      smallWrite: child("write", small),
    },
    { rounds: 7, warmUp: 1, seconds: 20 },
  );
  const times = (name) => seen[name].map(({ timeMs }) => timeMs);
  const peaks = (name) => seen[name].map(({ peak }) => peak / megabyte);
  const memory = (what, name, without) =>
    row({ what, unit: "MB", values: peaks(name), bare: peaks(without), against: "the same with 1 kB" });
  return [
    row({ what: "10 MB from a custom tool", values: times("tool"), bare: times("write"), against: "writeFileSync" }),
    row({ what: "10 MB from Bash", values: times("bash"), bare: times("shell"), against: "bash into a file" }),
    memory("10 MB from a custom tool, peak RSS", "tool", "smallTool"),
    memory("10 MB from Bash, peak RSS", "bash", "smallBash"),
    memory("10 MB written by writeFileSync, peak RSS", "write", "smallWrite"),
  ];
}
