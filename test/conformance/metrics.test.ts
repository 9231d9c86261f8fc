import { readFile } from "node:fs/promises";
import { ModelError } from "@parley/core";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect, test } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says as replies } from "../simulators/anthropic/reply.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { type ReadFamily, readExposition } from "./exposition.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

async function scrape(gateway: TestGateway): Promise<{ text: string; families: Map<string, ReadFamily> }> {
	const response = await fetch(`${gateway.url}/metrics`, {
		headers: { accept: "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5" },
	});
	expect(response.status).toBe(200);
	expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
	const text = await response.text();
	return { text, families: readExposition(text) };
}

/** Plays a conversation. Returns its ids, which the metrics must not contain. */
async function talk(gateway: TestGateway): Promise<string[]> {
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	const sentIds: string[] = [session];
	for (const value of [true, false]) {
		sentIds.push(String((await client.call("send_message", { content: "a secret wish" }))["run_id"]));
		const { payload } = await client.event("prompt.request");
		await client.call("prompt_response", { token: payload["token"], value });
		sentIds.push(String(payload["token"]));
		await client.event("assistant.message");
	}
	await client.call("send_message", { content: "once more" });
	await client.event("assistant.message");
	client.send({
		type: "req",
		id: "x",
		method: "send_message",
		session_id: "sess_none",
		params: { content: "x" },
	});
	await client.next();
	return sentIds;
}

const write = (id: string) => [calls(id, "write_file", { path: "a.txt", content: "b" })];

verifiesOn(
	"ozzie",
	["http.metrics", "http.metrics-discreet"],
	"the metrics match the events, and contain no names",
	async () => {
		const model = new ScriptedModel(
			...[write("c1"), [says("done")], write("c2"), [says("pity")]],
			[calls("c3", "no_such_tool")],
			() => {
				throw new ModelError("the model refuses", { fault: "rejected" });
			},
		);
		await using gateway = await TestGateway.start({ model });
		const sentIds = await talk(gateway);
		await fetch(`${gateway.url}/metrics`, { headers: { origin: "https://evil.example" } });
		const { text, families } = await scrape(gateway);
		const value = (name: string, series = ""): number | undefined => families.get(name)?.samples.get(series);
		expect(value("parley_build_info", '{version="0.0.0"}')).toBe(1);
		expect(value("parley_sessions_created_total")).toBe(1);
		expect(value("parley_messages_total", '{kind="message"}')).toBe(3);
		expect(value("parley_runs_total", '{outcome="completed"}')).toBe(2);
		expect(value("parley_runs_total", '{outcome="failed"}')).toBe(1);
		expect(value("parley_run_duration_seconds", "_count")).toBe(3);
		expect(value("parley_runs", '{state="active"}')).toBe(0);
		expect(value("parley_tool_calls_total", '{tool="write_file",outcome="completed"}')).toBe(1);
		expect(value("parley_tool_calls_total", '{tool="write_file",outcome="failed"}')).toBe(1);
		expect(value("parley_tool_calls_total", '{tool="other",outcome="failed"}')).toBe(1);
		expect(value("parley_tool_duration_seconds", '_count{tool="write_file"}')).toBe(1);
		const scripted = 'provider="scripted",model="scripted-1"';
		expect(value("parley_model_calls_total", `{${scripted},outcome="completed"}`)).toBe(5);
		expect(value("parley_model_calls_total", '{provider="scripted",model="scripted",outcome="failed"}')).toBe(
			1,
		);
		expect(value("parley_model_tokens_total", `{${scripted},kind="input"}`)).toBe(50);
		expect(value("parley_model_tokens_total", `{${scripted},kind="output"}`)).toBe(25);
		expect(value("parley_prompts_total", '{type="approval",outcome="answered"}')).toBe(1);
		expect(value("parley_prompts_total", '{type="approval",outcome="refused"}')).toBe(1);
		expect(value("parley_prompt_wait_seconds", '_count{type="approval"}')).toBe(2);
		expect(value("parley_prompts_open")).toBe(0);
		expect(value("parley_requests_total", '{wire="ozzie",method="send_message",code="ok"}')).toBe(3);
		expect(value("parley_requests_total", '{wire="ozzie",method="send_message",code="not_found"}')).toBe(1);
		expect(value("parley_http_refused_total", '{reason="origin"}')).toBe(1);
		expect(value("parley_store_commit_duration_seconds", "_count")).toBeGreaterThan(10);
		expect(value("parley_database_bytes", '{file="database"}')).toBeGreaterThan(0);
		// Changed pages stay in the write-ahead log until the first checkpoint.
		expect(value("parley_database_bytes", '{file="log"}')).toBeGreaterThan(10_000);
		for (const word of [...sentIds, "secret wish", gateway.directory]) expect(text).not.toContain(word);
		expect(families.get("process_cpu_seconds_total")?.type).toBe("counter");
	},
);

