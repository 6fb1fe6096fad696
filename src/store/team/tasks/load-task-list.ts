/** Loaded on demand: most sessions never use their list and start faster without it. */
export const loadTaskList = async () => (await import("./journal-task-list.ts")).openTaskList;
