// What `parley rpc` loads before its first response, and nothing else: the floor of its start. Plain JavaScript, because
// Node itself would otherwise load what reads TypeScript.

import { join } from "node:path";
import { findBundle } from "../../../packages/cli/bin/bundle.mjs";
import { keepCompiled } from "../../../packages/cli/bin/run-program.mjs";

const bundle = findBundle();
if (bundle === undefined) throw new Error("there is no bundle of the sources as they are: npm run build");
keepCompiled(bundle);
await import(join(bundle, "rpc-program.js"));
await import(join(bundle, "run-rpc.js"));
process.stdout.write("imported\n");
process.on("SIGTERM", () => process.exit(0));
setInterval(() => undefined, 1_000_000);
