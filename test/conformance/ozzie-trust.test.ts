import { ManualClock } from "@parley/base/testing";
import { noUsage } from "@parley/core";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const minute = 60_000;

/** Whether a call of the message requires approval. Denies each approval. */
async function requiresApproval(client: OzzieClient, content = "run: true"): Promise<boolean> {
	await client.call("send_message", { content });
	for (let isRepeated = false; ; ) {
		const { event, payload } = await client.event();
		if (event === "assistant.message") return isRepeated;
		if (event !== "prompt.request") continue;
		isRepeated = true;
		await client.call("prompt_response", { token: payload["token"], cancelled: true });
	}
}

verifiesOn(
	"ozzie",
	["trust.accept", "trust.floor"],
	"in a trusted session, only calls that always require approval wait",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		expect(await requiresApproval(client)).toBe(true);
		client.send({ type: "req", id: "trust", method: "accept_all_tools" });
		expect(await client.response("trust")).toMatchObject({ ok: true, payload: { status: "accepted" } });
		expect(await requiresApproval(client)).toBe(false);
		expect(await requiresApproval(client, "write: a.txt <<< a")).toBe(false);
		for (const floor of [
			"write: .git/hooks/post-merge <<< x",
			"write: .env <<< A=1",
			`write: ${gateway.path("other", "b")} <<< x`,
		]) {
			expect(await requiresApproval(client, floor), floor).toBe(true);
		}
		await using other = await OzzieClient.connect(gateway.url);
		await other.open();
		expect(await requiresApproval(other)).toBe(true);
	},
);

verifiesOn("ozzie", ["trust.open", "trust.floor"], "trust approves open prompts that it covers", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	await client.call("send_message", { content: "run: echo hi" });
	const { payload } = await client.event("prompt.request");
	await client.call("accept_all_tools");
	await expect(client.event("prompt.response")).resolves.toMatchObject({
		payload: { token: payload["token"], value: true, cancelled: false },
	});
	await client.event("tool.call", { status: "completed", result: "hi\n" });
	await client.event("assistant.message");
	for (const content of ["write: .envrc <<< x", "ask: Who?"]) {
		await client.call("send_message", { content });
		await client.event("prompt.request");
		await client.call("accept_all_tools");
		expect(await client.arrived()).toEqual([]);
		await client.call("cancel_turn");
		await client.event("assistant.message");
	}
});

verifiesOn("ozzie", ["trust.absence"], "trust ends after 60 seconds without a client", async () => {
	const clock = new ManualClock();
	await using gateway = await TestGateway.start({ clock });
	await using first = await OzzieClient.connect(gateway.url);
	const session = await first.open();
	await first.call("accept_all_tools");
	await first.leave();
	await closed(gateway);
	clock.advance(minute);
	await using second = await OzzieClient.connect(gateway.url);
	await second.open({ session_id: session });
	expect(await requiresApproval(second)).toBe(false);
	await second.leave();
	await closed(gateway);
	clock.advance(minute + 1);
	await using third = await OzzieClient.connect(gateway.url);
	await third.open({ session_id: session });
	expect(await requiresApproval(third)).toBe(true);
});

verifiesOn(
	"ozzie",
	["trust.life"],
	"trust ends after eight hours, even with a connected client",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ clock });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("accept_all_tools");
		/**
		 * Advances the clock in steps. Sends a request after each step, so that the gateway does not disconnect the
		 * client.
		 */
		const pass = async (ms: number): Promise<void> => {
			for (let remaining = ms; remaining > 0; remaining -= 15_000) {
				clock.advance(Math.min(remaining, 15_000));
				await client.call("list_sessions", { limit: 1 });
			}
		};
		await pass(8 * 60 * minute - 1);
		expect(await requiresApproval(client)).toBe(false);
		await pass(1);
		expect(await requiresApproval(client)).toBe(true);
	},
);

verifiesOn("ozzie", ["trust.restart"], "trust continues over a restart", async () => {
	await using gateway = await TestGateway.start({ clock: new ManualClock() });
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	await client.call("accept_all_tools");
	await gateway.restart();
	await using back = await OzzieClient.connect(gateway.url);
	await back.open({ session_id: session });
	expect(await requiresApproval(back)).toBe(false);
});

verifiesOn("ozzie", ["trust.run"], "a run that started under trust keeps it", async () => {
	const clock = new ManualClock();
	const gate = Promise.withResolvers<void>();
	const model = new ScriptedModel(
		async function* () {
			yield says("thinking");
			await gate.promise;
			yield calls("c1", "run_command", { cmd: "true" });
			yield { type: "end", stop: "tool_use", usage: noUsage, model: "m" };
		},
		[says("done")],
		[calls("c2", "run_command", { cmd: "true" })],
		[says("done")],
	);
	await using gateway = await TestGateway.start({ clock, model });
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	await client.call("accept_all_tools");
	await client.call("send_message", { content: "go" });
	await client.event("assistant.stream", { phase: "delta" });
	await client.leave();
	await closed(gateway);
	clock.advance(10 * minute);
	await using back = await OzzieClient.connect(gateway.url);
	await back.open({ session_id: session });
	gate.resolve();
	await back.event("tool.call", { status: "completed" });
	await back.event("assistant.message", { content: "done" });
	expect(await requiresApproval(back)).toBe(true);
});

async function closed(gateway: TestGateway): Promise<void> {
	while (!(await (await fetch(`${gateway.url}/api/sessions`)).text()).includes('"closed"'));
}
