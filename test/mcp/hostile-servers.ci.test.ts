import { setTimeout as wait } from "node:timers/promises";
import { says, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import {
	answer,
	callsOnce,
	type McpScene,
	openScene,
	outcomeOf,
	resultsIn,
	scripted,
	settingsOf,
} from "./scene.ts";

test.for([
	["dies", "exit code 3"],
	["floods", "it sent too many"],
	["floods-without-lines", "it sent a message of more than"],
])(
	"a server that %s offers no tools, is stopped, and no run waits for it again",
	async ([fault = "", reason]) => {
		await using s = await openScene([scripted([fault])], [[says("one")], [says("two")]]);
		for (const text of ["one", "two"]) {
			await s.t.send(s.session, text);
			await s.log.next("assistant.message");
		}
		const [state] = s.t.runtime.mcp.states;
		expect(state).toMatchObject({ phase: "waiting", tools: [] });
		expect(state?.problem).toContain(reason);
		expect(state?.log).toContain("the scripted server has started");
	},
);

test("a server that never answers delays one run by 10 s, and is stopped after 30 s", async () => {
	await using s = await openScene([scripted(["hangs"])], [[says("one")], [says("two")]]);
	await s.t.send(s.session, "one");
	const first = s.log.next("assistant.message");
	await started(s);
	s.t.clock.advance(10_000);
	await first;
	await s.t.send(s.session, "two");
	s.t.clock.advance(30_000);
	await s.log.next("assistant.message");
	while (s.t.runtime.mcp.states[0]?.phase !== "waiting") await wait(20);
	expect(s.t.runtime.mcp.states[0]?.problem).toBe(
		"it did not answer the first request within 30 s; try again later",
	);
});

async function started({ t }: McpScene): Promise<void> {
	while (!t.runtime.mcp.states[0]?.log.length) await wait(20);
}

test("a call that a server does not answer fails after its timeout, and later calls succeed", async () => {
	await using s = await openScene([scripted(["hangs-in-calls"])], callsOnce("scripted__echo", { text: "a" }));
	await s.t.send(s.session, "go");
	await answer(s);
	await s.log.next("tool.running");
	await s.t.settle();
	s.t.clock.advance(30_000);
	await s.log.next("assistant.message");
	expect(resultsIn(s.model)).toEqual([
		"failed: scripted__echo failed: the MCP server scripted failed: it did not answer within 30 s; try again later",
	]);
	expect(s.t.runtime.mcp.states[0]?.phase).toBe("ready");
});

test("a server that exits during a call is restarted after a growing pause", async () => {
	const echo = callsOnce("scripted__echo", { text: "a" });
	await using s = await openScene([scripted(["dies-in-calls"])], [...echo, ...echo, ...echo]);
	await expect(outcomeOf(s)).resolves.toContain(
		"the MCP server scripted failed: it ended with the exit code 4; its output is in the log of the gateway",
	);
	await expect(outcomeOf(s)).resolves.toContain("the MCP server scripted failed");
	s.t.clock.advance(1_000);
	await expect(outcomeOf(s)).resolves.toContain("exit code 4");
	const pauses = s.t.log.records.flatMap(({ fields }) => fields?.["pauseMs"] ?? []);
	expect(pauses).toEqual([1_000, 2_000]);
});

test("a stopped run cancels its call", async () => {
	await using s = await openScene([scripted(["hangs-in-calls"])], callsOnce("scripted__echo", { text: "a" }));
	await s.t.send(s.session, "go");
	await answer(s);
	await s.log.next("tool.running");
	await s.t.settle();
	await s.t.runtime.cancel(unkeyed(), s.session);
	const { error } = await s.log.next("tool.failed");
	expect(error).toContain("cancelled");
});

test("tools of a lying server are offered with safe names, clean descriptions and valid schemas, or not at all", async () => {
	await using s = await openScene([scripted(["lies"])], callsOnce("scripted__slow", { text: "" }));
	await expect(outcomeOf(s)).resolves.toContain('{"a":"aaaa');
	const tools = s.model.requests[0]?.tools.filter(({ name }) => name.startsWith("scripted__")) ?? [];
	expect(tools.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
	expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
	expect(tools.length).toBeLessThanOrEqual(128);
	expect(tools.find(({ name }) => name === "scripted__good")?.description).toBe("Is fine.");
	expect(tools.map(({ name }) => name)).toContain("scripted__fine_name_with_spaces");
	const [state] = s.t.runtime.mcp.states;
	expect(state?.refused.join("\n")).toMatch(/scripted__broken[\s\S]*scripted__union/);
	const twice = state?.refused.filter((reason) => reason.includes("is listed twice"));
	expect(twice).toEqual([
		"tools: scripted__twice is listed twice: only the first tool is offered",
		expect.stringMatching(
			/^tools: scripted__a{45}_[0-9a-f]{8} is listed twice: only the first tool is offered$/,
		),
	]);
});

test("text of a server cannot end its part of a result, and hidden characters are removed", async () => {
	await using s = await openScene([scripted(["lies"])], callsOnce("scripted__good", { text: "" }));
	const result = await outcomeOf(s);
	const mark = /^--- begin (\S+)$/m.exec(result)?.[1] ?? "";
	expect(mark).toMatch(/^mcp_/);
	// The data contains a false end mark. The real end mark ends the data exactly once.
	expect(result.match(/^--- end mcp_\S+$/gm)).toEqual([expect.not.stringContaining(mark), `--- end ${mark}`]);
	expect(result.endsWith(`\n--- end ${mark}`)).toBe(true);
	expect(result).not.toMatch(/[\u{202e}\u{e0041}]/u);
});

test("lines of a server that are not messages have no effect", async () => {
	await using s = await openScene([scripted(["prints"])], callsOnce("scripted__echo", { text: "hi" }));
	await expect(outcomeOf(s)).resolves.toContain("echo: hi");
});

test("a program that does not exist is a problem of its server alone", async () => {
	const absent = settingsOf("absent", [], { command: "no-such-program" });
	await using s = await openScene([absent, scripted()], callsOnce("scripted__echo", { text: "hi" }));
	await expect(outcomeOf(s)).resolves.toContain("echo: hi");
	expect(s.t.runtime.mcp.states[0]?.problem).toBe(
		'there is no executable program "no-such-program": install it, or correct its name',
	);
});
