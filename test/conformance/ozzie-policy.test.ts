import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

function rules(...list: readonly object[]): string {
	return JSON.stringify({ rules: list });
}

/**
 * Returns the outcome of the tool call that `content` causes: `ran` or the error. Adds the prefix `asked, ` if the
 * call required approval.
 */
async function outcomeOf(client: OzzieClient, content: string): Promise<string> {
	await client.call("send_message", { content });
	for (let received = ""; ; ) {
		const { event, payload } = await client.event();
		if (event === "assistant.message") return received;
		if (event === "prompt.request") {
			received += "asked, ";
			await client.call("prompt_response", { token: payload["token"], value: true });
		}
		if (event === "tool.call" && payload["status"] === "completed") received += "ran";
		if (event === "tool.call" && payload["status"] === "failed") received += String(payload["error"]);
	}
}

verifiesOn("ozzie", ["policy.rules", "policy.floor"], "rules apply as written in the file", async () => {
	const data = { "policy.jsonc": rules({ effect: "allow", tool: "write_file", when: { path: "docs/**" } }) };
	await using gateway = await TestGateway.start({ data });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	expect(await outcomeOf(client, "write: docs/a.md <<< a")).toBe("ran");
	expect(await outcomeOf(client, "write: src/a.md <<< a")).toBe("asked, ran");
	expect(await outcomeOf(client, "write: docs/.env <<< a")).toBe("asked, ran");
	const file = gateway.path("data", "policy.jsonc");
	const allowsTrue = { effect: "allow", when: { command: ["true"], class: "exec-unsandboxed" } };
	const denies = { effect: "deny", when: { command: ["rm"] }, reason: "nothing is removed here" };
	await writeFile(file, rules(allowsTrue, denies));
	expect(await outcomeOf(client, "run: true && true")).toBe("ran");
	expect(await outcomeOf(client, "run: true; bash -c 'rm x'")).toBe("denied: nothing is removed here");
	expect(await outcomeOf(client, "run: true $(echo)")).toBe("asked, ran");
	expect(await outcomeOf(client, "write: docs/a.md <<< b")).toBe("asked, ran");
});

verifiesOn("ozzie", ["policy.stricter"], "the file of a repository allows no additional call", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const place = gateway.path("work", ".parley");
	await mkdir(place);
	await writeFile(gateway.path("work", ".parley", "policy.jsonc"), rules({ effect: "allow" }));
	expect(await outcomeOf(client, "write: a.md <<< a")).toBe("asked, ran");
	await writeFile(
		gateway.path("work", ".parley", "policy.jsonc"),
		rules({ effect: "deny", tool: "write_file", reason: "frozen" }),
	);
	expect(await outcomeOf(client, "write: a.md <<< b")).toBe("denied: frozen");
});

verifiesOn("ozzie", ["policy.broken"], "with an invalid policy, no call runs", async () => {
	const broken = '{ "rules": [\n  { "effect": "alow" }\n] }';
	await expect(TestGateway.start({ data: { "policy.jsonc": broken } })).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining('policy.jsonc:2:15: "alow" is not allowed for effect'),
	});
	await using gateway = await TestGateway.start({ data: { "policy.jsonc": rules() } });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const health = () => fetch(`${gateway.url}/api/health?verbose`);
	expect((await fetch(`${gateway.url}/api/health`)).status).toBe(200);
	await writeFile(gateway.path("data", "policy.jsonc"), broken);
	expect((await fetch(`${gateway.url}/api/health`)).status).toBe(503);
	expect(parseJson(await (await health()).text())).toMatchObject({
		...{
			status: "degraded",
			policy: { state: "broken", reason: expect.stringContaining("policy.jsonc:2:15") },
		},
	});
	expect(await outcomeOf(client, "read: a.md")).toMatch(/^denied: the operator's policy is invalid.*:2:15/);
	await writeFile(gateway.path("data", "policy.jsonc"), rules());
	expect((await fetch(`${gateway.url}/api/health`)).status).toBe(200);
	expect(await outcomeOf(client, "write: a.md <<< a")).toBe("asked, ran");
});

verifiesOn("ozzie", ["policy.test"], "the operator sees why a call requires approval", async () => {
	const denies = { effect: "deny", when: { command: ["touch"] }, reason: "no files" };
	await using gateway = await TestGateway.start({ data: { "policy.jsonc": rules(denies) } });
	await using client = await OzzieClient.connect(gateway.url);
	const source = `${gateway.path("data", "policy.jsonc")}:1`;
	client.send({ type: "req", id: "1", method: "test_policy", params: { command: "env touch ran" } });
	expect(await client.response("1")).toMatchObject({
		ok: true,
		payload: {
			...{ effect: "deny", floor: false, reason: "no files", classes: ["exec-unsandboxed"], sandbox: "off" },
			rules: [{ layer: "operator", source, effect: "deny", reason: "no files", decides: true }],
		},
	});
	expect(existsSync(gateway.path("work", "ran"))).toBe(false);
	client.send({ type: "req", id: "2", method: "test_policy", params: {} });
	expect(await client.response("2")).toMatchObject({
		ok: false,
		error: expect.stringContaining("give either a command, or a tool"),
	});
	client.send({ type: "req", id: "3", method: "show_policy" });
	expect(await client.response("3")).toMatchObject({
		ok: true,
		payload: {
			rules: expect.arrayContaining([
				{
					layer: "built-in",
					effect: "ask",
					reason: "cannot be undone",
					floor: true,
					ignored: false,
					classes: ["irreversible"],
				},
				{
					layer: "operator",
					source,
					effect: "deny",
					reason: "no files",
					floor: false,
					ignored: false,
					commands: [["touch"]],
				},
			]),
		},
	});
});

