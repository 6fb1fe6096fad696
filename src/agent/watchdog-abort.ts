const name = "GivenUpError";

/** Why a run is aborted that nobody wants to stop: it has failed, and somebody other than itself has noticed. */
export const abortedByWatchdog = (why: string): DOMException => new DOMException(why, name);

/** Undefined where the run was stopped, or goes on. */
export function watchdogAbortReason({ reason }: AbortSignal): string | undefined {
  return reason instanceof DOMException && reason.name === name ? reason.message : undefined;
}
