/** True if `dist` is complete and newer than every source. */
export function isBuilt(): boolean;
