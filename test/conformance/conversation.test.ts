import { expect } from "vitest";
import { verifies } from "./verifies.ts";

verifies(
	["run.stream", "run.message"],
	"a reply is streamed in pieces and then sent completely",
	async (driver) => {
		await using talk = await driver.converse();
		await talk.say("say: once upon a time");
		await expect(talk.outcome()).resolves.toEqual({
			...{ streamed: ["[offline] once upon a time"], calls: [] },
			...{ content: "[offline] once upon a time", error: "" },
		});
	},
);

verifies(["prompt.approve"], "a call runs after its approval", async (driver) => {
	await using talk = await driver.converse();
	const { name } = driver.command("echo hi");
	await talk.say("run: echo hi");
	await talk.approve(await talk.question());
	await expect(talk.outcome()).resolves.toMatchObject({
		...{ content: `[offline] ${name} returned:\nhi`, error: "" },
	});
});

verifies(
	["tool.call", "tool.arguments"],
	"a command that waits for its approval, and its result, are shown",
	async (driver) => {
		await using talk = await driver.converse();
		const { name, arguments: args } = driver.command("echo hi");
		await talk.say("run: echo hi");
		const question = await talk.question();
		expect(question).toMatchObject({ tool: name, arguments: args });
		await talk.approve(question);
		await expect(talk.outcome()).resolves.toMatchObject({
			calls: [{ name, arguments: args, text: "hi\n", failed: false }],
			...{ content: `[offline] ${name} returned:\nhi`, error: "" },
		});
	},
);

verifies(["prompt.deny"], "the conversation continues after a denied call", async (driver) => {
	await using talk = await driver.converse();
	const { name } = driver.command("touch denied");
	await talk.say("run: touch denied");
	await talk.deny(await talk.question());
	const { content, error } = await talk.outcome();
	expect(content).toMatch(new RegExp(`^\\[offline\\] ${name} failed:\\ndenied`));
	expect(error).toBe("");
});

verifies(["tool.paired"], "a denied call is shown as failed", async (driver) => {
	await using talk = await driver.converse();
	const { name } = driver.command("touch denied");
	await talk.say("run: touch denied");
	await talk.deny(await talk.question());
	const { calls } = await talk.outcome();
	expect(calls).toMatchObject([{ name, failed: true }]);
	expect(calls[0]?.text).toMatch(/^denied/);
});

verifies(["run.cancel"], "a cancelled run ends with its partial text", async (driver) => {
	await using talk = await driver.converse();
	await talk.say("long: 1000000 tokens at 5 per second");
	await talk.streaming();
	await talk.cancel();
	const { content, error } = await talk.outcome();
	expect(content).toMatch(/^\[offline\] /);
	expect(error).toBe("cancelled");
	await talk.say("say: still here");
	await expect(talk.outcome()).resolves.toMatchObject({ content: "[offline] still here", error: "" });
});

verifies(["run.message-failed"], "a failed model call ends the run with the reason", async (driver) => {
	await using talk = await driver.converse();
	await talk.say("say: well\nfail: out of ideas");
	await expect(talk.outcome()).resolves.toMatchObject({
		...{ content: "[offline] well", error: "out of ideas" },
	});
});

verifies(["run.in-order"], "messages that arrive together are answered in their order", async (driver) => {
	await using talk = await driver.converse();
	await talk.say("say: one", "say: two");
	const outcomes = [await talk.outcome(), await talk.outcome()];
	expect(outcomes.map(({ content }) => content)).toEqual(["[offline] one", "[offline] two"]);
});

verifies(["run.left"], "a run continues to its end after its client has left", async (driver) => {
	await using talk = await driver.converse();
	await talk.say("long: 30 tokens at 60 per second");
	await talk.streaming();
	const { content, error } = await talk.leave();
	expect(content.split(" ").length).toBeGreaterThan(25);
	expect(error).toBe("");
});

verifies(["run.compact"], "a summary replaces earlier messages", async (driver) => {
	await using talk = await driver.converse();
	await talk.say("say: beans are green");
	await talk.outcome();
	await expect(talk.compact()).resolves.toMatch(/beans are green/);
	await talk.say("say: and so on");
	await expect(talk.outcome()).resolves.toMatchObject({ content: "[offline] and so on", error: "" });
});
