import { spawn } from "node:child_process";
import { markVariable, reaperVariable } from "./process-tree.ts";

/** Ends the child processes of this process if it ends without doing so, even by SIGKILL. */
export interface ProcessReaper {
  add(leader: number): void;
  remove(leader: number): void;
  /** Called when nothing is left to watch: the watchdog then ends. */
  release(): void;
}

/**
 * Starts a small shell in a separate session, which Ctrl+C of the terminal does not reach. It reads the live sessions
 * from a pipe. When the pipe closes, this process has ended: the shell then ends those sessions and every process with
 * the mark. It does not keep this process alive.
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
  // Without a watchdog, the normal shutdown still ends the children.
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
 * POSIX sh that uses only common tools. `members` prints the live processes of the listed sessions and groups, and
 * those with the mark. Without /proc it knows only the groups.
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
