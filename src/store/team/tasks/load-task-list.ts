/** For sessions: most never use their list, and start sooner without it. */
export const loadTaskList = async () => (await import("./journal-task-list.ts")).openTaskList;
