import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ProgramOptions } from "../zot/client-host.ts";
import type { ExamplesGateway } from "./examples-gateway.ts";

export interface Example {
	readonly gateway: ExamplesGateway;
	readonly command: readonly [string, ...string[]];
}

/** Defines the tests of one example. They are the same for each language, and run concurrently. */
export function testExample(name: string, start: () => Example): void {
	const ask = (prompt: string, options?: ProgramOptions) => {
		const { gateway, command } = start();
		return gateway.run([...command, prompt], options);
	};

	test.concurrent(`${name} prints the reply and ends with 0`, async () => {
		const stdout = "[offline] Hello!\n(completed)\n";
		expect(await ask("say: Hello!")).toEqual({ code: 0, stdout, stderr: "" });
	});

	test.concurrent(`${name} asks about each call, and the approved ones run`, async () => {
		const file = start().gateway.path(`${name}.txt`);
		const prompt = `write: ${file} <<< one\n& run: cat ${file}`;
		const { code, stdout } = await ask(prompt, { input: "approve\napprove\n" });
		expect(stdout.match(/approve or deny\?/g)).toHaveLength(2);
		expect(stdout).toMatch(/^write_file \{.*\}\n--- \/dev\/null\n\+\+\+ .*\n@@ .*\n\+one\n/m);
		expect(stdout).toMatch(/^run_command \{"cmd":"cat .*"\}$/m);
		expect(stdout).toMatch(/\none\n.*\n\(completed\)\n$/s);
		expect(code).toBe(0);
		expect(readFileSync(file, "utf8")).toBe("one");
	});

	test.concurrent.each([
		["deny", "deny\n"],
		["no answer", ""],
	])(`${name} ends with 1 after "%s", and the call does not run`, async (title, input) => {
		const file = start().gateway.path(`${name}-${title}.txt`);
		const { code, stdout } = await ask(`write: ${file} <<< one`, { input });
		expect(stdout).toMatch(/approve or deny\? \n\(cancelled\)\n$/);
		expect(code).toBe(1);
		expect(existsSync(file)).toBe(false);
	});

	test.concurrent(`${name} ends with 1 and prints the error`, async () => {
		const failed = await ask("fail: invalid");
		expect(failed).toEqual({ code: 1, stdout: "\n(failed)\n", stderr: "invalid\n" });
	});

	test.concurrent(`${name} ends with 1 if the gateway refuses its token`, async () => {
		const { code, stdout, stderr } = await ask("say: Hello!", { env: { PARLEY_TOKEN: "gw_operator_a_b" } });
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toMatch(/^[^\n]*UNAUTHENTICATED: unauthorized: [^\n]*\n$/);
	});

	test.concurrent(`${name} ends with 2 without a prompt`, async () => {
		const { gateway, command } = start();
		const stderr = `usage: ${name} PROMPT\n`;
		expect(await gateway.run(command)).toEqual({ code: 2, stdout: "", stderr });
	});
}
