#!/usr/bin/env node
// Plain JavaScript, so that an old Node can report that it is too old.

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 24 || (major === 24 && minor >= 11)) {
	const { applyMemorySettings } = await import("./memory-settings.mjs");
	applyMemorySettings(process.argv[2]);
	const { runProgram } = await import("./run-program.mjs");
	await runProgram();
} else {
	const { runOnNewerNode } = await import("./newer-node.mjs");
	process.exitCode = await runOnNewerNode(process.argv.slice(1));
}
