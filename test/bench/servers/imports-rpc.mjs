// What `parley rpc` of an installed package loads before its first response, and nothing else: the floor of its start. The
// argument is the package's folder. Plain JavaScript, because Node itself would otherwise load what reads TypeScript.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , home = ""] = process.argv;
/** @param {string} path */
const load = (path) => import(pathToFileURL(path).href);

const { findBundle } = await load(join(home, "bin/bundle.mjs"));
const { keepCompiled } = await load(join(home, "bin/run-program.mjs"));
const bundle = findBundle();
keepCompiled(bundle);
await load(join(bundle, "rpc-program.js"));
await load(join(bundle, "run-rpc.js"));
process.stdout.write("imported\n");
process.on("SIGTERM", () => process.exit(0));
setInterval(() => undefined, 1_000_000);
