export { runWorker, type WorkerOptions } from "./run-worker.ts";
