import { access } from "node:fs/promises";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import * as z from "zod";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { ask, choosing, GoClient, valueless } from "./go-client.ts";
import { verifiesOn } from "./verifies.ts";

const Opened = z.object({ session_id: z.string() });

/** A write to `.envrc`. It always requires approval, because the content of `.envrc` can run as commands later. */
const critical = "write: .envrc <<< export A=1";
const question = "Allow write .envrc?";
const reason = 'this call always requires approval: choose "deny" or "approve"';

/** Connects and opens a session like `ask` and the TUI. */
async function open(gateway: TestGateway, query = ""): Promise<GoClient> {
	const client = await GoClient.dial(`${gateway.url}/api/ws${query}`);
	Opened.parse(await client.call("open_session", { root_dir: gateway.path("work") }));
	return client;
}

function wrote(gateway: TestGateway): Promise<boolean> {
	return access(gateway.path("work", ".envrc")).then(
		() => true,
		() => false,
	);
}

verifiesOn("ozzie", ["envelope.recognised"], "a Go client works without a suffix of its URL", async () => {
	await using gateway = await TestGateway.start();
	await using client = await open(gateway);
	expect(await client.event()).toMatchObject({ event: "session.created" });
	expect(await ask(client, "say: hello", valueless(true))).toEqual({
		...{ printed: "[offline] hello\n", error: "", prompts: [], calls: [] },
	});
	expect(await ask(client, "run: echo hi", valueless(true))).toMatchObject({
		printed: "[offline] run_command returned:\nhi\n",
		prompts: ["Allow run echo hi?"],
	});
	await expect(client.call("accept_all_tools")).resolves.toEqual({ status: "accepted" });
	expect((await ask(client, "run: echo hi", valueless(true))).prompts).toEqual([]);
	expect(gateway.log.records.map(({ message }) => message)).toContain(
		"an Ozzie client was recognised and gets both envelopes",
	);
});

verifiesOn(
	"ozzie",
	["envelope.recognised"],
	"a Go client returns to its session, and reads its history",
	async () => {
		await using gateway = await TestGateway.start();
		await using first = await open(gateway);
		await ask(first, "say: hello", valueless(true));
		const { session_id } = await sessionOf(gateway);
		await using reconnected = await GoClient.dial(`${gateway.url}/api/ws`);
		await reconnected.call("open_session", { session_id, root_dir: gateway.path("work") });
		expect(await reconnected.call("load_messages", { limit: 10 })).toMatchObject([
			{ role: "user" },
			{ role: "assistant" },
		]);
		await using unknown = await GoClient.dial(`${gateway.url}/api/ws`);
		await expect(unknown.call("open_session", { session_id: "sess_none", root_dir: "/" })).rejects.toThrow(
			"session not found: sess_none",
		);
	},
);

async function sessionOf(gateway: TestGateway): Promise<{ readonly session_id: string }> {
	await using client = await OzzieClient.connect(gateway.url);
	const { sessions } = await client.call("list_sessions");
	return z.array(Opened).length(1).parse(sessions)[0] ?? { session_id: "" };
}

const goHeaders = { "user-agent": "Go-http-client/1.1", "accept-encoding": "gzip" };
const opening = { type: "req", id: "req-1", method: "open_session", params: {} };

