import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Returns the texts of the last request. Excludes texts of assistant messages. */
function received(model: ScriptedModel): string[] {
	const messages = model.requests.at(-1)?.messages ?? [];
	return messages.flatMap(({ role, content }) =>
		content.flatMap((block) => (role !== "assistant" && "text" in block ? [block.text] : [])),
	);
}

verifiesOn("ozzie", ["run.steer"], "a steered message is in the next model call of the run", async () => {
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: "echo hi" })], [says("done")]);
	await using gateway = await TestGateway.start({ model });
	await using client = await OzzieClient.connect(gateway.url);
	await using other = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	await other.open({ session_id: session });
	const { run_id } = await client.call("send_message", { content: "go" });
	const { payload } = await client.event("prompt.request");
	const steered = await client.call("steer", { content: "be brief", key: "k" });
	expect(steered).toEqual({ status: "steered", run_id });
	expect(await client.call("steer", { content: "be brief", key: "k" })).toEqual(steered);
	for (const one of [client, other]) {
		await expect(one.event("user.message", { steered: true })).resolves.toMatchObject({
			payload: { content: "be brief", run_id, steered: true },
		});
	}
	await client.call("prompt_response", { token: payload["token"], value: true });
	await expect(client.event("assistant.message")).resolves.toMatchObject({ payload: { content: "done" } });
	expect(received(model)).toEqual(["go", "hi\n", "be brief"]);
	expect(await client.arrived()).toEqual([]);
});

verifiesOn("ozzie", ["run.join"], "a queued message joins the active run, once", async () => {
	const model = new ScriptedModel([calls("c1", "run_command", { cmd: "echo hi" })], [says("done")]);
	await using gateway = await TestGateway.start({ model });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const { run_id } = await client.call("send_message", { content: "go" });
	const { payload } = await client.event("prompt.request");
	const queued = await client.call("send_message", { content: "be brief", correlation_id: "m2" });
	const joining = { run_id: queued["run_id"], key: "k" };
	expect(await client.call("join_turn", joining)).toEqual({ status: "joined", run_id });
	expect(await client.call("join_turn", joining)).toEqual({ status: "joined", run_id });
	expect(await client.call("join_turn", { run_id: queued["run_id"] })).toEqual({
		status: "begun",
		run_id: queued["run_id"],
	});
	await expect(client.event("user.message", { steered: true })).resolves.toMatchObject({
		payload: { content: "be brief", run_id, steered: true, correlation_id: "m2" },
	});
	await expect(client.event("assistant.message")).resolves.toMatchObject({
		payload: { content: "", error: "cancelled", joined: run_id, run_id: queued["run_id"] },
	});
	await client.call("prompt_response", { token: payload["token"], value: true });
	await expect(client.event("assistant.message")).resolves.toMatchObject({
		payload: { content: "done", run_id },
	});
	expect(received(model)).toEqual(["go", "hi\n", "be brief"]);
	expect(await client.refusal("join_turn", { run_id: "run_unknown" })).toContain(
		"run not found: run_unknown",
	);
	expect(await client.arrived()).toEqual([]);
});

verifiesOn(
	"ozzie",
	["run.steer-idle"],
	"without an active run, a steered message is sent normally",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		expect(await client.refusal("steer", { content: "hi" })).toMatch(/^invalid params/);
		await client.open();
		const sent = await client.call("steer", { content: "say: hi" });
		expect(sent).toEqual({ status: "sent", run_id: expect.any(String) });
		const { payload } = await client.event("user.message");
		expect(payload).toEqual({ content: "say: hi", run_id: sent["run_id"] });
		await client.event("assistant.message", { content: "[offline] hi" });
	},
);

verifiesOn("ozzie", ["run.retry"], "a retried reply uses only the messages before it", async () => {
	const model = new ScriptedModel([says("poor")], [says("better")]);
	await using gateway = await TestGateway.start({ model });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const first = await client.call("send_message", { content: "go" });
	await client.event("assistant.message", { content: "poor" });
	const retried = await client.call("retry", { key: "k" });
	expect(retried).toEqual({ status: "sent", run_id: expect.any(String) });
	expect(retried["run_id"]).not.toBe(first["run_id"]);
	const { payload } = await client.event("user.message", { run_id: retried["run_id"] });
	expect(payload).toMatchObject({ content: "go", retry_of: first["run_id"] });
	await client.event("assistant.message", { content: "better" });
	expect(await client.call("retry", { key: "k" })).toEqual(retried);
	expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
	const messages = await client.request("load_messages");
	expect(messages.ok && messages.payload).toMatchObject(
		["go", "poor", "better"].map((content) => ({ content })),
	);
	expect(await client.arrived()).toEqual([]);
});

verifiesOn("ozzie", ["run.retry-nothing"], "without an ended run, a retry is refused", async () => {
	await using gateway = await TestGateway.start({ model: new ScriptedModel(stuck("well")) });
	await using client = await OzzieClient.connect(gateway.url);
	expect(await client.refusal("retry")).toMatch(/^invalid params/);
	await client.open();
	expect(await client.refusal("retry")).toMatch(/^not available: there is no message to retry/);
	await client.call("send_message", { content: "go" });
	await client.event("assistant.stream", { content: "well" });
	expect(await client.refusal("retry")).toMatch(/^session busy: a run is active/);
});
