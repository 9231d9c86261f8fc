#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the TypeScript behind it can still say so.

import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 24 || (major === 24 && minor >= 11)) {
	// A quarter of the start is spent on turning TypeScript into code; the second start finds it done.
	const { enableCompileCache } = await import("node:module");
	enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)));
	await import("../src/main.ts");
} else {
	const { runOnNewerNode } = await import("./newer-node.mjs");
	process.exitCode = await runOnNewerNode(process.argv.slice(1));
}
