/** Loads the bus client only when needed. */
export const loadBusStatus = async () => (await import("./bus-status.ts")).busStatus;
