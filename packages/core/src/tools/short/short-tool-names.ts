/** What the tools of the stdio protocol are called, in the order of `shortTools`; known without loading them. */
export const shortToolNames = ["read", "write", "edit", "bash"] as const;
