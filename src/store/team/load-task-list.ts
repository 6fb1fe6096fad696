/** For sessions: most never use their list, and start sooner without it. */
export const loadTaskList = async () => (await import("./task-list.ts")).openTaskList;
