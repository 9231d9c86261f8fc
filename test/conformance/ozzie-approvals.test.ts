import { readdir } from "node:fs/promises";
import { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** A call that can be approved for the session. */
const write = "write: notes.txt <<< hello";
/** A call that cannot be approved for the session, because its command runs without a sandbox. */
const run = "run: echo hi";
/** A write to `.envrc`. It always requires approval, because the content of `.envrc` can run as commands later. */
const steer = "write: .envrc <<< export A=1";

async function ask(client: OzzieClient, content: string): Promise<EventFrame["payload"]> {
	await client.call("send_message", { content });
	return (await client.event("prompt.request")).payload;
}

async function isApproved(client: OzzieClient, content: string, answer: object): Promise<boolean> {
	const { token } = await ask(client, content);
	expect(await client.call("prompt_response", { token, ...answer })).toEqual({ status: "sent" });
	const statuses = [];
	for (;;) {
		const { event, payload } = await client.event();
		if (event === "tool.call") statuses.push(payload["status"]);
		if (event === "assistant.message") return statuses.includes("completed");
	}
}

verifiesOn(
	"ozzie",
	["prompt.form", "prompt.context"],
	"an approval has all data that clients show",
	async () => {
		await using gateway = await TestGateway.start({ clock: new ManualClock() });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const expires_at = "2026-01-02T00:00:00.000Z";
		const question = {
			...{ type: "confirm", required: true, options: [], default: null },
			placeholder: "",
			validation: "",
		};
		const token = expect.stringMatching(/^prompt_[0-9a-z]{26}$/);
		const first = await ask(client, run);
		expect(first).toEqual({
			...{ ...question, token, label: "Allow run echo hi?" },
			context: {
				...{ call_id: expect.any(String), tool: "run_command", arguments: { cmd: "echo hi" }, preview: "" },
				...{ risk: "normal", allow_session: false, expires_at, notes: expect.any(Array) },
				warnings: expect.arrayContaining(["runs a command without a sandbox"]),
				reply: { id: expect.stringMatching(/^run_.*\/1$/), place: 1, count: 1 },
			},
		});
		await client.call("prompt_response", { token: first["token"], value: true });
		const second = await ask(client, write);
		expect(second).toMatchObject({ ...question, label: "Allow write notes.txt?" });
		expect(second["context"]).toMatchObject({
			...{
				tool: "write_file",
				arguments: { path: "notes.txt", content: "hello" },
				risk: "normal",
				allow_session: true,
			},
			preview: expect.stringContaining("+hello"),
		});
		await client.call("prompt_response", { token: second["token"], value: true });
		const third = await ask(client, steer);
		expect(third["context"]).toMatchObject({ risk: "critical", allow_session: false });
	},
);

const approving = [
	...[true, "yes", "y", "allow", "once"].map((value) => ({ value })),
	{ value: true, cancelled: false },
	{ value: "yes", cancelled: null },
];

verifiesOn(
	"ozzie",
	["prompt.approve", "prompt.approve-valueless"],
	"exactly these answers approve",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const valueless = [{ cancelled: false }, { cancelled: false, value: null }];
		for (const answer of [...approving, ...valueless]) {
			expect(await isApproved(client, run, answer), JSON.stringify(answer)).toBe(true);
		}
	},
);

const denying = [
	...[false, "no", "n", "deny", "", "Yes", "YES", "true", " yes", "ok", "Once", 1, 0, [], ["yes"], {}].map(
		(value) => ({
			value,
		}),
	),
	...[{}, { value: null }, { cancelled: null }],
	...[true, "yes", "session", undefined].map((value) => ({ value, cancelled: true })),
	...[false, "no", 0].map((value) => ({ value, cancelled: false })),
	{ values: ["no"], cancelled: false },
	{ text: "no", cancelled: false },
];

verifiesOn("ozzie", ["prompt.deny"], "every other answer denies", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	for (const answer of denying) {
		expect(await isApproved(client, "run: touch ran", answer), JSON.stringify(answer)).toBe(false);
	}
	expect(await readdir(gateway.path("work"))).toEqual([]);
});

verifiesOn(
	"ozzie",
	["prompt.floor"],
	"an approval that is always required needs a value, and stays open without one",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		for (const { value } of approving) {
			const { token } = await ask(client, steer);
			for (const answer of [{ cancelled: false }, { cancelled: false, value: null }]) {
				expect(await client.refusal("prompt_response", { token, ...answer })).toMatch(/^invalid params\b/);
			}
			expect(await client.arrived()).toEqual([]);
			await client.call("prompt_response", { token, value });
			await client.event("tool.call", { status: "completed" });
			await client.event("assistant.message");
		}
		expect(await isApproved(client, steer, {})).toBe(false);
		expect(await isApproved(client, steer, { value: "session" })).toBe(false);
	},
);

verifiesOn(
	"ozzie",
	["prompt.session"],
	"an answer for the session applies in this session only",
	async () => {
		await using gateway = await TestGateway.start();
		for (const value of ["session", "always"]) {
			await using client = await OzzieClient.connect(gateway.url);
			await client.open();
			const { token } = await ask(client, write);
			await client.call("prompt_response", { token, value });
			expect((await client.event("prompt.response")).payload).toEqual({
				...{ token, value: true, cancelled: false, by: "operator", remembered: true },
			});
			await client.event("assistant.message");
			await client.call("send_message", { content: "write: sub/other.txt <<< again" });
			await client.event("tool.call", { status: "completed" });
			const { error } = (await client.event("assistant.message")).payload;
			expect(error).toBe("");
			await ask(client, run);
		}
		await using other = await OzzieClient.connect(gateway.url);
		await other.open();
		await ask(other, write);
	},
);

