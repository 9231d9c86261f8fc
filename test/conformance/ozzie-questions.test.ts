import { readdir, readFile } from "node:fs/promises";
import { expect } from "vitest";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

async function ask(client: OzzieClient, content: string): Promise<EventFrame["payload"]> {
	await client.call("send_message", { content });
	return (await client.event("prompt.request")).payload;
}

async function answered(
	client: OzzieClient,
	{ token }: EventFrame["payload"],
	answer: object,
): Promise<unknown> {
	await client.call("prompt_response", { token, ...answer });
	const { payload } = await client.event("tool.call");
	await client.event("assistant.message");
	return payload["result"] ?? payload["error"];
}

const option = (value: string) => ({ value, label: value, description: "", disabled: false });
const askUser = (args: object) => `tool: ask_user ${JSON.stringify(args)}`;

verifiesOn(
	"ozzie",
	["ask.text", "ask.shapes"],
	"a question for a text returns the answer to the agent",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		for (const answer of [{ value: "Ada" }, { text: "Ada" }, { values: ["Ada"] }]) {
			const question = await ask(client, "ask: What is your name?");
			expect(question).toEqual({
				...{ type: "text", label: "What is your name?", required: true, options: [], default: null },
				...{
					placeholder: "",
					validation: "",
					token: expect.any(String),
					context: { call_id: expect.any(String), expires_at: expect.any(String) },
				},
			});
			expect(await answered(client, question, answer)).toBe("Ada");
		}
	},
);

verifiesOn(
	"ozzie",
	["ask.select", "ask.options", "ask.invalid"],
	"exactly one of the options can be chosen",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const rum = { value: "rum", label: "Rum", description: "not before noon", disabled: true };
		const question = await ask(
			client,
			askUser({ type: "select", label: "Drink?", options: ["tea", "coffee", rum] }),
		);
		expect(question).toMatchObject({ type: "select", options: [option("tea"), option("coffee"), rum] });
		for (const value of ["rum", "water", "TEA", "", 0, ["tea"], null]) {
			const error = await client.refusal("prompt_response", { token: question["token"], value });
			expect(error).toMatch(/^invalid params\b/);
		}
		expect(await client.arrived()).toEqual([]);
		expect(await answered(client, question, { value: "tea" })).toBe("tea");
	},
);

verifiesOn("ozzie", ["ask.multi", "ask.shapes", "ask.invalid"], "several options are chosen", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	for (const answer of [{ value: ["red", "blue"] }, { values: ["red", "blue"] }]) {
		const question = await ask(client, "pick: red | green | blue");
		expect(question).toMatchObject({ type: "multi", options: ["red", "green", "blue"].map(option) });
		const twice = ["red", "blue", "red"];
		const notLists = [{ value: {} }, { value: "red" }, {}];
		const lists = [{ values: ["pink"] }, { value: ["red", 1] }, { values: [] }, { value: twice }];
		for (const wrong of [...notLists, ...lists, { values: twice }]) {
			const error = await client.refusal("prompt_response", { token: question["token"], ...wrong });
			expect(error).toMatch(/^invalid params\b/);
		}
		expect(await answered(client, question, answer)).toBe('["red","blue"]');
	}
});

verifiesOn("ozzie", ["ask.invalid"], "an answer must fit validation and required", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const strict = { type: "text", label: "Year?", validation: "[0-9]{4}" };
	const question = await ask(client, askUser(strict));
	expect(question).toMatchObject({ validation: "[0-9]{4}", required: true });
	for (const value of ["", "26", "year 2026", "2026!", 2026, null]) {
		const error = await client.refusal("prompt_response", { token: question["token"], value });
		expect(error).toMatch(/^invalid params\b/);
	}
	expect(await answered(client, question, { value: "2026" })).toBe("2026");
	const free = await ask(client, askUser({ ...strict, required: false }));
	expect(free["required"]).toBe(false);
	expect(await answered(client, free, { value: "" })).toBe("(an empty answer)");
	const slow = await ask(client, askUser({ ...strict, validation: "(a+)+b" }));
	const error = await client.refusal("prompt_response", { token: slow["token"], value: "a".repeat(50_000) });
	expect(error).toMatch(/^invalid params\b/);
});

verifiesOn("ozzie", ["ask.long"], "an answer in words has a maximum length", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	for (const [content, maximum, received] of [
		["ask: Who?", 65_536, "x".repeat(65_536)],
		["secret: Key?", 4_096, expect.stringMatching(/^secret:/)],
	] as const) {
		const question = await ask(client, content);
		for (const value of ["x".repeat(maximum + 1), "x".repeat(900_000)]) {
			const error = await client.refusal("prompt_response", { token: question["token"], value });
			expect(error).toBe(`invalid params: the answer has ${value.length} characters: use at most ${maximum}`);
		}
		expect(await answered(client, question, { value: "x".repeat(maximum) })).toEqual(received);
	}
});

verifiesOn("ozzie", ["ask.cancel"], "a dismissed question is reported as dismissed", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	for (const content of ["ask: Who?", "choose: a | b", "pick: a | b", "secret: Key?"]) {
		const question = await ask(client, content);
		expect(await answered(client, question, { cancelled: true, value: "a" })).toContain("declined to answer");
	}
});

