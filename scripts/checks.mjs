import { capture, seconds } from "./capture.mjs";
import { add, none, one } from "./counts.mjs";
import { binary, environment } from "./paths.mjs";

/** Options that store the result, so that the next type check takes a fraction of the time. */
const incremental = ["--incremental", "--tsBuildInfoFile", "node_modules/.cache/parley/types.tsbuildinfo"];

/**
 * Runs lint, types, dead code and plain English. Prints a line for each check, the output of a failed check, and the
 * output of plain English. Each check counts as one test.
 * @param {(line: string) => void} [print]
 * @returns {Promise<import("./counts.mjs").Counts>}
 */
export async function check(print = console.log) {
	const colors = process.stdout.isTTY === true;
	const steps = [
		{ name: "lint", args: ["biome", "check", "--error-on-warnings", `--colors=${colors ? "force" : "off"}`] },
		{ name: "types", args: ["tsc", "-p", "tsconfig.json", ...incremental, "--pretty", String(colors)] },
		{ name: "dead code", args: ["knip"] },
		{ name: "english", args: ["node", "test/docs/plain-english.ts", "--check"] },
	];
	// The checks run at the same time, because one check does not always keep its core busy.
	const counts = await Promise.all(
		steps.map(async ({ name, args }) => {
			const began = performance.now();
			const [program = "", ...rest] = args;
			const { code, output } = await capture(binary(program), rest, { env: environment() });
			print(`${name.padEnd(10)} ${code === 0 ? "passed" : "FAILED"}  ${seconds(began)}`);
			if (code !== 0 || name === "english") print(output.trimEnd());
			return one(code === 0, name);
		}),
	);
	return counts.reduce(add, none);
}
