import type { Clock } from "../platform/index.ts";
import type { ModelClient } from "../protocol/index.ts";

/** A script being written: `through` a client that is used as before, until `finish`. */
export interface RecordedModels {
  through(client: ModelClient): ModelClient;
  /** Rejects if the file does not have everything that was said. */
  finish(): Promise<void>;
}

/** Opens a script file for the answers of every model of a session. */
export async function recordModels(
  file: string,
  options: { clock: Clock; secrets: readonly string[] },
): Promise<RecordedModels> {
  const { openRecording, recordModel } = await import("./scripted/index.ts");
  const recording = openRecording(file, options);
  return { through: (client) => recordModel(client, recording, options.clock), finish: () => recording.finish() };
}
