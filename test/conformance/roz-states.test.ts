import { setImmediate as tick } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

function statesIn({ frames }: RozStream): unknown[] {
	return frames.flatMap(({ kind, value }) =>
		kind === "activityUpdate" ? [[value["state"], value["detail"] ?? ""]] : [],
	);
}

for (const aiMode of ["ooda_react", "ooda"]) {
	verifiesOn(
		"roz",
		["roz.states", "roz.ooda"],
		`in the mode ${aiMode} each phase is a state, and an approval and a call are states as in every mode`,
		async () => {
			const phases = ["observe", "orient", "decide"];
			const write = { path: "bed.txt", content: "soil" };
			const model = new ScriptedModel(
				...phases.map((phase) => [says(`${phase}. `)]),
				[calls("c1", "write_file", write)],
				...phases.map((phase) => [says(`${phase} again. `)]),
				[says("done")],
			);
			await using gateway = await TestGateway.start({ model });
			await using stream = new RozStream(gateway.url);
			await stream.start();
			stream.say("dig", { aiMode });
			let state: unknown;
			while (state !== "waiting_approval") ({ state } = await stream.until("activityUpdate"));
			stream.send({ permissionDecision: { toolCallId: "c1", approved: true } });
			expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
			const thinking = [...phases, "act"].map((phase) => ["thinking", phase]);
			expect(statesIn(stream)).toEqual([
				...thinking,
				["waiting_approval", "c1"],
				["calling_tool", "write_file"],
				...thinking,
				["idle", ""],
			]);
			expect(stream.text("textDelta")).toBe(
				"observe. orient. decide. observe again. orient again. decide again. done",
			);
		},
	);
}

verifiesOn(
	"roz",
	["roz.states"],
	"progress is the share of completed steps of the agent's list, and each turn begins without one",
	async () => {
		const steps = (...states: readonly string[]) => ({
			items: states.map((state, index) => ({ text: `step ${index}`, state })),
		});
		const model = new ScriptedModel(
			[calls("c1", "todo", steps("active", "open", "open", "open"))],
			[calls("c2", "todo", steps("done", "active", "open", "open"))],
			[calls("c3", "todo", steps("done", "done", "done", "done"))],
			[says("done")],
			[says("again")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("go");
		await stream.until("turnComplete");
		stream.say("go on");
		await stream.until("turnComplete");
		const shown = stream.frames.flatMap(({ kind, value }) =>
			kind === "activityUpdate" ? [[value["state"], value["progress"]]] : [],
		);
		expect(shown).toEqual([
			["thinking", undefined],
			["calling_tool", undefined],
			["calling_tool", 0],
			["thinking", 0],
			["calling_tool", 0],
			["calling_tool", 0.25],
			["thinking", 0.25],
			["calling_tool", 0.25],
			["calling_tool", 1],
			["thinking", 1],
			["idle", 1],
			["thinking", undefined],
			["idle", undefined],
		]);
	},
);

verifiesOn(
	"roz",
	["roz.codes"],
	"a turn that a limit of the gateway ends is `agent_error`: repeated calls, working time, and a message above the window",
	async () => {
		const clock = new ManualClock();
		const missing = Array.from({ length: 6 }, (_, n) => [calls(`c${n}`, "read_file", { path: "none.txt" })]);
		// Two further replies: a summary of the large message, and the answer.
		const rest = [[says("fine")], [says("fine")]];
		const model = new ScriptedModel(...missing, stuck("Hm."), ...rest);
		await using gateway = await TestGateway.start({ model, clock });
		await using stream = new RozStream(gateway.url);
		await stream.start({ maxContextTokens: 20_000 });
		const failed = async (): Promise<object> => {
			const { message, ...facts } = await stream.until("error");
			return { ...facts, message: String(message).replace(/ (of read_file|\d).*/, "") };
		};
		stream.say("repeat");
		expect(await failed()).toEqual({
			...{ code: "agent_error", message: "stopped: the model repeated a call" },
		});
		stream.say("work");
		await stream.until("textDelta");
		clock.advance(30 * 60_000);
		await tick();
		expect(await failed()).toEqual({
			...{ code: "agent_error", message: "stopped after" },
		});
		stream.say("beans ".repeat(20_000));
		expect(await failed()).toEqual({
			...{ code: "agent_error", message: "the request needs about" },
		});
		stream.say("go on");
		await stream.until("turnComplete");
	},
);

verifiesOn(
	"roz",
	["roz.codes"],
	"a turn that a fault of the gateway ends is `internal` without details, and the client may retry",
	async () => {
		let isBroken = true;
		const failpoints = {
			reach(name: string): void {
				if (name === "model-done" && isBroken) throw new Error("the disk at /srv/secret is gone");
			},
		};
		const model = new ScriptedModel([says("one")], [says("two")]);
		await using gateway = await TestGateway.start({ model, failpoints });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("go");
		expect(await stream.until("error")).toEqual({
			...{ code: "internal", message: "internal error", retryable: true },
		});
		isBroken = false;
		stream.say("again");
		expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
		expect(JSON.stringify(stream.frames)).not.toContain("secret");
	},
);
