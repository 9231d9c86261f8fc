import { join } from "node:path";
import { findBundle } from "../../../packages/cli/bin/bundle.mjs";
import { keepCompiled } from "../../../packages/cli/bin/run-program.mjs";

/**
 * What the gateway's process loads before it is ready, and nothing else: the floor of its start. The command's own
 * modules import the others. As the command does, it takes them from the bundle where there is one of the sources as they are.
 */
const bundle = findBundle();
keepCompiled(bundle);
if (bundle === undefined) {
	await import("@parley/cli/program");
	await import("@parley/cli/run-gateway");
} else {
	await import(join(bundle, "program.js"));
	await import(join(bundle, "run-gateway.js"));
}
process.stdout.write("imported\n");
process.on("SIGTERM", () => process.exit(0));
setInterval(() => undefined, 1_000_000);
