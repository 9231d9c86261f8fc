import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseJson } from "@parley/base";

const run = promisify(execFile);

const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");

export interface Inspected {
	/** Parsed JSON of stdout. Empty if the program failed without output. */
	readonly result: Record<string, unknown>;
	readonly code: number;
	readonly stderr: string;
}

/** Runs the inspector, which writes its files to `home`. */
export async function inspect(args: readonly string[], home: string): Promise<Inspected> {
	const entry = join(program, "../clients/launcher/build/index.js");
	const environment = { PATH: process.env["PATH"] ?? "", HOME: home, ...ownVariables() };
	try {
		const { stdout, stderr } = await run(process.execPath, [entry, "--cli", ...args], {
			env: environment,
			maxBuffer: 16 * 1024 * 1024,
		});
		return { result: Object(parseJson(stdout)), code: 0, stderr };
	} catch (reason) {
		const { code = 1, stderr = "", stdout = "" } = Object(reason);
		return { result: stdout === "" ? {} : Object(parseJson(stdout)), code, stderr };
	}
}

/** Returns the variables of the test process that the inspector also needs. */
function ownVariables(): Record<string, string> {
	const temporary = process.env["TMPDIR"];
	return temporary === undefined ? {} : { TMPDIR: temporary };
}