async function approvalsOf(client: OzzieClient, content: string, count = 1) {
	await client.call("send_message", { content });
	const approvals: Readonly<Record<string, unknown>>[] = [];
	while (approvals.length < count) {
		const { event, payload } = await client.event();
		if (event === "prompt.request") approvals.push(payload);
	}
	return approvals;
}

async function endOf(client: OzzieClient): Promise<string> {
	for (let received = ""; ; ) {
		const { event, payload } = await client.event();
		if (event === "assistant.message") return received;
		if (event === "tool.call" && payload["status"] === "completed") received += "ran, ";
		if (event === "tool.call" && payload["status"] === "failed") received += String(payload["error"]);
	}
}

verifiesOn("ozzie", ["policy.always"], "an approval adds the rule that it shows", async () => {
	const old = '{\n  // Ours.\n  "rules": [\n    { "effect": "ask", "tool": "git" }, // kept\n  ],\n}\n';
	await using gateway = await TestGateway.start({
		config: { sandbox: "container" },
		data: { "policy.jsonc": old },
	});
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const [first, second] = await approvalsOf(client, "run: true one\n& run: printf x", 2);
	expect(first?.["context"]).toMatchObject({
		always_allow: {
			tool: "run_command",
			classes: ["exec-sandboxed", "egress"],
			commands: [{ words: ["true", "one"], exact: false }],
		},
	});
	const file = gateway.path("data", "policy.jsonc");
	const request = { token: first?.["token"], key: "key_always" };
	const added = await client.call("allow_always", request);
	expect(added).toMatchObject({ status: "sent", source: `${file}:5` });
	expect(await client.call("allow_always", request)).toEqual(added);
	// The new rule only allows more calls, so the other approval stays valid.
	await client.call("prompt_response", { token: second?.["token"], value: true });
	expect(await endOf(client)).toBe("ran, ran, ");
	const text = await readFile(file, "utf8");
	expect(text).toContain("// Ours.");
	expect(text).toContain("// kept");
	expect(text.match(/"true"/g)).toHaveLength(1);
	expect(await outcomeOf(client, "run: true one two && true one")).toBe("ran");
	expect(await outcomeOf(client, "run: true onetwo")).toBe("asked, ran");
	expect(await outcomeOf(client, "run: true one; printf x")).toBe("asked, ran");
	client.send({ type: "req", id: "again", method: "allow_always", params: { token: first?.["token"] } });
	expect(await client.response("again")).toMatchObject({
		ok: false,
		error: expect.stringContaining("closed"),
	});
	client.send({ type: "req", id: "audit", method: "read_audit", params: {} });
	const { payload } = (await client.response("audit")) as { payload: { records: { action: string }[] } };
	const actions = payload.records.map(({ action }) => action);
	expect(actions.indexOf("policy.extend")).toBeGreaterThan(-1);
	expect(actions).toContain("policy.change");
});

verifiesOn(
	"ozzie",
	["policy.always"],
	"no rule is offered without a sandbox, or by an invalid file",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const [approval] = await approvalsOf(client, "run: true");
		expect(approval?.["context"]).not.toHaveProperty("always_allow");
		const request = { type: "req", method: "allow_always", params: { token: approval?.["token"] } } as const;
		client.send({ ...request, id: "1" });
		expect(await client.response("1")).toMatchObject({
			ok: false,
			error: expect.stringContaining("cannot add a rule for this call"),
		});
		expect(existsSync(gateway.path("data", "policy.jsonc"))).toBe(false);
	},
);

verifiesOn("ozzie", ["policy.always"], "no rule is offered for a command with a secret", async () => {
	await using gateway = await TestGateway.start({ config: { sandbox: "container" } });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	// In the second command, quotes split the key, but the shell joins its parts.
	const commands = ["true sk-ant-api03-abcdefghijkl", "true sk-ant-'api03-abcdefghijkl'"];
	for (const cmd of commands) {
		const [approval] = await approvalsOf(client, `run: ${cmd}`);
		expect(approval?.["context"]).not.toHaveProperty("always_allow");
		await client.call("prompt_response", { token: approval?.["token"], value: false });
		await client.event("assistant.message");
	}
});

verifiesOn(
	"ozzie",
	["policy.always"],
	"no rule is added, and no approval stays valid, if another rule arrives first",
	async () => {
		const stricter = '{ "rules": [{ "effect": "ask", "tool": "run_command", "approvals": 2 }] }';
		await using gateway = await TestGateway.start({ config: { sandbox: "container" } });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const [approval] = await approvalsOf(client, "run: true");
		await using observer = await OzzieClient.connect(gateway.url);
		await mkdir(gateway.path("data", "run"), { recursive: true });
		using lock = new DatabaseSync(gateway.path("data", "run", "policy.lock"));
		lock.exec("BEGIN EXCLUSIVE");
		const params = { token: approval?.["token"] };
		client.send({ type: "req", id: "always", method: "allow_always", params });
		const isAudited = async (): Promise<boolean> => {
			const { records } = (await observer.call("read_audit", { limit: 1000 })) as {
				records: { action: string }[];
			};
			return records.some(({ action }) => action === "policy.extend");
		};
		while (!(await isAudited()));
		const file = gateway.path("data", "policy.jsonc");
		await writeFile(file, stricter, { mode: 0o600 });
		lock.exec("ROLLBACK");
		expect(await client.response("always")).toMatchObject({
			ok: false,
			error: expect.stringContaining("the rules have changed"),
		});
		expect(await readFile(file, "utf8")).toBe(stricter);
		await client.call("prompt_response", { token: approval?.["token"], value: true });
		expect(await endOf(client)).toContain("policy");
	},
);
