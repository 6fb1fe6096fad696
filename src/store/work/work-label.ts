/** A label of workers: they take only jobs all of whose labels they have. */
export const workLabel = /^[a-z0-9][a-z0-9_-]{0,31}$/;