verifiesOn(
	"ozzie",
	["http.metrics", "http.metrics-discreet"],
	"tasks are counted without their names",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const title = "a private matter";
		const waiting = { title, description: "spawn: Ask <<< review: May I?\nwait: all", tools: [] };
		const { task_id } = await client.call("submit_task", waiting);
		await client.event("task.suspended");
		await client.call("submit_task", { title, description: "say: hi", tools: [] });
		await client.event("task.completed");
		await client.call("submit_task", { title, description: "fail: no", tools: [] });
		await client.event("task.failed");
		const open = (await scrape(gateway)).families;
		for (const [state, count] of [
			["waiting", 1],
			["suspended", 1],
			["running", 0],
			["pending", 0],
		] as const) {
			expect(open.get("parley_tasks")?.samples.get(`{state="${state}"}`), state).toBe(count);
		}
		await client.call("cancel_task", { task_id });
		const { families, text } = await scrape(gateway);
		const value = (name: string, series = ""): number | undefined => families.get(name)?.samples.get(series);
		expect(value("parley_tasks", '{state="suspended"}')).toBe(0);
		expect(value("parley_tasks_submitted_total", '{kind="task"}')).toBe(3);
		expect(value("parley_tasks_submitted_total", '{kind="worker"}')).toBe(1);
		expect(value("parley_tasks_ended_total", '{outcome="completed"}')).toBe(1);
		expect(value("parley_tasks_ended_total", '{outcome="failed"}')).toBe(1);
		expect(value("parley_tasks_ended_total", '{outcome="cancelled"}')).toBe(2);
		expect(value("parley_task_duration_seconds", "_count")).toBe(1);
		expect(value("parley_task_suspensions_total")).toBe(1);
		expect(value("parley_task_retries_total")).toBe(0);
		expect(text).not.toContain(title);
		expect(text).not.toContain(String(task_id));
	},
);

test("histograms match their buckets", async () => {
	await using gateway = await TestGateway.start({
		model: new ScriptedModel(...[write("c1"), [says("done")], write("c2")]),
	});
	await talk(gateway).catch(() => undefined);
	const { families } = await scrape(gateway);
	const histograms = [...families.values()].filter(({ type }) => type === "histogram");
	expect(histograms.length).toBeGreaterThan(3);
	for (const { samples } of histograms) {
		const counts = [...samples].filter(([series]) => series.startsWith("_count"));
		for (const [series, count] of counts) {
			const labels = /\{(.*)\}/.exec(series)?.[1];
			const buckets = [...samples].filter(([name]) => {
				return name.startsWith("_bucket{le=") && (labels === undefined || name.endsWith(`,${labels}}`));
			});
			const values = buckets.map(([, value]) => value);
			expect(values).toEqual(values.toSorted((a, b) => a - b));
			expect(values.at(-1)).toBe(count);
			expect(buckets.at(-1)?.[0]).toContain('le="+Inf"');
		}
	}
});

test("the operator's manual lists exactly the existing metrics, with their types and labels", async () => {
	await using gateway = await TestGateway.start({ model: new ScriptedModel() });
	const { families } = await scrape(gateway);
	const own = [...families].filter(([name]) => name.startsWith("parley_"));
	const manual = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
	const rows = [...manual.matchAll(/^\| `(parley_\w+)` \| (\w+) \|([^|]*)\|/gm)];
	expect(rows.map(([, name, type]) => `${name} ${type}`).sort()).toEqual(
		own.map(([name, { type }]) => `${name} ${type}`).sort(),
	);
	const received = new Map(rows.map(([, name = "", , labels = ""]) => [name, labels]));
	for (const [name, { labels }] of own) {
		for (const label of labels) expect(received.get(name), name).toContain(`\`${label}\``);
	}
});

verifiesOn("ozzie", ["http.metrics"], "callers without credentials get no metrics", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token" } });
	const token = await readFile(gateway.path("data", "tokens", "operator"), "utf8");
	const ask = (headers: Record<string, string>) => fetch(`${gateway.url}/metrics`, { headers });
	expect((await ask({})).status).toBe(401);
	expect((await ask({ authorization: "Bearer wrong" })).status).toBe(401);
	const answer = await ask({ authorization: `Bearer ${token.trim()}` });
	expect(answer.status).toBe(200);
	const { samples } = readExposition(await answer.text()).get("parley_http_refused_total") ?? {};
	expect(samples?.get('{reason="unauthorized"}')).toBe(2);
});

verifiesOn(
	"ozzie",
	["message.correlation"],
	"one id ties a platform's message to the provider's own id of the model call",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(replies("Hello!"), replies("Again."));
		const { apiKey, url: baseUrl } = fake;
		const config = { provider: "anthropic", apiKey, baseUrl, model: "claude-sonnet-5-5" } as const;
		await using gateway = await TestGateway.start({ config });
		await using client = await OzzieClient.connect(gateway.url);
		const sessionId = await client.open();
		const sent = { content: "the words of a person", correlation_id: "slack-1712.5" };
		const { run_id: runId } = await client.call("send_message", sent);
		await client.event("assistant.message");
		const received = gateway.log.records.filter(({ fields }) => fields["correlation"] === "slack-1712.5");
		expect(received).toMatchObject([
			{
				level: "info",
				message: "message accepted",
				fields: { principal: "operator", bytes: 21, position: 0 },
			},
			{ level: "info", message: "run started", fields: { resumed: false } },
			{
				message: "model called",
				fields: { provider: "anthropic", requestId: expect.stringMatching(/^req_0+1$/) },
			},
			{ message: "run ended", fields: { outcome: "completed", modelCalls: 1, toolCalls: 0 } },
		]);
		for (const { fields } of received) expect(fields).toMatchObject({ sessionId, runId });
		expect(JSON.stringify(gateway.log.records)).not.toContain("the words of a person");
		const { run_id: next } = await client.call("send_message", { content: "and again" });
		await client.event("assistant.message");
		const own = gateway.log.records.filter(({ fields }) => fields["correlation"] === next);
		expect(own.map(({ message }) => message)).toEqual([
			"message accepted",
			"run started",
			"model called",
			"run ended",
		]);
	},
);