verifiesOn("ozzie", ["ask.password"], "the value of a password is stored nowhere", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const frames: string[] = [];
	client.socket.on("message", (data) => frames.push(data.toString()));
	const session = await client.open();
	const question = await ask(client, "secret: API key\nsay: done");
	expect(question).toMatchObject({ type: "password", label: "API key", options: [] });
	const value = "correct-horse-battery-staple";
	await client.call("prompt_response", { token: question["token"], value, key: "k" });
	const { payload } = await client.event("prompt.response");
	expect(payload).toMatchObject({ value: null, cancelled: false });
	const received = await client.event("tool.call", { status: "completed" });
	expect(received.payload["result"]).toMatch(/^secret:/);
	await client.event("assistant.message");
	await client.request("load_messages");
	await using late = await OzzieClient.connect(gateway.url);
	late.socket.on("message", (data) => frames.push(data.toString()));
	await late.open({ session_id: session, after_seq: 0 });
	await late.event("assistant.message");
	for (const path of ["/api/events", "/api/sessions"])
		frames.push(await (await fetch(gateway.url + path)).text());
	frames.push(JSON.stringify(gateway.log.records));
	for (const entry of await readdir(gateway.path("data"), { recursive: true, withFileTypes: true })) {
		if (entry.isFile()) frames.push(await readFile(`${entry.parentPath}/${entry.name}`, "latin1"));
	}
	expect(frames.length).toBeGreaterThan(15);
	const forms = [
		value,
		Buffer.from(value).toString("base64").slice(0, -4),
		Buffer.from(value).toString("hex"),
	];
	for (const text of frames) for (const form of forms) expect(text.includes(form)).toBe(false);
});

const canary = "correct-horse-battery-staple";
const forms = [
	canary,
	Buffer.from(canary).toString("base64").slice(0, -4),
	Buffer.from(canary).toString("base64url").slice(0, -4),
	Buffer.from(canary).toString("hex"),
];

async function storedTexts(gateway: TestGateway): Promise<string[]> {
	const entries = await readdir(gateway.path("data"), { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const texts = await Promise.all(files.map((file) => readFile(`${file.parentPath}/${file.name}`, "latin1")));
	return [...texts, JSON.stringify(gateway.log.records)];
}

verifiesOn(
	"ozzie",
	["ask.password-use", "explain.run"],
	"a command gets a password that is never shown, also after a restart",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const frames: string[] = [];
		client.socket.on("message", (data) => frames.push(data.toString()));
		const session = await client.open();
		const question = await ask(client, "secret: API key");
		const handle = await answered(client, question, { value: canary, key: "k" });
		const use = (cmd: string) => `tool: run_command ${JSON.stringify({ cmd, secrets: { API_KEY: handle } })}`;
		// The length and the file show that the command received the secret. The output is redacted.
		const approval = await ask(
			client,
			use('printf %s "$API_KEY" > used; echo "$API_KEY" | wc -c; echo "<$API_KEY>"; env'),
		);
		expect(approval["context"]).toMatchObject({
			...{ risk: "critical", allow_session: false },
			notes: expect.arrayContaining([`the variable API_KEY contains the password of the handle ${handle}`]),
		});
		const { token } = approval;
		expect(await client.refusal("prompt_response", { token, cancelled: false })).toMatch(
			/always requires approval/,
		);
		const result = String(await answered(client, approval, { value: true }));
		expect(result).toContain(`${canary.length + 1}\n<[redacted]>\n`);
		expect(result).toContain("API_KEY=[redacted]\n");
		expect(await readFile(gateway.path("work", "used"), "utf8")).toBe(canary);
		await client.leave();
		await gateway.restart();
		await using back = await OzzieClient.connect(gateway.url);
		back.socket.on("message", (data) => frames.push(data.toString()));
		await back.open({ session_id: session });
		expect(
			await answered(back, await ask(back, use('cat used; test "$(cat used)" = "$API_KEY"')), {
				value: true,
			}),
		).toBe("[redacted]");
		await using other = await OzzieClient.connect(gateway.url);
		await other.open();
		const foreign = await answered(other, await ask(other, use("env")), { value: true });
		expect(foreign).toMatch(/^not run: secrets\.API_KEY: not a handle of a password/);
		frames.push(
			JSON.stringify(await back.call("explain", {})),
			JSON.stringify(await back.request("load_messages")),
		);
		for (const path of ["/api/events?limit=1000", "/api/sessions"])
			frames.push(await (await fetch(gateway.url + path)).text());
		frames.push(...(await storedTexts(gateway)));
		expect(frames.length).toBeGreaterThan(30);
		for (const text of frames) for (const form of forms) expect(text.includes(form)).toBe(false);
	},
);

verifiesOn(
	"ozzie",
	["ask.password-plain"],
	"a password is refused on an unencrypted connection, and other answers are accepted",
	async () => {
		await using gateway = await TestGateway.start();
		const operator = (await readFile(gateway.path("data", "tokens", "operator"), "utf8")).trim();
		// `x-forwarded-for` simulates a proxy that is not configured as trusted.
		const headers = { authorization: `Bearer ${operator}`, "x-forwarded-for": "203.0.113.7" };
		await using remote = await OzzieClient.connect(gateway.url, { headers });
		const session = await remote.open();
		expect(await answered(remote, await ask(remote, "ask: Who?"), { value: "Ada" })).toBe("Ada");
		const question = await ask(remote, "secret: Key?");
		const { token } = question;
		expect(await remote.refusal("prompt_response", { token, value: canary })).toMatch(
			/^forbidden: a password cannot be sent over an unencrypted connection: answer over TLS/,
		);
		await using local = await OzzieClient.connect(gateway.url);
		await local.open({ session_id: session });
		await local.event("prompt.request", { token });
		expect(await answered(local, question, { value: canary })).toMatch(/^secret:/);
		await remote.event("assistant.message");
		const secondQuestion = await ask(remote, "secret: Key?");
		expect(await answered(remote, secondQuestion, { cancelled: true })).toContain("declined to answer");
		for (const text of await storedTexts(gateway)) expect(text.includes(canary)).toBe(false);
	},
);
