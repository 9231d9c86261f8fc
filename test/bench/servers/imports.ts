import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * What the gateway's process loads before it is ready, and nothing else: the floor of its start. The command's own
 * modules import the others.
 */
enableCompileCache(
	fileURLToPath(new URL("../../../packages/cli/node_modules/.cache/compile", import.meta.url)),
);
await import("@parley/cli/program");
await import("@parley/cli/run-gateway");
process.stdout.write("imported\n");
process.on("SIGTERM", () => process.exit(0));
setInterval(() => undefined, 1_000_000);
