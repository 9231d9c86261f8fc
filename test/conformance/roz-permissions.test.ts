import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Returns rules as `POLICY CATEGORY`, by tool. */
async function rulesOf(stream: RozStream, start: object = {}): Promise<Readonly<Record<string, string>>> {
	const { permissions } = await stream.start({ ...start });
	// The cast is safe because the schema requires this field.
	const rules = permissions as readonly Readonly<Record<string, unknown>>[];
	return Object.fromEntries(
		rules.map(({ toolPattern, policy, category }) => [String(toolPattern), `${policy} ${category}`]),
	);
}

verifiesOn("roz", ["roz.permissions"], "each tool has the rule of its usual calls", async () => {
	await using gateway = await TestGateway.start();
	await using stream = new RozStream(gateway.url);
	const tools = [
		{ name: "look", category: "TOOL_CATEGORY_PURE" },
		{ name: "dig", category: "TOOL_CATEGORY_PHYSICAL" },
	];
	expect(await rulesOf(stream, { tools })).toEqual({
		run_command: "require_confirmation physical",
		command_output: "allow pure",
		stop_command: "allow physical",
		read_file: "allow pure",
		write_file: "require_confirmation physical",
		edit_file: "require_confirmation physical",
		list_files: "allow pure",
		search_files: "allow pure",
		git: "require_confirmation physical",
		send_file: "allow physical",
		ask_user: "allow physical",
		todo: "allow physical",
		delegate: "allow physical",
		store_memory: "allow physical",
		query_memories: "allow pure",
		list_memories: "allow pure",
		forget_memory: "allow physical",
		schedule_task: "require_confirmation physical",
		unschedule_task: "require_confirmation physical",
		list_schedules: "allow pure",
		web_fetch: "require_confirmation pure",
		look: "allow pure",
		dig: "allow physical",
	});
});

verifiesOn(
	"roz",
	["roz.permissions"],
	"a call follows the shown rule: an allowed one runs, another one waits",
	async () => {
		const note = { content: "Beans grow in rows." };
		const question = { type: "text", label: "Which bed?" };
		const model = new ScriptedModel(
			[
				calls("c1", "todo", { items: [{ text: "dig", state: "active" }] }),
				calls("c2", "store_memory", note),
				calls("c3", "list_memories"),
			],
			[calls("c4", "ask_user", question)],
			[calls("c5", "schedule_task", { prompt: "water", when: "every day at 9:00" })],
			[calls("c6", "write_file", { path: "bed.txt", content: "soil" })],
			[says("done")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start();
		await using reader = await OzzieClient.connect(gateway.url);
		await reader.open({ session_id: sessionId });
		stream.say("go");
		const { payload } = await reader.event("prompt.request");
		expect(payload).toMatchObject(question);
		await reader.call("prompt_response", { token: payload["token"], value: "the left one" });
		const waiting: unknown[] = [];
		for (const toolCallId of ["c5", "c6"]) {
			let activity: Readonly<Record<string, unknown>> = {};
			while (activity["state"] !== "waiting_approval") activity = await stream.until("activityUpdate");
			waiting.push(activity["detail"]);
			stream.send({ permissionDecision: { toolCallId, approved: true } });
		}
		await stream.until("turnComplete");
		expect(waiting).toEqual(["c5", "c6"]);
		const results = JSON.stringify(model.requests.at(-1)?.messages);
		expect(results).toContain("the left one");
		expect(results).not.toContain('"failed":true');
	},
);

verifiesOn("roz", ["roz.permissions"], "rules of the operator are shown at their tools", async () => {
	const rules = [
		{ effect: "deny", tool: "git" },
		{ effect: "allow", tool: "write_file" },
		{ effect: "ask", tool: "todo" },
		{ effect: "deny", when: { class: "memory-write" } },
		{ effect: "ask", when: { host: "*.example.com" } },
	];
	const data = { "policy.jsonc": JSON.stringify({ rules }) };
	await using gateway = await TestGateway.start({ data });
	await using stream = new RozStream(gateway.url);
	expect(await rulesOf(stream)).toMatchObject({
		git: "block physical",
		write_file: "allow physical",
		edit_file: "require_confirmation physical",
		todo: "require_confirmation physical",
		ask_user: "allow physical",
		store_memory: "block physical",
		query_memories: "allow pure",
		read_file: "allow pure",
	});
});
