import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ExamplesGateway } from "../kontekst/examples-gateway.ts";
import type { Ended, ProgramOptions } from "../zot/client-host.ts";

const program = fileURLToPath(new URL("../../examples/ozzie/ask.ts", import.meta.url));

let gateway: ExamplesGateway;
beforeAll(async () => {
	gateway = await ExamplesGateway.start();
});
afterAll(() => gateway[Symbol.asyncDispose]());

function ask(message: readonly string[], options?: ProgramOptions): Promise<Ended> {
	return gateway.run([process.execPath, program, ...message], options);
}

test.concurrent("ask.ts prints the reply and ends with 0", async () => {
	expect(await ask(["say: Hello!"])).toEqual({
		...{ code: 0, stdout: "[offline] Hello!\n(completed)\n", stderr: "" },
	});
});

test.concurrent.each([
	["approve\n", "\nhi\n"],
	["deny\n", "denied on the terminal"],
	["", "denied on the terminal"],
])("ask.ts asks about a call: %j", async (input, shown) => {
	const { code, stdout } = await ask(["run: echo hi"], { input });
	expect(stdout).toMatch(/^\nAllow run echo hi\? approve or deny\? /);
	expect(stdout).toContain(shown);
	expect(code).toBe(0);
});

test.concurrent("ask.ts asks the questions of the agent", async () => {
	const { stdout } = await ask(["ask: Which colour?"], { input: "blue\n" });
	expect(stdout).toMatch(/^\nWhich colour\? .*blue/s);
});

test.concurrent("ask.ts exits with 1 and reports the failure", async () => {
	const { code, stderr } = await ask(["fail: invalid"]);
	expect({ code, stderr }).toEqual({ code: 1, stderr: "\ninvalid\n" });
});

test.concurrent("ask.ts ends with 1 if the gateway refuses its token", async () => {
	const { code, stderr } = await ask(["say: Hello!"], { env: { PARLEY_TOKEN: "gw_operator_a_b" } });
	expect(code).toBe(1);
	expect(stderr).toMatch(/^the gateway at \S+ closed the connection or refused it: 1006/);
});

test.concurrent("ask.ts ends with 2 without a message", async () => {
	expect(await ask([])).toEqual({ code: 2, stdout: "", stderr: "usage: ask.ts MESSAGE\n" });
});
