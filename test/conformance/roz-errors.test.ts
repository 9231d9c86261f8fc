import { setImmediate as tick } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { ManualClock } from "@parley/base/testing";
import { billionths, ModelError, noUsage } from "@parley/core";
import { calls, ScriptedModel, type ScriptedReply, says } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

function stopping(stop: "refusal" | "max_tokens"): ScriptedReply {
	return [says("I "), { type: "end", stop, usage: noUsage, model: "scripted-1" }];
}

verifiesOn(
	"roz",
	["roz.stop-reason"],
	"a refusal and a reply that was cut end the turn with their reason, and the next message is answered",
	async () => {
		const model = new ScriptedModel(stopping("refusal"), stopping("max_tokens"), [says("fine")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		for (const stopReason of ["refusal", "max_tokens", "end_turn"]) {
			stream.say("go");
			expect(await stream.until("turnComplete")).toMatchObject({ stopReason });
		}
		expect(stream.frames.some(({ kind }) => kind === "error")).toBe(false);
	},
);

// biome-ignore lint/correctness/useYield: a reply that fails immediately.
const limited: ScriptedReply = async function* () {
	throw new ModelError("the provider asks to wait", { fault: "rate-limited", retryAfterMs: 0 });
};

verifiesOn(
	"roz",
	["roz.codes"],
	"a rate limit of the provider is `rate_limited`, and the client may retry",
	async () => {
		const clock = new ManualClock();
		const model = new ScriptedModel(limited, limited, limited, limited, [says("fine")]);
		await using gateway = await TestGateway.start({ clock, model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("go");
		const failed = stream.until("error");
		let isOver = false;
		void failed.then(() => {
			isOver = true;
		});
		while (!isOver) {
			clock.advance(1_000);
			await tick();
		}
		expect(await failed).toMatchObject({ code: "rate_limited", retryable: true });
		stream.say("again");
		await stream.until("turnComplete");
	},
);

const prices = {
	models: [
		{
			...{ id: "scripted-1", provider: "scripted", context_window: 100_000, max_output: 1_000 },
			prices: { input: 1_000, output: 2_000 },
		},
	],
};

verifiesOn("roz", ["roz.codes"], "a turn that a budget ends or prevents is `budget_exceeded`", async () => {
	// A scripted reply costs $0.02, which exceeds the budget.
	const model = new ScriptedModel([calls("c1", "list_files")], [says("unseen")]);
	const config = { model: "scripted-1", budgets: { gateway: { day: billionths(0.01) }, session: {} } };
	const data = { "models.json": JSON.stringify(prices) };
	await using gateway = await TestGateway.start({ model, data, config });
	await using stream = new RozStream(gateway.url);
	await stream.start();
	for (const content of ["begin", "again"]) {
		stream.say(content);
		const { code, message } = await stream.until("error");
		expect(code).toBe("budget_exceeded");
		expect(message).toContain("is spent");
	}
});

verifiesOn(
	"roz",
	["roz.codes"],
	"a call that is denied repeatedly ends the turn as `safety_violation`",
	async () => {
		const ids = ["c1", "c2", "c3"];
		const write = { path: "bed.txt", content: "soil" };
		const model = new ScriptedModel(...ids.map((id) => [calls(id, "write_file", write)]));
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("go");
		for (const toolCallId of ids) {
			let detail: unknown;
			while (detail !== toolCallId) ({ detail } = await stream.until("activityUpdate"));
			stream.send({ permissionDecision: { toolCallId, approved: false } });
		}
		const { code, message } = await stream.until("error");
		expect([code, message]).toEqual([
			"safety_violation",
			"stopped: a call of write_file was denied 3 times; approve the call, or change your request",
		]);
	},
);

const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

verifiesOn(
	"roz",
	["roz.codes"],
	"an image for a model without image input is `unsupported`, and the stream continues",
	async () => {
		await using gateway = await TestGateway.start();
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("look", { context: [{ binary: { mimeType: "image/png", data: png } }] });
		const { code, message } = await stream.until("error");
		expect(code).toBe("unsupported");
		expect(message).toMatch(/^context: offline cannot read images/);
		stream.say("hello");
		await stream.until("turnComplete");
	},
);

verifiesOn(
	"roz",
	["roz.token"],
	"a client without the right to start a session gets a status, as one without a token",
	async () => {
		await using gateway = await TestGateway.start({ config: { auth: "token" } });
		const token = (await readOperatorToken(gateway.path("data"))) ?? "";
		const headers = { authorization: `Bearer ${token}` };
		await using operator = await OzzieClient.connect(gateway.url, { headers });
		const created = await operator.call("create_token", { kind: "observer", name: "wall" });
		const codes: number[] = [];
		for (const access of [{}, { token: String(created["token"]) }]) {
			await using stream = new RozStream(gateway.url, access);
			stream.send({ start: {} });
			codes.push((await stream.ended()).code);
			expect(stream.frames).toEqual([]);
		}
		expect(codes).toEqual([status.UNAUTHENTICATED, status.PERMISSION_DENIED]);
	},
);
