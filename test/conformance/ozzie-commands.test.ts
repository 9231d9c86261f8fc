import type { Model, ModelRequest } from "@parley/core";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Settings with which commands can run in the background on every operating system. */
const config = { sandbox: "container" } as const;

async function runCommand(client: OzzieClient, content: string): Promise<string> {
	await client.call("send_message", { content });
	return String((await client.event("assistant.message")).payload["content"]);
}

async function startCommand(client: OzzieClient, cmd: string): Promise<{ started: object; answer: string }> {
	await client.call("send_message", { content: `start: ${cmd}` });
	const { payload } = await client.event("prompt.request");
	await client.call("prompt_response", { token: payload["token"], value: true });
	const { payload: started } = await client.event("command.started");
	return { started, answer: String((await client.event("assistant.message")).payload["content"]) };
}

verifiesOn(
	"ozzie",
	["command.list", "command.stop"],
	"a command continues after its turn, and a client lists and stops it",
	async () => {
		await using gateway = await TestGateway.start({ config });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const named = { number: 1, command: "echo ready; exec sleep 600" };
		const { started, answer } = await startCommand(client, named.command);
		expect(started).toMatchObject(named);
		expect(answer).toContain("command 1");
		expect(await client.call("list_commands")).toEqual({
			commands: [{ ...named, state: "running", started_at: expect.any(String) }],
		});
		expect(await runCommand(client, "output: 1")).toContain("ready\n[command 1 is running]");
		const stopped = await client.call("stop_command", { number: 1, key: "k" });
		expect(stopped["command"]).toMatchObject({ ...named, state: "ended", reason: "stopped" });
		expect(await client.call("stop_command", { number: 1, key: "k" })).toEqual(stopped);
		const { payload } = await client.event("command.ended");
		expect(payload).toMatchObject({ ...named, reason: "stopped", by: "operator" });
		expect(await runCommand(client, "output: 1")).toContain("[command 1 stopped]");
		expect(await client.refusal("stop_command", { number: 2 })).toMatch(/has no command 2/);
		const { records } = (await client.call("read_audit", { limit: 1000 })) as { records: readonly object[] };
		expect(records).toContainEqual(expect.objectContaining({ action: "command.stop", decision: "stopped" }));
	},
);

verifiesOn("ozzie", ["command.restart"], "a command that ended with the gateway is reported", async () => {
	await using gateway = await TestGateway.start({ config });
	const session = await (async () => {
		await using client = await OzzieClient.connect(gateway.url);
		const id = await client.open();
		await startCommand(client, "exec sleep 600");
		return id;
	})();
	await gateway.restart();
	await using client = await OzzieClient.connect(gateway.url);
	await client.call("open_session", { session_id: session, after_seq: 0 });
	expect((await client.event("command.ended")).payload).toMatchObject({ number: 1, reason: "gateway" });
	expect(await client.call("list_commands")).toMatchObject({
		commands: [{ number: 1, state: "ended", reason: "gateway" }],
	});
	expect(await runCommand(client, "output: 1")).toContain("[command 1 ended because Parley was restarted]");
});

function createReader(requests: ModelRequest[]): Model {
	return {
		provider: "reader",
		defaultModel: "reader",
		async *stream(request) {
			requests.push(request);
			yield { type: "text", text: "I see." };
			const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
			yield { type: "end", stop: "end_turn", usage, model: "reader" };
		},
	};
}

