// Loads what a gateway needs before it listens, and `rpc` before it works, from the bundle in the folder that is named as
// the argument, and runs none of it. Needs the workspace's Node: scripts/build.mjs starts it.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { keepCompiled } from "../packages/cli/bin/run-program.mjs";

const [, , folder = ""] = process.argv;
keepCompiled(folder);
for (const entry of ["program.js", "run-gateway.js", "rpc-program.js", "run-rpc.js", "open-agent.js"])
	await import(pathToFileURL(join(folder, entry)).href);
