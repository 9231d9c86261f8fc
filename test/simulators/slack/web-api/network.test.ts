import { expect, test } from "vitest";
import { pausedSimulator } from "./direct-client.ts";

function networkSimulator() {
	const parts = pausedSimulator();
	const { simulator, general } = parts;
	const request = {
		method: "chat.postMessage",
		args: { channel: general.id, text: "Hello" },
		token: simulator.token,
	};
	return {
		...parts,
		send: () => simulator.network.carry(request.method, () => simulator.api.answer(request)),
		texts: () => general.shows().map(({ text }) => text),
	};
}

test("a call that is dropped before it is performed has no effect, and one that is dropped after that has its effect", async () => {
	const { simulator, send, texts } = networkSimulator();
	simulator.network.next("chat.postMessage", { drop: "before" });
	await expect(send()).rejects.toMatchObject({ code: "unavailable" });
	expect(texts()).toEqual([]);
	simulator.network.next("chat.*", { drop: "after-commit" });
	await expect(send()).rejects.toMatchObject({ code: "unavailable" });
	expect(texts()).toEqual(["Hello"]);
});

test("an error is a response, whether the call was performed or not", async () => {
	const { simulator, send, texts } = networkSimulator();
	simulator.network.next("chat.postMessage", { status: 502 });
	expect((await send()).status).toBe(502);
	simulator.network.next("chat.postMessage", { error: "internal_error" });
	expect((await send()).body).toEqual({ ok: false, error: "internal_error" });
	expect(texts()).toEqual([]);
	simulator.network.next("chat.postMessage", { error: "internal_error", drop: "after-commit" });
	expect((await send()).body["ok"]).toBe(false);
	expect(texts()).toEqual(["Hello"]);
});

test("a response can be delayed, or wait for a promise, after the call was performed", async () => {
	const { clock, simulator, send, texts } = networkSimulator();
	const open = Promise.withResolvers<void>();
	simulator.network.next("chat.postMessage", { delayMs: 5000 });
	simulator.network.next("chat.postMessage", { until: open.promise });
	const ends: string[] = [];
	const both = [send().then(() => ends.push("late")), send().then(() => ends.push("held"))];
	for (let turn = 0; turn < 5; turn++) await Promise.resolve();
	expect([texts().length, ends]).toEqual([2, []]);
	clock.advance(5000);
	await both[0];
	expect(ends).toEqual(["late"]);
	open.resolve();
	await both[1];
	expect(ends).toEqual(["late", "held"]);
});

test("a chooser decides about every call until `heal`", async () => {
	const { simulator, send } = networkSimulator();
	const requests: string[] = [];
	simulator.network.each((label) => {
		requests.push(label);
		return { status: 429, retryAfter: 1500 };
	});
	expect((await send()).headers).toEqual({ "retry-after": "2" });
	expect(requests).toEqual(["chat.postMessage"]);
	simulator.network.next("views.open", { drop: "before" });
	expect(simulator.network.pending).toBe(1);
	simulator.network.heal();
	expect([(await send()).status, simulator.network.pending]).toEqual([200, 0]);
});
