import { openPane } from "../../../src/team/backend/tmux/open-pane.ts";
import { createTmux } from "../../../src/team/backend/tmux/tmux.ts";

/** Opens panes one after the other until it is killed. Prints a line before each. */
const [folder = "", padding = ""] = process.argv.slice(2);
const env = { PATH: process.env["PATH"] ?? "", TMUX_TMPDIR: folder, PADDING: "x".repeat(Number(padding)) };
const tmux = await createTmux({ env, cwd: folder });
for (;;) {
  process.stdout.write("begin\n");
  const argv = ["/bin/sh", "-c", "sleep 1000", "the last word"] as const;
  const placement = { kind: "own", name: "troupe-test", label: "a session" } as const;
  await openPane(tmux, { placement, title: "a", argv, cwd: folder, env });
}
