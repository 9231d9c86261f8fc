import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";
import { only, streamed, typesOf, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

const speaking = ["turn_start", "assistant_start", "text_delta"];
const endings = ["usage", "assistant_message"];
const reply = [...speaking, ...endings];
const written = ["tool_use_start", "tool_use_args", "tool_use_end"];
const opening = ["response", "user_message"];

verifiesOn(
	"zot",
	["zot.order", "zot.order-tools", "zot.assistant-start", "zot.turn-start", "zot.text-delta", "zot.turn-end"],
	"a plain reply and one with a call have their events in order",
	async () => {
		await using agent = await ZotClient.start();
		agent.send({ id: "1", type: "prompt", message: "say: once upon a time" });
		const plain = await agent.turn();
		expect(typesOf(plain)).toEqual([...opening, ...reply, "turn_end end_turn", "done"]);
		expect(streamed(plain)).toBe("[offline] once upon a time");
		agent.send({ id: "2", type: "prompt", message: "say: look\nrun: echo hi\nsay: bye" });
		const called = await agent.turn();
		expect(typesOf(called)).toEqual([
			...[...opening, ...speaking, ...written, ...endings],
			...["tool_call", "turn_end tool_use", "tool_progress", "tool_result"],
			...[...reply, "turn_end end_turn", "done"],
		]);
		expect(only(called, "turn_start").map(({ step }) => step)).toEqual([1, 2]);
		expect(only(called, "tool_result")[0]).toMatchObject({
			is_error: false,
			content: [{ type: "text", text: "hi\n" }],
		});
	},
);

verifiesOn(
	"zot",
	["zot.order-batch", "zot.tool-unknown", "zot.tool-call-broken", "zot.tool-result", "zot.end-steps"],
	"several calls in one reply are reported together, and have their results in the same order",
	async () => {
		await using service = await FakeAnthropic.start();
		service.otherwise({
			content: [
				{ type: "text", text: "All at once." },
				{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "echo one" } },
				{ type: "tool_use", id: "toolu_2", name: "nope", input: { a: 1 } },
				{ type: "tool_use", id: "toolu_3", name: "bash", json: '{"command": ' },
				{ type: "tool_use", id: "toolu_4", name: "bash", input: { command: "echo four >&2; exit 3" } },
			],
		});
		await using agent = await ZotClient.start({ service, flags: ["--max-steps", "1"] });
		agent.send({ id: "1", type: "prompt", message: "go" });
		const all = await agent.turn();
		expect(typesOf(all.filter(({ type }) => type !== "tool_progress"))).toEqual([
			...[...opening, ...speaking, ...Array.from({ length: 4 }, () => written).flat(), ...endings],
			...[...Array<string>(4).fill("tool_call"), "turn_end tool_use"],
			...[...Array<string>(4).fill("tool_result"), "error", "done"],
		]);
		expect(only(all, "tool_call").map(({ id, args }) => [id, args])).toEqual([
			["toolu_1", { command: "echo one" }],
			["toolu_2", { a: 1 }],
			["toolu_3", null],
			["toolu_4", { command: "echo four >&2; exit 3" }],
		]);
		const results = only(all, "tool_result");
		expect(results.map(({ id, is_error }) => [id, is_error])).toEqual([
			...[["toolu_1", false] as const, ["toolu_2", true] as const],
			...[["toolu_3", true] as const, ["toolu_4", true] as const],
		]);
		expect(results[1]?.content).toMatchObject([{ text: expect.stringContaining("nope") }]);
		expect(results[3]?.content).toMatchObject([{ text: expect.stringMatching(/four.*3/s) }]);
		expect(only(all, "error")).toMatchObject([{ message: expect.stringMatching(/1\b/) }]);
		expect(service.requests).toHaveLength(1);
	},
);

verifiesOn(
	"zot",
	["zot.end-error", "zot.end-error-late", "zot.end-after-error", "zot.error", "zot.done"],
	"a failed model call ends the prompt with the reason, and the next one is answered",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		service.script({ status: 403 });
		agent.send({ id: "1", type: "prompt", message: "one" });
		const refused = await agent.turn();
		expect(typesOf(refused)).toEqual([...opening, "turn_start", "turn_end error", "error", "done"]);
		const [{ message } = { message: "" }] = only(refused, "error");
		expect(only(refused, "turn_end")).toMatchObject([{ stop: "error", error: message }]);
		expect(message).toContain("refuses access to");

		const error = { type: "invalid_request_error", message: "no such luck" };
		service.script({ ...says("Well, then I shall begin"), break: { at: 1, how: error } });
		agent.send({ id: "2", type: "prompt", message: "two" });
		const late = await agent.turn();
		expect(typesOf(late)).toEqual([...opening, ...reply, "turn_end error", "error", "done"]);
		expect(only(late, "error")[0]?.message).toContain("no such luck");
		expect(only(late, "assistant_message")[0]?.content).toEqual([{ type: "text", text: streamed(late) }]);

		service.script(says("Fine."));
		agent.send({ id: "3", type: "prompt", message: "three" });
		expect(streamed(await agent.turn())).toBe("Fine.");
		const state = await agent.data({ id: "4", type: "get_state" });
		expect(state).toMatchObject({ busy: false, usage: only(agent.frames, "usage").at(-1)?.cumulative });
	},
);

