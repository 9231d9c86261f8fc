// Functions for commands that only send requests to a gateway. This entry point is separate, because loading the
// gateway would double the duration of such a command.
export { readOperatorToken } from "./auth/operator-token.ts";
export { databaseIn, lockIn } from "./data-directory/data-directory.ts";
export { checkPermissions, replacePrivateFile, writeDraft } from "./data-directory/private-file.ts";
export { type RuntimeFile, readRuntimeFile } from "./data-directory/runtime-file.ts";
