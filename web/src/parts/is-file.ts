/** True in an exported file: there is no server, and nothing can be changed. */
export const isFile = (): boolean => globalThis.location?.protocol === "file:";
