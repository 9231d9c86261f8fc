import { join } from "node:path";
import { findBundle } from "../../../packages/cli/bin/bundle.mjs";
import { storeCompiled } from "../../../packages/cli/bin/run-program.mjs";

/**
 * The floor of a start: only loads the modules that the gateway loads before it is ready, from the bundle if
 * `findBundle` returns one.
 */
const bundle = findBundle();
storeCompiled(bundle);
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
