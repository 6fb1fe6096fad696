declare const __TROUPE_VERSION__: string;

/** Put in by the build from package.json. */
export const version: string = __TROUPE_VERSION__;
