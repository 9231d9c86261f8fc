/** Who needs a token: all but this user's own processes, everybody, or nobody on this machine. */
export const authModes = ["local", "token", "none"] as const;
export type AuthMode = (typeof authModes)[number];
