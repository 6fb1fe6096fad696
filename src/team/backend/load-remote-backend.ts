import type { Backend } from "./backend.ts";
import type { RemoteBackendOptions } from "./remote-backend.ts";

/** Members on workers; its code is loaded for those who have some. */
export async function createRemoteBackend(options: RemoteBackendOptions): Promise<Backend> {
  const remote = await import("./remote-backend.ts");
  return remote.createRemoteBackend(options);
}
