import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { Model, ModelEvent, ModelRequest } from "@parley/core";
import { ModelError } from "@parley/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { anthropicAt, requestedModel } from "./anthropic-port.ts";
import { brokenStreams } from "./broken-streams.ts";
import { speech } from "./cuts.ts";
import { damagedStreams } from "./damaged-streams.ts";
import { bodyCanary, type Failure, speaking } from "./failure.ts";
import { networkFailures } from "./network-failures.ts";
import { oddUsages } from "./odd-usage.ts";
import { oddStreams } from "./oddity.ts";
import { PassingTime, settle } from "./passing-time.ts";
import { singleCaseRow, withSeeds } from "./seeds.ts";
import { statusFailures } from "./status-failures.ts";
import { stops } from "./stops.ts";
import { toolFaults } from "./tool-faults.ts";

const request: ModelRequest = {
	model: requestedModel,
	system: "You help.",
	messages: [{ role: "user", content: [{ type: "text", text: "Good morning" }] }],
	tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
};

let fake: FakeAnthropic;
let clock: ManualClock;
let log: MemoryLogger;
let model: Model;
beforeEach(async () => {
	clock = new ManualClock();
	log = new MemoryLogger();
	fake = await FakeAnthropic.start({ clock });
	model = anthropicAt(fake.url, { apiKey: fake.apiKey, clock, log });
});
afterEach(() => fake.close());

interface Outcome {
	readonly events: readonly ModelEvent[];
	readonly error: unknown;
}

async function call(from: Model = model, pass?: Failure["pass"]): Promise<Outcome> {
	const events: ModelEvent[] = [];
	const before = fake.requests.length;
	let hasEnded = false;
	const ended = (async () => {
		try {
			for await (const event of from.stream(request, new AbortController().signal)) events.push(event);
			return undefined;
		} catch (reason) {
			return reason;
		} finally {
			hasEnded = true;
		}
	})();
	if (pass) {
		using time = new PassingTime(clock, () => hasEnded);
		await fake.received(before + 1);
		await pass(time);
	}
	const error = await ended;
	// The simulator also has timers on the clock, so the test must wait until the simulator has closed the response.
	await fake.requests[before]?.abandoned;
	return { events, error };
}

function textOf(events: readonly ModelEvent[]): string {
	return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

function asItIs(text: string): string {
	return text;
}

const failures = [...statusFailures, ...brokenStreams, ...damagedStreams];

test.for(failures.map((failure) => [failure.name, failure] as const))(
	"a failed reply has its fault and no end: %s",
	async ([, failure]) => {
		await withSeeds(failure, async (random) => {
			const before = fake.requests.length;
			fake.script(failure.answer(random, clock.now()));
			const { events, error } = await call(model, failure.pass);
			expect(error).toBeInstanceOf(ModelError);
			// The cast is safe because the assertion above has checked the class of the error.
			const { fault, retryAfterMs, message } = error as ModelError;
			expect({ fault, retryAfterMs }).toEqual({ fault: failure.fault, retryAfterMs: failure.retryAfterMs });
			expect(message).toMatch(failure.message ?? /./);
			expect(message).not.toContain(bodyCanary);
			expect(message.length).toBeLessThan(600);
			expect(events.map(({ type }) => type)).not.toContain("end");
			expect(speech.startsWith(textOf(events).replace(/x{9}.*/s, ""))).toBe(true);
			expect(fake.requests.length).toBe(before + 1);
			expect(clock.pending).toBe(0);
		});
	},
);

test.for(oddStreams.map((oddity) => [oddity.name, oddity] as const))(
	"a reply is complete despite the unusual form of its stream: %s",
	async ([, { answer, times, restore = asItIs, pass }]) => {
		await withSeeds({ times }, async (random) => {
			fake.script(answer(random));
			const { events, error } = await call(model, pass);
			expect(error).toBeUndefined();
			expect(restore(textOf(events))).toBe(speech);
			expect(events.at(-1)).toMatchObject({ type: "end", stop: "end_turn", model: requestedModel });
			expect(clock.pending).toBe(0);
		});
	},
);

test.for(stops.map((stop) => [stop.name, stop] as const))(
	"a reply has the stop reason of its stream: %s",
	async ([, { answer, times, stop }]) => {
		await withSeeds({ times }, async (random) => {
			fake.script(answer(random));
			const { events, error } = await call();
			expect(error).toBeUndefined();
			expect(events.at(-1)).toMatchObject({ type: "end", stop });
			const calls = events.filter((event) => event.type === "call");
			// The last call is cut off, even if its arguments look complete.
			if (calls.length > 0) expect(calls.at(-1)?.invalid).toEqual(expect.any(String));
		});
	},
);

test.for(toolFaults.map((fault) => [fault.name, fault] as const))(
	"a reply with unusual calls ends normally: %s",
	async ([, fault]) => {
		await withSeeds(fault, async (random) => {
			fake.script(fault.answer(random));
			const { events, error } = await call();
			expect(error).toBeUndefined();
			expect(events.at(-1)).toMatchObject({ type: "end", stop: "tool_use" });
			fault.check(events.filter((event) => event.type === "call"));
		});
	},
);

test.for(oddUsages.map((usage) => [usage.name, usage] as const))(
	"a reply with unusual usage is complete: %s",
	async ([, { usage, times }]) => {
		await withSeeds({ times }, async (random) => {
			fake.script(speaking(random, { usage: () => usage }));
			const { events, error } = await call();
			expect(error).toBeUndefined();
			expect(textOf(events)).toBe(speech);
			const end = events.at(-1);
			if (end?.type !== "end") throw new Error("the reply has no end");
			const { inputTokens, cacheReadTokens, cacheWriteTokens } = end.usage;
			for (const figure of Object.values(end.usage)) {
				expect(figure).toBeGreaterThanOrEqual(0);
				expect(figure).toBeLessThanOrEqual(1e9);
				expect(Number.isInteger(figure)).toBe(true);
			}
			expect(inputTokens).toBeGreaterThanOrEqual(cacheReadTokens + cacheWriteTokens);
			expect(log.records.filter(({ level }) => level === "warn")).not.toEqual([]);
			log.records.length = 0;
		});
	},
);

test.for(networkFailures.map((failure) => [failure.name, failure] as const))(
	"a network failure has its fault: %s",
	async ([, failure]) => {
		const place = await failure.open();
		try {
			const lost = anthropicAt(place.baseUrl, { apiKey: fake.apiKey, clock, log });
			await withSeeds(failure, async () => {
				const { events, error } = await call(lost);
				expect(error).toBeInstanceOf(ModelError);
				expect(error).toMatchObject({
					fault: failure.fault,
					message: expect.stringMatching(failure.message),
				});
				expect(events).toEqual([]);
				expect(clock.pending).toBe(0);
			});
		} finally {
			await place.close();
		}
	},
);

test("a cancelled call ends immediately and releases the connection", async () => {
	await withSeeds(singleCaseRow, async (random) => {
		const at = random.pick(["start", "head", random.between(1, 40)] as const);
		fake.script(speaking(random, { break: { at, how: "hang" } }));
		const giveUp = new AbortController();
		const before = fake.requests.length;
		const stream = model.stream(request, giveUp.signal)[Symbol.asyncIterator]();
		const first = stream.next();
		await fake.received(before + 1);
		await settle();
		giveUp.abort();
		const rest = (async () => {
			for (let next = await first; !next.done; next = await stream.next());
		})();
		await expect(rest).rejects.toMatchObject({ code: "cancelled" });
		expect(await fake.requests[before]?.abandoned).toBe(true);
		expect(clock.pending).toBe(0);
	});
});
