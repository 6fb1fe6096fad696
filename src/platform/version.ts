declare const __TROUPE_VERSION__: string;

/** Inserted by the build from package.json. */
export const version: string = __TROUPE_VERSION__;
