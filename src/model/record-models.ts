import type { Clock } from "../platform/index.ts";
import type { ModelClient } from "../protocol/index.ts";

/** A script that is being recorded. `through` wraps a client; `finish` closes the recording. */
export interface RecordedModels {
  through(client: ModelClient): ModelClient;
  /** Rejects if the file does not contain everything. */
  finish(): Promise<void>;
}

/** Opens a script file that records the answers of every model of a session. */
export async function recordModels(
  file: string,
  options: { clock: Clock; secrets: readonly string[] },
): Promise<RecordedModels> {
  const { openRecording, recordModel } = await import("./scripted/index.ts");
  const recording = openRecording(file, options);
  return { through: (client) => recordModel(client, recording, options.clock), finish: () => recording.finish() };
}
