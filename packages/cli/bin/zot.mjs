#!/usr/bin/env node
// Entry point for programs that start the agent as `zot rpc`. Plain JavaScript, so that an old Node can report that
// it is too old.

const [command, ...flags] = process.argv.slice(2);
const known = ["rpc", "--rpc", "--version", "--help", "-h"];

if (command === undefined || !known.includes(command)) {
	console.error(
		`zot: ${command === undefined ? "no command" : `unknown command ${JSON.stringify(command)}`}; Parley supports only \`zot rpc\``,
	);
	process.exitCode = 1;
} else {
	if (command === "--rpc") process.argv.splice(2, process.argv.length, "rpc", ...flags);
	if (command === "--help" || command === "-h") process.argv.splice(2, process.argv.length, "rpc", "--help");
	await import("./parley.mjs");
}
