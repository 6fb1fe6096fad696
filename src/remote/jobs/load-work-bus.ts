/** Loads the bus client only when needed. */
export const loadWorkBus = async () => (await import("./nats-work-bus.ts")).openWorkBus;
