/**
 * Clients that need a token:
 * - `local`: all except processes of this user on this machine (see `trustLocal`).
 * - `token`: all.
 * - `none`: all except programs on this machine.
 *
 * Browsers and forwarded requests need a credential in every mode.
 */
export const authModes = ["local", "token", "none"] as const;
export type AuthMode = (typeof authModes)[number];