verifiesOn(
	"zot",
	["zot.end-retried", "zot.end-cut-off"],
	"a call with a transient error is retried, and a partial reply never counts as complete",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		service.script({ status: 529, headers: { "retry-after-ms": "1" } }, says("Here I am."));
		agent.send({ id: "1", type: "prompt", message: "one" });
		const retried = await agent.turn();
		expect(typesOf(retried)).toEqual([
			...[...opening, "turn_start", "turn_end error", ...reply, "turn_end end_turn", "done"],
		]);
		const cut = { ...says("I am about to say someth"), break: { at: 1, how: "end" } as const };
		service.script(cut, says("Again, from the beginning."));
		agent.send({ id: "2", type: "prompt", message: "two" });
		const broken = await agent.turn();
		const stops = only(broken, "turn_end").map(({ stop }) => stop);
		expect(stops).toEqual(["error", "end_turn"]);
		expect(only(broken, "error")).toEqual([]);
		const { messages } = Object(await agent.data({ id: "3", type: "get_messages" }));
		expect(messages.at(-1).content).toEqual([{ type: "text", text: "Again, from the beginning." }]);
	},
);

verifiesOn(
	"zot",
	["zot.end-length", "zot.end-length-call", "zot.end-refusal"],
	"a reply that was cut off and one that was refused end with their reasons",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		service.script({ ...says("So much to say"), stop: "max_tokens" });
		agent.send({ id: "1", type: "prompt", message: "one" });
		expect(typesOf(await agent.turn())).toEqual([...opening, ...reply, "turn_end length", "done"]);

		const half = { type: "tool_use", id: "toolu_1", name: "bash", json: '{"command": "touch made' } as const;
		const cutCall = { content: [{ type: "text", text: "I shall" } as const, half], stop: "max_tokens" };
		service.script(cutCall, says("In parts, then."));
		agent.send({ id: "2", type: "prompt", message: "two" });
		const cut = await agent.turn();
		expect(only(cut, "turn_end")).toMatchObject([{ stop: "length" }, { stop: "end_turn" }]);
		expect(only(cut, "tool_result")).toMatchObject([
			{
				is_error: true,
				content: [{ text: expect.stringContaining("it had 23 characters of arguments by then") }],
			},
		]);

		service.script({ content: [], stop: "refusal" });
		agent.send({ id: "3", type: "prompt", message: "three" });
		const refused = await agent.turn();
		expect(typesOf(refused).slice(-3)).toEqual(["turn_end error", "error", "done"]);
		expect(only(refused, "error")[0]?.message).toContain("refused");

		// The simulator refuses a request that contains a call without a result.
		service.script(uses("toolu_2", "bash", { command: "ls" }), says("Nothing there."));
		agent.send({ id: "4", type: "prompt", message: "four" });
		const last = await agent.turn();
		expect(only(last, "tool_result")[0]?.content).not.toMatchObject([
			{ text: expect.stringMatching(/made/) },
		]);
		expect(only(last, "turn_end").map(({ stop }) => stop)).toEqual(["tool_use", "end_turn"]);
	},
);

verifiesOn(
	"zot",
	["zot.fifo", "zot.started-first", "zot.request-id"],
	"prompts and compactions in one write run one at a time and in their order",
	async () => {
		await using agent = await ZotClient.start();
		const jobs = [
			...["p1", "p2", "p3"].map((id) => ({ id, type: "prompt", message: `say: ${id}` })),
			...[
				{ id: "c", type: "compact" },
				{ id: 4, type: "prompt", message: "say: 4" },
			],
			{ type: "prompt", message: "say: nameless" },
		];
		agent.send(...jobs);
		expect(await agent.end()).toEqual({ code: 0, signal: null });
		const ids = jobs.map((job) => ("id" in job ? job.id : undefined));
		expect(only(agent.frames, "response").map(({ id }) => id)).toEqual(ids);
		expect(only(agent.frames, "done").map(({ request_id }) => request_id)).toEqual(ids);
		const owners = agent.frames.map((frame) => (frame.type === "response" ? frame.id : frame.request_id));
		expect(owners.filter((owner, at) => at === 0 || owner !== owners[at - 1])).toEqual(ids);
		expect(streamed(agent.frames)).toBe(
			["p1", "p2", "p3", "4", "nameless"].map((promptText) => `[offline] ${promptText}`).join(""),
		);
	},
);
