import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { converse } from "./document-client.ts";
import { verifiesOn } from "./verifies.ts";

async function startBinary() {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-document-")));
	const root = join(directory, "root");
	await mkdir(root);
	const port = await choosePort();
	const gateway = new GatewayProcess({ port, data: join(directory, "data"), root });
	if (!(await gateway.ready)) throw new Error(`the gateway did not start:\n${gateway.stderr.join("\n")}`);
	return {
		...{ root, url: `ws://127.0.0.1:${port}/api/ws` },
		async [Symbol.asyncDispose]() {
			gateway.kill("SIGTERM");
			await gateway.exited;
			await rm(directory, { recursive: true, force: true });
		},
	};
}

verifiesOn(
	"ozzie",
	["connection.document-client"],
	"the document's client sends messages, approves and denies",
	async () => {
		await using gateway = await startBinary();
		const talk = (content: string, answer: boolean) =>
			converse(gateway.url, { cwd: gateway.root, content, answer });
		expect(await talk("say: Hello, this is Ozzie!", true)).toEqual({
			display: "[offline] Hello, this is Ozzie!\n",
			shown: [],
			prompts: [],
		});
		expect(await talk("run: echo hi", true)).toEqual({
			display: "[offline] run_command returned:\nhi\n",
			prompts: ["confirm: Allow run echo hi?"],
			shown: ["Running run_command...", "result: hi\n"],
		});
		const denied = await talk("run: echo hi", false);
		expect(denied.prompts).toEqual(["confirm: Allow run echo hi?"]);
		expect(denied.shown).toEqual(["Running run_command...", expect.stringMatching(/^error: denied/)]);
		expect(denied.display).toMatch(/^\[offline\] run_command failed:\ndenied.*\n$/s);
	},
);
