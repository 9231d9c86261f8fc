import { expect } from "vitest";
import { TestGateway } from "./gateway.ts";
import { verifies } from "./verifies.ts";

verifies(
	["run.stream", "run.message"],
	"a reply is streamed piece by piece and told as a whole",
	async (driver) => {
		await using gateway = await TestGateway.start();
		await using talk = await driver.converse(gateway.url);
		await talk.say("say: once upon a time");
		await expect(talk.outcome()).resolves.toEqual({
			...{ streamed: ["[offline] once upon a time"], calls: [] },
			...{ content: "[offline] once upon a time", error: "" },
		});
	},
);

verifies(
	["tool.call", "tool.arguments", "prompt.approve"],
	"a command runs when it was approved",
	async (driver) => {
		await using gateway = await TestGateway.start();
		await using talk = await driver.converse(gateway.url);
		await talk.say("run: echo hi");
		const question = await talk.question();
		expect(question).toMatchObject({ tool: "run_command", arguments: { cmd: "echo hi" } });
		await talk.approve(question);
		await expect(talk.outcome()).resolves.toMatchObject({
			calls: [{ name: "run_command", arguments: { cmd: "echo hi" }, text: "hi\n", failed: false }],
			...{ content: "[offline] run_command returned:\nhi", error: "" },
		});
	},
);

verifies(
	["prompt.deny", "tool.paired"],
	"a denied call fails, and the conversation goes on",
	async (driver) => {
		await using gateway = await TestGateway.start();
		await using talk = await driver.converse(gateway.url);
		await talk.say("run: touch denied");
		await talk.deny(await talk.question());
		const { calls, content, error } = await talk.outcome();
		expect(calls).toMatchObject([{ name: "run_command", failed: true }]);
		expect(calls[0]?.text).toMatch(/^denied/);
		expect(content).toMatch(/^\[offline\] run_command failed:\ndenied/);
		expect(error).toBe("");
	},
);

verifies(["run.cancel"], "a cancelled run ends with what it said so far", async (driver) => {
	await using gateway = await TestGateway.start();
	await using talk = await driver.converse(gateway.url);
	await talk.say("long: 1000000 tokens at 5 per second");
	await talk.streaming();
	await talk.cancel();
	const { content, error } = await talk.outcome();
	expect(content).toMatch(/^\[offline\] /);
	expect(error).toBe("cancelled");
	await talk.say("say: still here");
	await expect(talk.outcome()).resolves.toMatchObject({ content: "[offline] still here", error: "" });
});

verifies(["run.message-failed"], "a model that fails ends the run with the reason", async (driver) => {
	await using gateway = await TestGateway.start();
	await using talk = await driver.converse(gateway.url);
	await talk.say("say: well\nfail: out of ideas");
	await expect(talk.outcome()).resolves.toMatchObject({
		...{ content: "[offline] well", error: "out of ideas" },
	});
});
