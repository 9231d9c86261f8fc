// Functions of commands that only talk to a gateway. This entry is separate, because loading the gateway would double the
// time of such a command.
export { readOperatorToken } from "./auth/operator-token.ts";
export { databaseIn, lockIn } from "./data-directory/data-directory.ts";
export { checkPermissions, replacePrivateFile, writeDraft } from "./data-directory/private-file.ts";
export { type RuntimeFile, readRuntimeFile } from "./data-directory/runtime-file.ts";
