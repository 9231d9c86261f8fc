/**
 * Callers that need a token. `local`: all callers except processes of this user. `token`: all callers. `none`: no caller on
 * this machine.
 */
export const authModes = ["local", "token", "none"] as const;
export type AuthMode = (typeof authModes)[number];
