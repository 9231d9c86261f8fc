/** Callers that need a token: all except this user's own processes, all, or none on this machine. */
export const authModes = ["local", "token", "none"] as const;
export type AuthMode = (typeof authModes)[number];
