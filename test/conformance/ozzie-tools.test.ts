import { readdir, writeFile } from "node:fs/promises";
import { expect } from "vitest";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"ozzie",
	["tool.call", "tool.paired"],
	"a call is shown with its arguments and its result",
	async () => {
		await using gateway = await TestGateway.start();
		await writeFile(gateway.path("work", "beans.txt"), "runner\n");
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", {
			content: 'read: beans.txt\n& read: peas.txt\n& tool: teleport {"to": 1}',
		});
		const shown: EventFrame["payload"][] = [];
		for (;;) {
			const { event, payload } = await client.event();
			if (event === "tool.call") shown.push(payload);
			if (event === "assistant.message") break;
		}
		const by = (status: string) => shown.filter((payload) => payload["status"] === status);
		expect(by("started")).toEqual([
			{ status: "started", name: "read_file", arguments: { path: "beans.txt" }, call_id: expect.any(String) },
			{ status: "started", name: "read_file", arguments: { path: "peas.txt" }, call_id: expect.any(String) },
			{ status: "started", name: "teleport", arguments: { to: 1 }, call_id: expect.any(String) },
		]);
		expect(by("completed")).toMatchObject([{ name: "read_file", result: "runner\n" }]);
		expect(by("failed")).toMatchObject([
			{ name: "teleport", error: expect.stringContaining('the tool "teleport" does not exist') },
			{ name: "read_file", error: expect.stringContaining("peas.txt") },
		]);
		const ids = (status: string) => by(status).map((payload) => payload["call_id"]);
		expect(new Set(ids("started")).size).toBe(3);
		expect([...ids("completed"), ...ids("failed")].sort()).toEqual(ids("started").sort());
	},
);

verifiesOn(
	"ozzie",
	["tool.arguments", "tool.before-prompt"],
	"a command is shown before its approval is requested",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "run: printf 'a\\nb'" });
		const started = await client.event("tool.call");
		expect(started.payload).toEqual({
			...{ status: "started", name: "run_command", arguments: { cmd: "printf 'a\\nb'" } },
			call_id: expect.any(String),
		});
		const { payload } = await client.event("prompt.request");
		expect(payload["context"]).toMatchObject({
			...{ call_id: started.payload["call_id"], tool: "run_command", arguments: { cmd: "printf 'a\\nb'" } },
		});
		await client.call("prompt_response", { token: payload["token"], value: true });
		await client.event("tool.call", {
			status: "completed",
			result: "a\nb",
			call_id: started.payload["call_id"],
		});
	},
);

verifiesOn("ozzie", ["tool.output"], "the output of a command is shown while it runs", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	await client.call("accept_all_tools");
	await client.call("send_message", {
		content: "run: mkfifo gate; echo first; read -r line < gate; echo second",
	});
	const { payload: started } = await client.event("tool.call");
	const output = await client.event("tool.output");
	expect(output).toMatchObject({ transient: true });
	expect(output.payload).toEqual({
		run_id: expect.any(String),
		call_id: started["call_id"],
		content: "first\n",
	});
	await writeFile(gateway.path("work", "gate"), "go\n");
	await client.event("tool.output", { content: "second\n" });
	await client.event("tool.call", { status: "completed", result: "first\nsecond\n" });
});

verifiesOn(
	"ozzie",
	["tool.batch", "prompt.together", "prompt.reply"],
	"three writes of one reply raise three prompts before the first answer, and run in its order",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const commands = ["1", "2", "3"].map((name) => `write: ${name}.txt <<< ${name}`);
		await client.call("send_message", { content: commands.join("\n& ") });
		const prompts: { readonly [name: string]: unknown }[] = [];
		for (let n = 0; n < 3; n++) prompts.push((await client.event("prompt.request")).payload);
		const [first, second, third] = prompts.map(({ token }) => token);
		const replies = prompts.map(({ context }) => Object(context).reply);
		expect(replies).toEqual([1, 2, 3].map((place) => ({ id: replies[0].id, place, count: 3 })));
		const answer = (token: unknown, value: boolean) => client.call("prompt_response", { token, value });
		await answer(third, true);
		await answer(second, false);
		await client.event("tool.call", { status: "failed" });
		expect(await readdir(gateway.path("work"))).toEqual([]);
		await answer(first, true);
		for (const name of ["1", "3"]) {
			const { payload } = await client.event("tool.call", { status: "completed" });
			expect(payload["result"]).toContain(`to ${name}.txt`);
		}
		await client.event("assistant.message");
		expect((await readdir(gateway.path("work"))).sort()).toEqual(["1.txt", "3.txt"]);
	},
);

verifiesOn(
	"ozzie",
	["prompt.together", "prompt.files-changed"],
	"three commands of one reply raise three prompts, and a command whose files changed raises another one, also after a restart",
	async () => {
		await using gateway = await TestGateway.start();
		await writeFile(gateway.path("work", "run.sh"), "echo good\n");
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const commands = ["git --version", "echo 'echo bad' > run.sh", "sh run.sh"];
		await client.call("send_message", { content: commands.map((cmd) => `run: ${cmd}`).join("\n& ") });
		const tokens: unknown[] = [];
		for (let place = 1; place <= 3; place++) {
			const { payload } = await client.event("prompt.request");
			expect(payload["context"]).toMatchObject({ reply: { place, count: 3 } });
			tokens.push(payload["token"]);
		}
		await client.call("prompt_response", { token: tokens[2], value: true });
		await gateway.restart();
		await using second = await OzzieClient.connect(gateway.url);
		await second.open({ session_id: session });
		for (const token of tokens.slice(0, 2)) await second.call("prompt_response", { token, value: true });
		for (;;) {
			const { payload } = await second.event("prompt.request");
			if (tokens.includes(payload["token"])) continue;
			expect(payload["label"]).toBe("Allow run sh run.sh?");
			expect(Object(payload["context"]).notes[0]).toBe(
				"asked again: files changed since the first question, while other calls of this reply ran: run.sh",
			);
			await second.call("prompt_response", { token: payload["token"], value: true });
			break;
		}
		await second.event("tool.call", { status: "completed", result: "bad\n" });
		await second.event("assistant.message");
	},
);
