export { type Bus, type BusAddress, connectBus } from "./connection/bus.ts";
export { hasNoResponders, isStreamMissing, isTransient } from "./connection/bus-errors.ts";
export { publish, requestWithRetry, type RetryLimits } from "./connection/bus-request.ts";
export { checkServer, type ServerCheck } from "./connection/check-server.ts";
export { parseMessage } from "./journal/journal-message.ts";
export { openFeed } from "./journal/stream-feed.ts";
export { streamPrefix } from "./team-subjects.ts";
