import { join } from "node:path";
import { findBundle } from "../../../packages/cli/bin/bundle.mjs";
import { storeCompiled } from "../../../packages/cli/bin/run-program.mjs";

/**
 * The floor of a start: loads only the modules that the gateway's process loads before it is ready. Loads them from a
 * bundle of the current sources if there is one, as the command does.
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
