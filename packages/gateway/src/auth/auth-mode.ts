/**
 * Authentication modes, each with the clients that need a token:
 * - `local`: all except processes of the gateway's user on this machine. Tool processes need a token. Without
 *   `trustLocal`, all processes need one.
 * - `token`: all.
 * - `none`: all except programs on this machine.
 *
 * Browsers and forwarded requests need a credential in every mode.
 */
export const authModes = ["local", "token", "none"] as const;
export type AuthMode = (typeof authModes)[number];
