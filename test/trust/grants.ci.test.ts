import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { calls, hasBubblewrap, ScriptedModel, says } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { TestGateway } from "../conformance/gateway.ts";
import { binary, choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

/** A test that requires bubblewrap, because trusted channels require a sandbox. */
const testInside = test.runIf(hasBubblewrap);
const setup = "discord:111:c";
const ada = { actor: { id: "ada", name: "Ada" }, place: { tenant: "111", channel: "c" } };

function bearer(token: string) {
	return { headers: { authorization: `Bearer ${token.trim()}` } };
}

async function connectorOf(operator: OzzieClient, url: string): Promise<OzzieClient> {
	const tokenRequest = { kind: "connector", name: "discord", platform: "discord", tenants: ["111"] };
	const { token } = await operator.call("create_token", tokenRequest);
	await operator.call("set_person_role", { person: "discord:111:ada", role: "member" });
	return OzzieClient.connect(url, bearer(String(token)));
}

interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

function parley(directory: string, ...args: readonly string[]): Promise<Ended> {
	return new Promise((resolve) => {
		const env = { PATH: process.env["PATH"], HOME: directory, TZ: "UTC" };
		const all = [binary, "trust", ...args, "--data", join(directory, "data")];
		execFile(process.execPath, all, { env, cwd: directory }, (error, stdout, stderr) => {
			resolve({ code: Number(error?.code ?? 0), stdout, stderr });
		});
	});
}

testInside(
	"channels are trusted, listed and revoked at the command line, also after a crash",
	{
		timeout: paced(patienceMs * 3),
	},
	async () => {
		const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-grants-")));
		const data = join(directory, "data");
		const port = await choosePort();
		const environment = { PARLEY_AUTH: "token", PARLEY_SANDBOX: "required" };
		const begin = async (): Promise<GatewayProcess> => {
			const started = new GatewayProcess({ port, data, root: directory, environment });
			if (!(await started.ready)) throw new Error(started.stderr.join("\n"));
			return started;
		};
		let gateway = await begin();
		try {
			expect(await parley(directory, "list")).toMatchObject({
				stdout: "No channel is trusted. Use `parley trust grant`.\n",
			});
			const granted = await parley(
				directory,
				"grant",
				setup,
				"--reason",
				"release night",
				"--max",
				"7",
				"--unseen",
			);
			expect(granted.stderr).toBe("");
			expect(granted.stdout).toMatch(
				/^discord:111:c is trusted until [\d-]+ [\d:]+, for at most 7 calls\n`parley trust revoke (grant_\w+)` ends the grant\n$/,
			);
			const id = /grant_\w+/.exec(granted.stdout)?.[0] ?? "";
			gateway.kill("SIGKILL");
			await gateway.exited;
			gateway = await begin();
			const listed = await parley(directory, "list");
			expect(listed.stdout).toMatch(/^ID +CHANNEL +STATE +CALLS +COVERS +GRANTED BY +REASON\n/);
			expect(listed.stdout).toMatch(
				/grant_\w+ +discord:111:c +\d h left +0\/7 +all calls of members +operator +release night\n$/,
			);
			const more = ["--unseen", "--tools", "run_command", "--people", "discord:111:ada", "--minutes", "10"];
			const second = await parley(directory, "grant", setup, "--reason", "r", ...more, "--json");
			expect(JSON.parse(second.stdout)).toMatchObject({
				status: "granted",
				grant: { tools: ["run_command"], people: ["discord:111:ada"], max_actions: 200 },
			});
			const secondId: string = JSON.parse(second.stdout).grant.grant_id;
			expect(await parley(directory, "revoke", secondId.slice(0, 14), "--reason", "enough")).toMatchObject({
				...{ code: 0, stdout: "the channel is no longer trusted\n" },
			});
			const all = JSON.parse((await parley(directory, "list", "--all", "--json")).stdout);
			expect(all.grants).toMatchObject([
				{ grant_id: secondId, end_reason: "revoked by operator: enough" },
				{ grant_id: id, end_reason: "a newer grant replaces it" },
			]);
			for (const [code, message, ...args] of [
				[1, "grant not found: grant_none; use an id from the list of grants", "revoke", "grant_none"],
				[2, "PLATFORM:TENANT:CHANNEL", "grant", "discord:111", "--reason", "r"],
				[2, "--reason", "grant", setup],
				[2, "Allowed classes: read, write", "grant", setup, "--reason", "r", "--classes", "secret"],
				[2, "whole number", "grant", setup, "--reason", "r", "--minutes", "soon"],
			] as const) {
				expect(await parley(directory, ...args)).toMatchObject({
					...{ code, stdout: "", stderr: expect.stringContaining(message) },
				});
			}
		} finally {
			gateway.kill("SIGKILL");
			await gateway.exited;
			rmSync(directory, { recursive: true, force: true });
		}
	},
);

testInside("calls in a trusted channel run in the sandbox", async () => {
	const commands = ["cat $SECRET", "echo x > $OUTSIDE", "echo inside > a.txt && cat a.txt"];
	let paths: Readonly<Record<string, string>> = {};
	const model = new ScriptedModel(
		async function* () {
			for (const [n, command] of commands.entries()) {
				const cmd = command.replace(/\$(\w+)/, (_, name: string) => paths[name] ?? "");
				yield calls(`c${n}`, "run_command", { cmd });
			}
			yield { type: "end", stop: "tool_use", usage: none, model: "m" };
		},
		[says("done")],
	);
	const config = { auth: "token", sandbox: "required" } as const;
	await using gateway = await TestGateway.start({ config, model });
	writeFileSync(gateway.path("other", "notes.txt"), "secret text");
	paths = { SECRET: gateway.path("other", "notes.txt"), OUTSIDE: gateway.path("other", "written.txt") };
	const token = (await readOperatorToken(gateway.path("data"))) ?? "";
	await using operator = await OzzieClient.connect(gateway.url, bearer(token));
	await using connector = await connectorOf(operator, gateway.url);
	await connector.call("open_session", ada);
	await operator.call("request_grant", { channel: setup, reason: "tests" });
	await connector.call("send_message", { content: "go", ...ada });
	const ended: Record<string, unknown>[] = [];
	while (ended.length < commands.length) {
		const { event, payload } = await connector.event();
		expect(event).not.toBe("prompt.request");
		if (event === "tool.call" && payload["status"] !== "started") ended.push(payload);
	}
	expect(JSON.stringify(ended)).not.toContain("secret text");
	expect(ended.at(-1)).toMatchObject({ status: "completed", result: "inside\n" });
	expect(() => readFileSync(gateway.path("other", "written.txt"))).toThrow("ENOENT");
});

const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

testInside("a changed policy ends the trust of channels", async () => {
	const model = new ScriptedModel(
		[calls("c1", "write_file", { path: "a.txt", content: "a" })],
		[says("done")],
	);
	const config = { auth: "token", sandbox: "required" } as const;
	await using gateway = await TestGateway.start({ config, model });
	const token = (await readOperatorToken(gateway.path("data"))) ?? "";
	await using operator = await OzzieClient.connect(gateway.url, bearer(token));
	await using connector = await connectorOf(operator, gateway.url);
	await connector.call("open_session", ada);
	await operator.call("request_grant", { channel: setup, reason: "tests" });
	const rules = [{ effect: "ask", tool: "web_fetch", reason: "to be seen" }];
	writeFileSync(gateway.path("data", "policy.jsonc"), JSON.stringify({ rules }));
	await connector.call("send_message", { content: "go", ...ada });
	const { payload } = await connector.event("prompt.request");
	expect(payload["context"]).toMatchObject({ tool: "write_file" });
	const { grants } = (await operator.call("list_grants", { ended: true })) as { grants: object[] };
	expect(grants).toMatchObject([{ end_reason: "the policy has changed" }]);
});

test("with the container as the sandbox, no channel is trusted, and only the operator approves its commands", async () => {
	const model = new ScriptedModel(
		[calls("c1", "run_command", { cmd: "cat ../../tokens/operator" })],
		[says("done")],
	);
	const config = { auth: "token", sandbox: "container" } as const;
	await using gateway = await TestGateway.start({ config, model });
	const token = (await readOperatorToken(gateway.path("data"))) ?? "";
	await using operator = await OzzieClient.connect(gateway.url, bearer(token));
	await using connector = await connectorOf(operator, gateway.url);
	await operator.call("set_person_role", { person: "discord:111:ada", role: "owner" });
	await connector.call("open_session", ada);
	const tokenRequest = { channel: setup, reason: "tests" };
	expect(await operator.refusal("request_grant", tokenRequest)).toMatch(
		/with sandbox: container, commands can reach this gateway.s own files; set sandbox: required/,
	);
	await connector.call("send_message", { content: "go", ...ada });
	const { payload } = await connector.event("prompt.request");
	expect(payload["context"]).toMatchObject({ tool: "run_command" });
	const yes = { token: payload["token"], value: true, ...ada };
	expect(await connector.refusal("prompt_response", yes)).toMatch(/^forbidden/);
	await connector.call("prompt_response", { token: payload["token"], cancelled: true, ...ada });
	await connector.event("assistant.message");
});