verifiesOn("ozzie", ["envelope.recognised"], "other clients get the document's frames", async () => {
	await using gateway = await TestGateway.start();
	const plain = { perMessageDeflate: false };
	const others = [
		{ what: "a Go user agent alone", headers: { "user-agent": goHeaders["user-agent"] }, frame: opening },
		{ what: "the frame alone", headers: {}, frame: opening },
		{ what: "another first frame", headers: goHeaders, frame: { ...opening, id: "1" } },
		{ what: "spaces in the frame", headers: goHeaders, frame: JSON.stringify(opening, null, 1) },
		{ what: "a name of its own", headers: { ...goHeaders, "user-agent": "mybot/1.0" }, frame: opening },
		{ what: "Python", headers: { "user-agent": "Python/3.13 websockets/15.0" }, frame: opening },
		{ what: "curl", headers: { "user-agent": "curl/8.14.1" }, frame: opening },
		{ what: "?envelope=flat", headers: goHeaders, frame: opening, query: "?envelope=flat" },
	];
	for (const { what: title, headers, frame, query } of others) {
		await using client = await OzzieClient.connect(gateway.url, { ...plain, headers }, query);
		client.send(frame);
		await client.next();
		const { payload } = await client.event("session.created");
		expect(Object.keys(payload), title).toEqual([]);
	}
	await using first = await OzzieClient.connect(gateway.url, { ...plain, headers: goHeaders });
	expect(await first.call("list_sessions")).toHaveProperty("sessions");
	await first.open();
	expect(Object.keys((await first.event("session.created")).payload)).toEqual([]);
});

verifiesOn("ozzie", ["envelope.rights"], "a Go client has only the rights of its token", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token" }, roots: ["work"] });
	const own = await readOperatorToken(gateway.path("data"));
	const headers = { authorization: `Bearer ${own}` };
	await using operator = await OzzieClient.connect(gateway.url, { headers });
	const session_id = await operator.open();
	const { token } = await operator.call("create_token", { kind: "observer", name: "wall" });
	await using watcher = await GoClient.dial(`${gateway.url}/api/ws`, { Authorization: `Bearer ${token}` });
	await expect(watcher.call("open_session", {})).rejects.toThrow("forbidden");
	await expect(watcher.call("open_session", { session_id })).resolves.toMatchObject({ status: "resumed" });
	await operator.call("send_message", { content: critical });
	const shown = await watcher.next("prompt.request");
	expect(shown).toMatchObject({ type: "select", token: expect.stringMatching(/^hidden_/) });
	for (const answer of [{ value: "approve" }, { cancelled: false }, { cancelled: true }]) {
		await expect(watcher.call("prompt_response", { token: shown.token, ...answer })).rejects.toThrow(
			/^(prompt not found|forbidden)/,
		);
	}
	for (const method of ["accept_all_tools", "send_message"]) {
		await expect(watcher.call(method, { content: "hi" })).rejects.toThrow("forbidden");
	}
	const { token: real } = (await operator.event("prompt.request")).payload;
	await operator.call("prompt_response", { token: real, cancelled: true });
	expect(await watcher.next("prompt.response")).toMatchObject({ cancelled: true });
	expect(await wrote(gateway)).toBe(false);
});

verifiesOn(
	"ozzie",
	["envelope.choice"],
	"an approval that is always required is a choice with a value",
	async () => {
		await using gateway = await TestGateway.start();
		for (const query of ["", "?envelope=both"]) {
			await using client = await open(gateway, query);
			client.fire("send_message", { content: critical });
			const prompt = await client.next("prompt.request");
			expect(prompt).toMatchObject({ type: "select", label: question, required: true, default: "deny" });
			expect(prompt.options.map(({ value, label }) => [value, label])).toEqual([
				["deny", "Deny"],
				["approve", "Approve"],
			]);
			client.fire("prompt_response", { token: prompt.token, value: "deny" });
			expect(await client.next("prompt.response")).toMatchObject({ cancelled: true });
			expect(await wrote(gateway)).toBe(false);
		}
		await using client = await open(gateway);
		expect(await ask(client, critical, choosing("approve"))).toMatchObject({
			...{ prompts: [question], calls: ["started", "completed"], error: "" },
		});
		expect(await wrote(gateway)).toBe(true);
	},
);

verifiesOn("ozzie", ["envelope.choice"], "`accept_all_tools` of a Go client leaves the choice", async () => {
	await using gateway = await TestGateway.start();
	await using client = await open(gateway);
	await client.event();
	await client.call("accept_all_tools");
	const received = await ask(client, critical, valueless(true));
	expect(received.prompts).toEqual([question, `Answer again: ${reason}. ${question}`]);
	expect(await wrote(gateway)).toBe(false);
});

