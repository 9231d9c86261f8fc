// What commands need that only talk to a gateway: an entry of its own, because loading the gateway would double their time.
export { readOperatorToken } from "./auth/operator-token.ts";
export { databaseIn } from "./data-directory/data-directory.ts";
export { type RuntimeFile, readRuntimeFile } from "./data-directory/runtime-file.ts";
