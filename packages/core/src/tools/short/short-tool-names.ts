/** Names of the tools of the stdio protocol, in the order of `shortTools`, without loading the tools. */
export const shortToolNames = ["read", "write", "edit", "bash"] as const;
