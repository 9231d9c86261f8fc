import { mkdir, mkdtempDisposable, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { verifiesOn } from "./verifies.ts";

const key = "sk-local-0123456789-canary";

verifiesOn("ozzie", ["tool.environment"], "a command can read neither the key nor the token", async () => {
	await using directory = await mkdtempDisposable(join(await realpath(tmpdir()), "parley-environment-"));
	const [root, data] = [join(directory.path, "root"), join(directory.path, "data")];
	await mkdir(root);
	const port = await choosePort();
	const environment = { ANTHROPIC_API_KEY: key, PARLEY_PROVIDER: "offline", OTHER_API_KEY: key };
	const gateway = new GatewayProcess({ port, data, root, environment });
	try {
		if (!(await gateway.ready)) throw new Error(`the gateway did not start:\n${gateway.stderr.join("\n")}`);
		await using client = await OzzieClient.connect(`http://127.0.0.1:${port}`);
		await client.open();
		const result = async (cmd: string): Promise<string> => {
			await client.call("send_message", { content: `run: ${cmd}` });
			const { payload: prompt } = await client.event("prompt.request");
			await client.call("prompt_response", { token: prompt["token"], value: true });
			const { payload } = await client.event("tool.call", { status: "completed" });
			await client.event("assistant.message");
			return String(payload["result"]);
		};
		const token = (await readFile(join(data, "tokens", "operator"), "utf8")).trim();
		const own = await result("env");
		expect(own).toContain(`PWD=${root}`);
		expect(own).not.toMatch(/API_KEY|PARLEY_(?!CALL=)|canary/);
		expect(own).not.toContain(token);
		// Unsandboxed commands can read everything that their user can read. The gateway redacts their output.
		const parents = await result("tr '\\0' '\\n' < /proc/$PPID/environ");
		expect(parents).toContain("ANTHROPIC_API_KEY=[redacted]");
		expect(parents).not.toContain(key);
		const coded = await result(`printf %s ${key} | base64 -w0`);
		expect(coded).not.toContain(Buffer.from(key).toString("base64"));
	} finally {
		gateway.kill("SIGTERM");
		await gateway.exited;
	}
});