verifiesOn(
	"ozzie",
	["command.own"],
	"the operator runs a command without a model, which sees it later",
	async () => {
		const requests: ModelRequest[] = [];
		await using gateway = await TestGateway.start({ model: createReader(requests) });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("run_command", { command: "echo by hand", key: "k" });
		const { payload: message } = await client.event("user.message");
		expect(message).toMatchObject({ content: "!echo by hand" });
		const { payload: approval } = await client.event("prompt.request");
		expect(approval["label"]).toBe("Allow run echo by hand?");
		await client.call("prompt_response", { token: approval["token"], value: true });
		expect((await client.event("tool.output")).payload["content"]).toContain("by hand");
		expect((await client.event("assistant.message")).payload).toMatchObject({ content: "", error: "" });
		expect(requests).toEqual([]);
		expect(await client.refusal("retry", {})).toMatch(/is a command/);
		await client.call("send_message", { content: "What did I do?" });
		await client.event("assistant.message");
		const seen = JSON.stringify(requests.at(-1)?.messages);
		for (const part of ["!echo by hand", '"cmd":"echo by hand"', "What did I do?"])
			expect(seen).toContain(part);
		expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
		await client.call("run_command", { command: "echo denied" });
		const { payload: second } = await client.event("prompt.request");
		await client.call("prompt_response", { token: second["token"], value: false });
		await client.event("assistant.message");
		await client.call("run_command", { command: "sleep 600" });
		const { payload: third } = await client.event("prompt.request");
		await client.call("prompt_response", { token: third["token"], value: true });
		await client.call("cancel_turn");
		expect((await client.event("assistant.message")).payload).toMatchObject({ error: "cancelled" });
		expect(await client.refusal("run_command", { command: "echo a\necho b" })).toMatch(
			/contains a line break/,
		);
		const { records } = (await client.call("read_audit", { limit: 1000 })) as {
			records: { action: string }[];
		};
		expect(records.filter(({ action }) => action === "approval.decide")).toHaveLength(3);
	},
);

function createWriter(requests: ModelRequest[]): Model {
	return {
		provider: "writer",
		defaultModel: "writer",
		async *stream(request) {
			requests.push(request);
			const isFirst = requests.length === 1;
			const files = isFirst ? ["one.txt", "two.txt"] : [];
			for (const path of files) {
				yield { type: "call", id: path, name: "write_file", arguments: { path, content: "made" } };
			}
			yield { type: "text", text: "I see." };
			const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
			yield { type: "end", stop: isFirst ? "tool_use" : "end_turn", usage, model: "writer" };
		},
	};
}

verifiesOn(
	"ozzie",
	["changes.undo"],
	"the operator reads the file changes of a turn and undoes them, which the model sees later",
	async () => {
		const requests: ModelRequest[] = [];
		await using gateway = await TestGateway.start({ model: createWriter(requests) });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		expect(await client.call("file_changes")).toEqual({});
		await client.call("send_message", { content: "Make files." });
		for (const _ of ["one.txt", "two.txt"]) {
			const { payload } = await client.event("prompt.request");
			await client.call("prompt_response", { token: payload["token"], value: true });
		}
		await client.event("assistant.message");
		const changes = { run_id: expect.any(String), message: "Make files.", ran_commands: false };
		expect(await client.call("file_changes")).toEqual({
			turn: {
				...changes,
				files: ["one.txt", "two.txt"].map((path) => ({
					...{ path, state: "restorable", reason: "", created: true },
					diff: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,1 @@\n+made\n\\ No newline at end of file\n`,
				})),
			},
		});
		const calls = requests.length;
		await client.call("undo_changes", { key: "k" });
		expect(await client.refusal("undo_changes", { partly: true })).toMatch(/session busy/);
		const { payload: approval } = await client.event("prompt.request");
		expect(approval["label"]).toBe("Allow undo the changes of 2 files?");
		await client.call("prompt_response", { token: approval["token"], value: true });
		expect((await client.event("assistant.message")).payload).toMatchObject({ content: "", error: "" });
		expect(requests).toHaveLength(calls);
		expect(await client.call("file_changes")).toEqual({});
		// A request with the same key gets the same response, and does not undo an earlier turn.
		expect(await client.call("undo_changes", { key: "k" })).toMatchObject({ status: "sent" });
		expect(await client.refusal("undo_changes", {})).toMatch(/no file changes to undo/);
		expect(await client.refusal("retry", {})).toMatch(/is an undo/);
		await client.call("send_message", { content: "What did I do?" });
		await client.event("assistant.message");
		expect(JSON.stringify(requests.at(-1)?.messages)).toContain("- deleted two.txt");
	},
);
