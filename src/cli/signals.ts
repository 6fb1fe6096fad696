export interface Signals {
  /** Aborts when the user or the system ends the program. */
  readonly leaving: AbortSignal;
  /** The exit code, after a signal arrived. */
  readonly exitCode: number | undefined;
  stop(): void;
}

/** The process exits after this time even if something is still pending. */
const lastResortMs = 20_000;

/** The first SIGINT interrupts and the second leaves. SIGTERM, SIGHUP and a closed output also leave. */
export function listenToSignals(on: { interrupt(): void; leave(): void }): Signals {
  const leaving = new AbortController();
  let exitCode: number | undefined;
  let interrupts = 0;
  let lastResort: NodeJS.Timeout | undefined;
  const leave = (code: number) => {
    exitCode = code;
    leaving.abort(new DOMException("left", "AbortError"));
    lastResort ??= setTimeout(() => process.exit(code), lastResortMs).unref();
    on.leave();
  };
  const onInt = () => {
    interrupts += 1;
    if (interrupts === 1) on.interrupt();
    else leave(130);
  };
  const onTerm = () => leave(143);
  const onHup = () => leave(129);
  const onPipe = (error: NodeJS.ErrnoException) => {
    // EIO means that the terminal is gone.
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    leave(141);
  };
  process.on("SIGINT", onInt).on("SIGTERM", onTerm).on("SIGHUP", onHup);
  process.stdout.on("error", onPipe);
  process.stderr.on("error", onPipe);
  return {
    leaving: leaving.signal,
    get exitCode() {
      return exitCode;
    },
    stop() {
      process.off("SIGINT", onInt).off("SIGTERM", onTerm).off("SIGHUP", onHup);
    },
  };
}
