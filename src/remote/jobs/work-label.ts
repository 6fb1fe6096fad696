/** A worker label. A worker claims only jobs whose labels it has all of. */
export const workLabel = /^[a-z0-9][a-z0-9_-]{0,31}$/;
