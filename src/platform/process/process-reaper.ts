import { spawn } from "node:child_process";
import { markVariable, reaperVariable } from "./process-tree.ts";

/** Ends what this process started if this process itself ends without doing so, even by SIGKILL. */
export interface ProcessReaper {
  add(leader: number): void;
  remove(leader: number): void;
  /** Nothing is left to watch: the watchdog ends by itself. */
  release(): void;
}

/**
 * A small shell in a session of its own, where no Ctrl+C of the terminal reaches it. It reads from a pipe which sessions
 * live; when the pipe ends, so has this process, and it ends them and whatever carries the mark. It does not keep this
 * process alive.
 */
export function startReaper(mark: string): ProcessReaper {
  const child = spawn("/bin/sh", ["-c", watchdog, "troupe-reaper", `${markVariable}=${mark}`], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", [reaperVariable]: "1" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  let usable = true;
  const writeLine = (line: string) => {
    if (usable) child.stdin.write(line);
  };
  // Without a watchdog the ordinary way of ending children still holds.
  child.once("error", () => {
    usable = false;
  });
  child.stdin.on("error", () => {
    usable = false;
  });
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return {
    add: (leader) => writeLine(`add ${leader}\n`),
    remove: (leader) => writeLine(`del ${leader}\n`),
    release: () => {
      if (usable) child.stdin.end("done\n");
      usable = false;
    },
  };
}

/**
 * POSIX sh, and only what every system has. `members` prints the living processes of the listed sessions and groups and
 * of the mark; where there is no /proc the groups are all it knows.
 */
const watchdog = `
trap '' INT TERM HUP QUIT TSTP PIPE
mark=$1
live=' '
while read -r what id; do
  case $what in
    add) live="$live$id " ;;
    del) case $live in *" $id "*) live="\${live%%" $id "*} \${live#*" $id "}" ;; esac ;;
    done) exit 0 ;;
  esac
done
members() {
  if [ -r /proc/self/stat ]; then
    for dir in /proc/[0-9]*; do
      pid=\${dir#/proc/}
      [ "$pid" = $$ ] && continue
      read -r line 2>/dev/null < "$dir/stat" || continue
      set -- \${line##*) }
      case $1 in Z|X) continue ;; esac
      case $live in *" $3 "*|*" $4 "*) echo "$pid" ;; esac
    done 2>/dev/null
    grep -alF "$mark" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
  else
    for id in $live; do kill -0 "-$id" 2>/dev/null && echo "-$id"; done
  fi
}
signal() { for pid in $2; do kill "-$1" "$pid" 2>/dev/null; done; }
found=$(members)
signal TERM "$found"
signal CONT "$found"
round=0
while [ $round -lt 10 ]; do
  [ -z "$(members)" ] && exit 0
  sleep 0.1
  round=$((round + 1))
done
round=0
while [ $round -lt 20 ]; do
  found=$(members)
  [ -z "$found" ] && exit 0
  signal STOP "$found"
  signal KILL "$found $(members)"
  sleep 0.1
  round=$((round + 1))
done
`;
