/** The client for the bus is loaded only by who asks for it. */
export const loadWorkBus = async () => (await import("./nats-work-bus.ts")).openWorkBus;
