import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn("ozzie", ["explain.run"], "the handling of a message is explained from start to end", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const content = "write: a.txt <<< one\nread: a.txt\n& read: nowhere.txt\nsay: done";
	const { run_id } = await client.call("send_message", { content, correlation_id: "slack:1.5" });
	const { token, context } = (await client.event("prompt.request")).payload;
	const waiting = await client.call("explain");
	expect(waiting).toMatchObject({
		run_id,
		state: "active",
		calls: [{ decision: "waiting", outcome: "none" }],
	});
	expect(waiting).not.toHaveProperty("said");
	await client.call("prompt_response", { token, value: "yes" });
	await client.event("assistant.message");
	const explained = await client.call("explain", { run_id });
	const call_id = expect.any(String);
	expect(explained).toMatchObject({
		...{ run_id, correlation_id: "slack:1.5", state: "ended", profile: "default", accept_all: false },
		heard: { content, attachments: [], ts: expect.stringMatching(/^\d{4}-.*Z$/) },
		...{ steered: [], policy_version: "5", taint: [], files: [], feedback: [] },
		models: [{ model: "offline", calls: 3, errors: [] }],
		said: { error: "", model: "offline", content: expect.stringContaining("done") },
	});
	expect(explained["calls"]).toEqual([
		{
			...{ call_id: Object(context).call_id, name: "write_file", decision: "approved", by: "operator" },
			...{ reason: "writes a file", outcome: "completed" },
		},
		{
			...{ call_id, name: "read_file", decision: "allowed", reason: "reads inside the roots" },
			outcome: "completed",
		},
		{
			...{ call_id, name: "read_file", decision: "allowed", reason: "reads inside the roots" },
			outcome: "failed",
		},
	]);
});

verifiesOn("ozzie", ["feedback.listed"], "the operator lists feedback, newest first", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const rate = async (rating: string, comment: string): Promise<string> => {
		const session = await client.open();
		await client.call("send_message", { content: `say: ${comment}` });
		await client.event("assistant.message");
		await client.call("feedback", { rating, comment });
		return session;
	};
	const [liked, disliked] = [await rate("good", "short"), await rate("bad", "wrong")];
	const list = async (params = {}) => (await client.call("list_feedback", params))["feedback"];
	expect(await list()).toMatchObject([
		{ session_id: disliked, rating: "bad", comment: "wrong", by: "operator", reply: "[offline] wrong" },
		{ session_id: liked, rating: "good", comment: "short", ts: expect.stringMatching(/^\d{4}-.*Z$/) },
	]);
	expect(await list({ rating: "good" })).toMatchObject([{ session_id: liked }]);
	expect(await list({ session_id: disliked })).toMatchObject([{ rating: "bad" }]);
	expect(await list({ limit: 1 })).toMatchObject([{ session_id: disliked }]);
	expect(await client.refusal("list_feedback", { limit: 0 })).toMatch(/^invalid params: limit/);
	const { token } = await client.call("create_token", { kind: "observer", name: "watch" });
	const headers = { authorization: `Bearer ${token}` };
	await using observer = await OzzieClient.connect(gateway.url, { headers });
	expect(await observer.refusal("list_feedback")).toMatch(/forbidden|may not/);
});

verifiesOn(
	"ozzie",
	["feedback.stored", "feedback.refused", "explain.refused"],
	"the last rating of a reply is stored",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		expect(await client.refusal("feedback", { rating: "good" })).toMatch(/^not available: no reply to rate/);
		expect(await client.refusal("explain")).toMatch(/^not available: this session has no run yet/);
		const { run_id } = await client.call("send_message", { content: "say: hello" });
		await client.event("assistant.message");
		expect(await client.call("feedback", { rating: "good", key: "k" })).toEqual({
			status: "recorded",
			run_id,
		});
		await client.call("feedback", { rating: "bad", comment: "too short", run_id });
		expect(await client.call("feedback", { rating: "good", key: "k" })).toEqual({
			status: "recorded",
			run_id,
		});
		expect((await client.call("explain"))["feedback"]).toEqual([
			{ by: "operator", rating: "bad", comment: "too short" },
		]);
		expect(await client.refusal("feedback", { rating: "great" })).toBe(
			"invalid params: rating: must be good or bad",
		);
		for (const method of ["feedback", "explain"]) {
			const params = { rating: "good", run_id: "run_unknown" };
			expect(await client.refusal(method, params)).toBe(
				"not available: run not found: run_unknown; use the id of a run of this session",
			);
		}
		await client.call("send_message", { content: "ask: Who?" });
		const { context } = (await client.event("prompt.request")).payload;
		expect(context).toBeDefined();
		const active = (await client.call("explain"))["run_id"];
		expect(await client.refusal("feedback", { rating: "good", run_id: active })).toMatch(
			/wait until the run ends/,
		);
	},
);
