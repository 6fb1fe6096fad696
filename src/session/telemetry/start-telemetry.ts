import { version } from "../../platform/index.ts";
import type { Envelope, SessionId } from "../../protocol/index.ts";
import { spanIdOf, traceIdOf } from "./span.ts";
import { createSpanExporter } from "./span-exporter.ts";
import { createSpanFold } from "./span-fold.ts";
import type { TelemetryConfig } from "./telemetry-settings.ts";

/** Traces a session. It never slows down or breaks the session. */
export interface Telemetry {
  observe(envelope: Envelope): void;
  /** Sets the function that reports losses, as soon as the session can record them. */
  attach(raise: (message: string) => void): void;
  close(): Promise<void>;
}

export interface TracedSession {
  readonly sessionId: SessionId;
  /** The lead's session, if this is a teammate's: both share one trace. */
  readonly leadSessionId: SessionId | undefined;
  readonly cwd: string;
}

export function startTelemetry(config: TelemetryConfig, session: TracedSession): Telemetry {
  const { sessionId, leadSessionId } = session;
  let report: (message: string) => void = () => undefined;
  const underLead = leadSessionId === undefined ? undefined : spanIdOf("session", leadSessionId);
  const fold = createSpanFold({ parentSpanId: underLead ?? config.parent?.spanId, content: config.content });
  const exporter = createSpanExporter({
    endpoint: config.endpoint,
    headers: config.headers,
    traceId: config.parent?.traceId ?? traceIdOf(leadSessionId ?? sessionId),
    resource: { ...config.resource, "service.version": version, "process.working_directory": session.cwd },
    version,
    onLoss: (message) => report(message),
  });
  return {
    observe(envelope) {
      // Teammates in the same process are shown here too, but their own sessions trace them.
      if (envelope.session !== sessionId) return;
      const ended = fold(envelope);
      if (ended.length > 0) exporter.add(ended);
    },
    attach(raise) {
      report = raise;
    },
    close: () => exporter.close(closeWithinMs),
  };
}

const closeWithinMs = 3000;
