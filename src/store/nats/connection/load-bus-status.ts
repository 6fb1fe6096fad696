/** The client for the bus is loaded only by who asks for it. */
export const loadBusStatus = async () => (await import("./bus-status.ts")).busStatus;
