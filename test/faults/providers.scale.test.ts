import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { type Model, ModelError, type ModelEvent, type ModelRequest } from "@parley/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeProvider } from "../simulators/providers/fake-provider.ts";
import { speech } from "./cuts.ts";
import { bodyCanary, type Failure, speaking } from "./failure.ts";
import { networkFailures } from "./network-failures.ts";
import { PassingTime, settle } from "./passing-time.ts";
import { familyAt, testedFamilies } from "./provider-port.ts";
import { failuresOf, oddReports } from "./provider-rows.ts";
import { singleCaseRow, withSeeds } from "./seeds.ts";
import { stops } from "./stops.ts";
import { toolFaults } from "./tool-faults.ts";

interface Outcome {
	readonly events: readonly ModelEvent[];
	readonly error: unknown;
}

function textOf(events: readonly ModelEvent[]): string {
	return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

/** Faults that a service or its SDK reports differently from the Messages API. */
const otherwise = new Set(["the same id twice", "an empty name", "an empty id", "an impossible name"]);

describe.each(testedFamilies.map((one) => [one.family, one] as const))("%s", (_, tested) => {
	const request: ModelRequest = {
		model: tested.model,
		system: "You help.",
		messages: [{ role: "user", content: [{ type: "text", text: "Good morning" }] }],
		tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
	};
	let fake: FakeProvider;
	let clock: ManualClock;
	let log: MemoryLogger;
	let model: Model;
	beforeEach(async () => {
		clock = new ManualClock();
		log = new MemoryLogger();
		fake = await FakeProvider.start(tested.wire, { clock });
		model = familyAt(tested, fake.url, { apiKey: fake.apiKey, clock, log });
	});
	afterEach(() => fake.close());

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

	const failures = failuresOf(tested.wire);

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
				expect(speech.startsWith(textOf(events))).toBe(true);
				expect(fake.requests.length).toBe(before + 1);
				expect(clock.pending).toBe(0);
			});
		},
	);

	test.for(
		stops
			.filter(({ name }) => !/null|absent|no message_delta/.test(name))
			.map((stop) => [stop.name, stop] as const),
	)("a reply has the stop reason of its stream: %s", async ([, { answer, times, stop }]) => {
		await withSeeds({ times }, async (random) => {
			const { usage: _, ...reply } = answer(random);
			fake.script(reply);
			const { events, error } = await call();
			expect(error).toBeUndefined();
			const expected =
				reply.stop === "stop_sequence" || reply.stop === "sparkle" ? /max_tokens|end_turn|tool_use/ : stop;
			expect(events.at(-1)).toMatchObject({ type: "end", stop: expect.stringMatching(expected) });
			const calls = events.filter((event) => event.type === "call");
			// The last call is cut off, even if its arguments look complete.
			if (calls.length > 0) expect(calls.at(-1)?.invalid).toEqual(expect.any(String));
		});
	});

	test.for(
		toolFaults.filter(({ name }) => !otherwise.has(name)).map((fault) => [fault.name, fault] as const),
	)("a reply with unusual calls ends normally: %s", async ([, fault]) => {
		await withSeeds(fault, async (random) => {
			const { usage: _, ...reply } = fault.answer(random);
			fake.script(reply);
			const { events, error } = await call();
			expect(error).toBeUndefined();
			expect(events.at(-1)).toMatchObject({ type: "end", stop: "tool_use" });
			fault.check(events.filter((event) => event.type === "call"));
		});
	});

	test.for(oddReports.map((usage) => [usage.name, usage] as const))(
		"a reply with unusual usage is complete: %s",
		async ([, { usage, times }]) => {
			await withSeeds({ times }, async (random) => {
				const { usage: _, ...reply } = speaking(random, {});
				fake.script({ ...reply, usage: () => usage(tested.wire) });
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

	test.for(["hang", "reset"] as const)(
		"a reply is complete although its connection fails after the end: %s",
		async (variant) => {
			await withSeeds(singleCaseRow, async (random) => {
				const { usage: _, ...reply } = speaking(random, {
					break: { at: Number.POSITIVE_INFINITY, how: variant },
				});
				fake.script(reply);
				const pass = variant === "hang" ? (time: PassingTime) => time.endsAfter(1_000) : undefined;
				const { events, error } = await call(model, pass);
				expect(error).toBeUndefined();
				expect(textOf(events)).toBe(speech);
				expect(events.at(-1)).toMatchObject({ type: "end", stop: "end_turn", model: tested.model });
			});
		},
	);

	test.for(networkFailures.map((failure) => [failure.name, failure] as const))(
		"a network failure has its fault: %s",
		async ([, failure]) => {
			const place = await failure.open();
			try {
				const lost = familyAt(tested, place.baseUrl, { apiKey: fake.apiKey, clock, log });
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
			const { usage: _, ...reply } = speaking(random, { break: { at, how: "hang" } });
			fake.script(reply);
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
});
