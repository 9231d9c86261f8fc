import { spawn } from "node:child_process";
import { root } from "./paths.mjs";

/**
 * Runs a program at the root without input and returns its output. The code is 127 if the program cannot be started,
 * and 1 if a signal killed it.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ code: number, output: string }>}
 */
export function capture(file, args, { env }) {
	const child = spawn(file, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
	/** @type {Buffer[]} */
	const chunks = [];
	for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
	return new Promise((resolve) => {
		child.on("error", (error) => resolve({ code: 127, output: String(error) }));
		child.on("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
	});
}

/**
 * Returns the seconds since `began` (a value of `performance.now()`) as text for people.
 * @param {number} began
 */
export function seconds(began) {
	return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
