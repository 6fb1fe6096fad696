/** The names that an agent can get. */
export const agentNamePattern = /^[A-Za-z][\w-]{0,39}$/;