verifiesOn(
	"ozzie",
	["prompt.session-refused"],
	"an answer for the session denies if it is not offered",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		for (const value of ["session", "always"]) {
			expect(await isApproved(client, run, { value })).toBe(false);
			expect(await isApproved(client, steer, { value })).toBe(false);
		}
	},
);

verifiesOn(
	"ozzie",
	["prompt.reason"],
	"the reason of a denial reaches the model and all clients of the session",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const { token } = await ask(client, run);
		const reason = "not on a Friday";
		await client.call("prompt_response", { token, cancelled: true, reason });
		expect((await client.event("prompt.response")).payload).toEqual({
			...{ token, value: false, cancelled: true, by: "operator", reason },
		});
		const { payload } = await client.event("tool.call", { status: "failed" });
		expect(payload["error"]).toContain("not on a Friday");
		expect((await client.event("assistant.message")).payload["content"]).toContain("not on a Friday");
	},
);

verifiesOn(
	"ozzie",
	["prompt.first", "prompt.reported", "prompt.unknown"],
	"the first answer counts, and all clients get it",
	async () => {
		await using gateway = await TestGateway.start();
		await using one = await OzzieClient.connect(gateway.url);
		await using two = await OzzieClient.connect(gateway.url);
		await two.open({ session_id: await one.open() });
		const { token } = await ask(one, "run: echo once >> ran");
		await two.event("prompt.request", { token });
		await two.call("prompt_response", { token, value: true });
		for (const value of [false, true, "session"]) {
			expect(await one.call("prompt_response", { token, value })).toEqual({ status: "sent", late: true });
		}
		for (const client of [one, two]) {
			const { payload } = await client.event("prompt.response");
			expect(payload).toEqual({ token, value: true, cancelled: false, by: "operator" });
			await client.event("tool.call", { status: "completed" });
			await client.event("assistant.message");
			// The gateway may rename the session at the same time.
			const more = (await client.arrived()).filter(
				(frame) => frame.type !== "event" || frame.event !== "session.renamed",
			);
			expect(more).toEqual([]);
		}
		expect(await two.call("prompt_response", { token, cancelled: true })).toEqual({
			...{ status: "sent", late: true },
		});
		for (const unknown of ["prompt_0000000000000000000000000a", "nope", token?.toString().toUpperCase()]) {
			expect(await two.refusal("prompt_response", { token: unknown, value: true })).toMatch(
				/^prompt not found\b/,
			);
		}
	},
);

verifiesOn(
	"ozzie",
	["prompt.closed", "prompt.again"],
	"open questions are sent again, and closed questions are closed for all clients",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const prompt = await ask(client, run);
		await using late = await OzzieClient.connect(gateway.url);
		const { last_seq } = await late.call("open_session", { session_id: session });
		await expect(late.next()).resolves.toEqual({
			...{ type: "event", event: "prompt.request", session_id: session, payload: prompt },
			...{ seq: last_seq, transient: true },
		});
		await using resumed = await OzzieClient.connect(gateway.url);
		await resumed.call("resume", { sessions: [{ session_id: session, after_seq: last_seq }] });
		await expect(resumed.next()).resolves.toMatchObject({
			event: "prompt.request",
			payload: prompt,
			transient: true,
		});
		await using replayed = await OzzieClient.connect(gateway.url);
		await replayed.open({ session_id: session, after_seq: 0 });
		const events = await replayed.upTo(Number(last_seq));
		expect(events.filter(({ event }) => event === "prompt.request")).toMatchObject([{ payload: prompt }]);
		await late.call("cancel_turn");
		for (const each of [client, late, resumed, replayed]) {
			const { payload } = await each.event("prompt.closed");
			expect(payload).toEqual({ token: prompt["token"], reason: "cancelled", by: "operator" });
		}
		await using after = await OzzieClient.connect(gateway.url);
		await after.open({ session_id: session });
		expect(await after.arrived()).toEqual([]);
	},
);

verifiesOn("ozzie", ["prompt.expiry"], "without an answer for 24 hours, no call runs", async () => {
	const clock = new ManualClock();
	await using gateway = await TestGateway.start({ clock });
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	const { token } = await ask(client, "run: touch ran");
	await client.leave();
	clock.advance(24 * 60 * 60 * 1000 - 1);
	await using back = await OzzieClient.connect(gateway.url);
	await back.open({ session_id: session });
	await back.event("prompt.request", { token });
	clock.advance(1);
	await expect(back.event("prompt.closed")).resolves.toMatchObject({
		payload: { token, reason: "expired" },
	});
	const { payload } = await back.event("tool.call", { status: "failed" });
	expect(payload["error"]).toMatch(/^no answer\b/);
	await back.event("assistant.message", { error: "" });
	expect(await back.call("prompt_response", { token, value: true })).toEqual({ status: "sent", late: true });
	expect(await readdir(gateway.path("work"))).toEqual([]);
});

verifiesOn("ozzie", ["session.survives"], "an open question is answered after a restart", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	const prompt = await ask(client, "run: touch ran");
	await gateway.restart();
	await using back = await OzzieClient.connect(gateway.url);
	await back.open({ session_id: session });
	await expect(back.event("prompt.request")).resolves.toMatchObject({ payload: prompt, transient: true });
	await back.call("prompt_response", { token: prompt["token"], value: true });
	await back.event("tool.call", { status: "completed" });
	await back.event("assistant.message", { error: "" });
	expect(await readdir(gateway.path("work"))).toEqual(["ran"]);
});
