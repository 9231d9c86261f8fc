/** Names of the tools of the zot protocol, in the order of `shortTools`. Reading this constant does not load the tools. */
export const shortToolNames = ["read", "write", "edit", "bash"] as const;
