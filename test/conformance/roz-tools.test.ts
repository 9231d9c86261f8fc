import { readFile } from "node:fs/promises";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream, structOf, textsIn } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const look = { name: "look", description: "Looks", category: "TOOL_CATEGORY_PURE", timeoutMs: 5_000 };
const dig = { name: "dig", description: "Digs", category: "TOOL_CATEGORY_PHYSICAL" };

function resultsIn(model: ScriptedModel): string[] {
	const last = model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool");
	return (last?.content ?? []).flatMap((block) => (block.type === "result" ? [block.text] : []));
}

verifiesOn(
	"roz",
	["roz.tools", "roz.permissions"],
	"tools of the client are called and answered, also in another order",
	async () => {
		const model = new ScriptedModel(
			[says("Looking. "), calls("c1", "look", { at: "a" }), calls("c2", "look", { at: "b" })],
			[calls("c3", "dig")],
			[says("done")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { permissions } = await stream.start({ tools: [look, dig] });
		expect(permissions).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ toolPattern: "look", policy: "allow", category: "pure" }),
				expect.objectContaining({ toolPattern: "dig", policy: "allow", category: "physical" }),
				expect.objectContaining({ toolPattern: "write_file", policy: "require_confirmation" }),
				expect.objectContaining({ toolPattern: "read_file", policy: "allow", category: "pure" }),
			]),
		);
		stream.say("go");
		const first = await stream.until("toolRequest");
		const second = await stream.until("toolRequest");
		expect(first).toMatchObject({ toolCallId: "c1", toolName: "look", timeoutMs: 5_000 });
		expect(textsIn(second["parameters"])).toEqual({ at: "b" });
		stream.send({ toolResult: { toolCallId: "c2", success: true, result: "beans" } });
		stream.send({ toolResult: { toolCallId: "c1", success: false, result: "dark", exitCode: 3 } });
		expect(await stream.until("toolRequest")).toMatchObject({ toolCallId: "c3", timeoutMs: 120_000 });
		stream.send({ toolResult: { toolCallId: "c3", success: true, result: "dug" } });
		// The gateway ignores a second result of the same call.
		stream.send({ toolResult: { toolCallId: "c3", success: false, result: "no" } });
		await stream.until("turnComplete");
		expect(resultsIn(model)).toEqual(["dug"]);
		expect(JSON.stringify(model.requests[1]?.messages)).toMatch(/dark\\n\[exit code 3\].*beans/);
		const signs = stream.frames.flatMap(({ kind, value }) =>
			kind === "activityUpdate" || kind === "presenceHint"
				? [value["detail"] || value["level"] || value["state"]]
				: [],
		);
		expect(signs).toEqual([
			"full",
			"thinking",
			"look",
			"look",
			"thinking",
			"dig",
			"mini",
			"full",
			"thinking",
			"idle",
		]);
		const kinds = stream.frames.map(({ kind }) => kind);
		expect(kinds.indexOf("toolRequest")).toBeGreaterThan(
			kinds.lastIndexOf("textDelta", kinds.indexOf("toolRequest")),
		);
	},
);

verifiesOn("roz", ["roz.register"], "a source replaces its own tools, from the next turn on", async () => {
	const model = new ScriptedModel([says("1")], [says("2")], [says("3")], [says("4")]);
	await using gateway = await TestGateway.start({ model });
	await using stream = new RozStream(gateway.url);
	await stream.start({ tools: [look] });
	const offered = async (more: object = {}): Promise<string[]> => {
		stream.say("go", { ...more });
		await stream.until("turnComplete");
		const names = model.requests.at(-1)?.tools.map(({ name }) => name) ?? [];
		return names.filter((name) => /look|dig|sim/.test(name));
	};
	stream.send({
		registerTools: { source: "sim", tools: [{ name: "sim__step" }], systemContext: "Step first." },
	});
	expect(await offered()).toEqual(["look", "sim__step"]);
	expect(model.requests.at(-1)?.system).toContain("Step first.");
	expect(await offered({ tools: [dig] })).toEqual(["dig"]);
	stream.send({ registerTools: { source: "sim", tools: [] } });
	expect(await offered()).toEqual(["look"]);
	expect(model.requests.at(-1)?.system).not.toContain("Step first.");
});

verifiesOn(
	"roz",
	["roz.gone"],
	"a call of a disconnected client is interrupted, and the run continues",
	async () => {
		const model = new ScriptedModel([calls("c1", "dig")], [says("without it")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start({ tools: [dig] });
		await using reader = await OzzieClient.connect(gateway.url);
		await reader.open({ session_id: sessionId });
		stream.say("go");
		await stream.until("toolRequest");
		stream.break();
		const ended = await reader.event("assistant.message");
		expect(ended.payload).toMatchObject({ content: "without it" });
		expect(resultsIn(model)[0]).toContain("interrupted");
	},
);

const write = { path: "bed.txt", content: "soil" };

verifiesOn(
	"roz",
	["roz.approval", "roz.denied"],
	"a call waits for the decision of the client, which may narrow it",
	async () => {
		const model = new ScriptedModel(
			[calls("c1", "write_file", write)],
			[calls("c2", "write_file", write)],
			[calls("c3", "write_file", write)],
			[says("done")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("go");
		const approvalOf = async (callId: string): Promise<void> => {
			let state: unknown;
			while (state !== "waiting_approval") {
				const activity = await stream.until("activityUpdate");
				state = activity["state"];
				if (state === "waiting_approval") expect(activity["detail"]).toBe(callId);
			}
		};
		await approvalOf("c1");
		stream.send({ permissionDecision: { toolCallId: "", approved: true } });
		stream.send({ permissionDecision: { toolCallId: "c1", approved: false } });
		await approvalOf("c2");
		const added = structOf({ mode: "777" });
		stream.send({ permissionDecision: { toolCallId: "c2", approved: true, modifier: added } });
		await approvalOf("c3");
		const modifier = structOf({ content: "clay" });
		stream.send({ permissionDecision: { toolCallId: "c3", approved: true, modifier } });
		await stream.until("turnComplete");
		expect(await readFile(gateway.path("work", "bed.txt"), "utf8")).toBe("clay");
		expect(JSON.stringify(model.requests[2]?.messages)).toContain(
			"mode is not an argument of the call; use only arguments of the call",
		);
	},
);
