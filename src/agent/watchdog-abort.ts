const name = "GivenUpError";

/** The abort reason of a run that a watchdog declares failed, as opposed to one that the user stops. */
export const abortedByWatchdog = (why: string): DOMException => new DOMException(why, name);

/** Undefined if the run was stopped or still runs. */
export function watchdogAbortReason({ reason }: AbortSignal): string | undefined {
  return reason instanceof DOMException && reason.name === name ? reason.message : undefined;
}