verifiesOn("ozzie", ["envelope.choice"], "other clients are asked the same with a confirm", async () => {
	await using gateway = await TestGateway.start();
	await using client = await open(gateway);
	const { session_id } = await sessionOf(gateway);
	await using flat = await OzzieClient.connect(gateway.url);
	await flat.open({ session_id });
	client.fire("send_message", { content: critical });
	expect((await flat.event("prompt.request")).payload).toMatchObject({
		type: "confirm",
		options: [],
		default: null,
	});
});

const unread = [
	...[{ cancelled: false }, {}, { value: null }, { value: "" }, { value: "maybe" }, { value: 7 }],
	...[{ value: ["approve"] }, { value: "Approve" }, { value: "session" }],
];
const malformed = [
	{ answer: { values: ["approve", 1] }, why: "values.1: " },
	{ answer: { value: "approve", cancelled: "no" }, why: "cancelled: " },
];

verifiesOn(
	"ozzie",
	["envelope.unread"],
	"an answer that is invalid twice denies, and never approves",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await open(gateway);
		for (const answer of unread) {
			expect(await ask(client, critical, () => answer), JSON.stringify(answer)).toMatchObject({
				prompts: [question, `Answer again: ${reason}. ${question}`],
				calls: [
					"started",
					`failed: denied without an answer: the client sent two answers that are not valid: ${reason}`,
				],
				error: "",
			});
		}
		expect(await wrote(gateway)).toBe(false);
		for (const { answer, why } of malformed) {
			const { prompts, calls: received } = await ask(client, critical, () => answer);
			expect(prompts, why).toEqual([question, expect.stringContaining(`Answer again: ${why}`)]);
			expect(received[1]).toContain(`sent two answers that are not valid: ${why}`);
		}
		expect(await wrote(gateway)).toBe(false);
		let answers = 0;
		const received = await ask(client, critical, () =>
			answers++ === 0 ? { cancelled: false } : { value: "approve" },
		);
		expect(received.calls).toEqual(["started", "completed"]);
	},
);

verifiesOn(
	"ozzie",
	["envelope.unread"],
	"a question is asked again once, then dismissed with the reason",
	async () => {
		const questions = [
			{ type: "select", label: "Which drink?", options: ["tea", "coffee"] },
			{ type: "text", label: "A number?", validation: "[0-9]+" },
			{ type: "multi", label: "Which fruits?", options: ["fig"] },
			{ type: "password", label: "The password?" },
		];
		const model = new ScriptedModel(
			...questions.flatMap((question, n) => [[calls(`c${n}`, "ask_user", question)], [says("so")]]),
		);
		await using gateway = await TestGateway.start({ model });
		await using client = await open(gateway);
		const reasons = [
			...["a choice is required", "an answer is required", "a choice is required", "an answer is required"],
		];
		for (const [n, { label }] of questions.entries()) {
			const received = await ask(client, "ask", valueless(true));
			expect(received.prompts).toEqual([label, `Answer again: ${reasons[n]}. ${label}`]);
			expect(received.calls[1]).toBe(
				`failed: the person declined to answer: the client sent two answers that are not valid: ${reasons[n]}`,
			);
		}
	},
);

verifiesOn(
	"ozzie",
	["envelope.refused-message"],
	"a refused message ends the wait for its reply",
	async () => {
		await using gateway = await TestGateway.start();
		for (const query of ["", "?envelope=both"]) {
			await using client = await open(gateway, query);
			const received = await ask(client, "   ", valueless(true));
			expect(received).toMatchObject({
				printed: "",
				error: expect.stringMatching(/^invalid params: content/),
			});
			expect((await ask(client, "say: hello", valueless(true))).printed).toBe("[offline] hello\n");
		}
		await using flat = await OzzieClient.connect(gateway.url);
		await flat.open();
		expect(await flat.refusal("send_message", { content: " " })).toMatch(/^invalid params: content/);
		expect(
			(await flat.arrived()).filter((frame) => frame.type === "event").map(({ event }) => event),
		).toEqual(["session.created"]);
	},
);
