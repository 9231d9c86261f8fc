import { operator } from "@parley/core";
import { expect, test } from "vitest";
import type { Random } from "../random.ts";
import { fallback, requestedModel } from "./anthropic-port.ts";
import { brokenStreams } from "./broken-streams.ts";
import { speech } from "./cuts.ts";
import { damagedStreams } from "./damaged-streams.ts";
import { bodyCanary, type Failure, speaking } from "./failure.ts";
import { FaultSetup } from "./fault-setup.ts";
import { networkFailures } from "./network-failures.ts";
import { settle } from "./passing-time.ts";
import { checkAborted, checkNextMessage, checkRun, playFailure, playRetry, triesOf } from "./retries.ts";
import { withSeeds } from "./seeds.ts";
import { sharedSetup } from "./shared-setup.ts";
import { statusFailures } from "./status-failures.ts";

const failures = [...statusFailures, ...brokenStreams, ...damagedStreams];

interface Case {
	readonly failure: Failure;
	readonly setup: FaultSetup;
	readonly random: Random;
}

async function onceThenTheAnswer({ failure, setup, random }: Case): Promise<void> {
	const timers = setup.clock.pending;
	const before = setup.fake.requests.length;
	setup.script(failure, random, 1);
	setup.fake.script(speaking(random, {}));
	const { log, session, runId } = await setup.ask();
	const meeting = { setup, log, before };
	await playFailure(failure, meeting, 1);
	await playRetry(failure, meeting, 1);
	const answer = await log.the("assistant.message");
	expect(answer).toMatchObject({ runId, content: speech, error: "", model: requestedModel });
	checkRun(meeting, 2);
	await checkAborted(meeting, runId, true);
	expect(setup.clock.pending).toBe(timers);
	await checkNextMessage(meeting, session, random);
}

async function retriesThenFallback({ failure, setup, random }: Case): Promise<void> {
	const tries = triesOf[failure.fault];
	const before = setup.fake.requests.length;
	setup.script(failure, random, tries);
	setup.fake.script(speaking(random, {}));
	const { log, runId } = await setup.ask();
	const meeting = { setup, log, before };
	for (let number = 1; number <= tries; number++) {
		await playFailure(failure, meeting, number);
		await playRetry(failure, meeting, number);
	}
	const answer = await log.the("assistant.message");
	expect(answer).toMatchObject({ runId, content: speech, error: "", model: fallback });
	checkRun(meeting, tries + 1);
	const models = setup.fake.requests.slice(before).map(({ body }) => body.model);
	expect(models).toEqual([...models.slice(0, tries).map(() => requestedModel), fallback]);
	await checkAborted(meeting, runId, true);
}

async function retriesUntilFailure({ failure, setup, random }: Case): Promise<void> {
	const tries = triesOf[failure.fault];
	const timers = setup.clock.pending;
	const before = setup.fake.requests.length;
	setup.script(failure, random, tries);
	const { log, session, runId } = await setup.ask();
	const meeting = { setup, log, before };
	for (let number = 1; number <= tries; number++) {
		await playFailure(failure, meeting, number);
		if (number < tries) await playRetry(failure, meeting, number);
	}
	const answer = await log.the("assistant.message");
	expect(answer).toMatchObject({ runId, error: expect.stringMatching(failure.message ?? /./) });
	expect(answer.error).not.toContain(bodyCanary);
	expect(["", log.texts.at(-1)]).toContain(answer.content);
	checkRun(meeting, tries);
	await checkAborted(meeting, runId, false);
	expect(setup.clock.pending).toBe(timers);
	await checkNextMessage(meeting, session, random);
}

const inPassing = failures.filter(({ fault }) => triesOf[fault] > 1);

test.for(inPassing.map((failure, index) => [failure.name, failure, index] as const))(
	"a failed call is tried at most four times, then the fallback: %s",
	async ([, failure, index]) => {
		const alone = await sharedSetup();
		const backed = await sharedSetup({ fallback: true });
		await withSeeds(failure, async (random, number) => {
			const variants = [
				() => onceThenTheAnswer({ failure, setup: backed, random }),
				() => retriesThenFallback({ failure, setup: backed, random }),
				() => retriesUntilFailure({ failure, setup: alone, random }),
			];
			// A small case has few runs, so consecutive small cases start with different variants. A large case starts with
			// the shortest variant.
			const offset = failure.large ? number : index + number;
			await variants[offset % variants.length]?.();
		});
	},
);

const forGood = failures.filter(({ fault }) => triesOf[fault] === 1);

test.for(forGood.map((failure) => [failure.name, failure] as const))(
	"a permanent error ends the run without a retry and without the fallback: %s",
	async ([, failure]) => {
		await using setup = await FaultSetup.open({ fallback: true });
		await withSeeds(failure, (random) => retriesUntilFailure({ failure, setup, random }));
		const warnings = setup.runtime.log.records.filter(({ level }) => level === "warn");
		// The operator must always be warned about a refused key.
		expect(warnings.length > 0).toBe(failure.fault === "unauthenticated");
		const states = setup.runtime.runtime.health(operator).providers.map(({ state }) => state);
		// The last request of each run succeeded, so the provider counts as available.
		expect(states).toEqual(["ok"]);
	},
);

test.for(networkFailures.map((failure) => [failure.name, failure] as const))(
	"a network failure is retried a few times, then reported: %s",
	async ([, failure]) => {
		const place = await failure.open();
		try {
			await using setup = await FaultSetup.open({ baseUrl: place.baseUrl });
			const timers = setup.clock.pending;
			const tries = triesOf[failure.fault];
			await withSeeds(failure, async () => {
				const { log, runId } = await setup.ask();
				for (let number = 1; number < tries; number++) {
					const retrying = await log.the("run.retrying", number);
					const { inMs } = retrying;
					expect(retrying).toMatchObject({ attempt: number, reason: expect.stringMatching(failure.message) });
					expect(inMs / 2 ** (number - 1)).toBeGreaterThanOrEqual(1_000);
					expect(inMs / 2 ** (number - 1)).toBeLessThanOrEqual(1_250);
					await settle();
					setup.clock.advance(inMs);
				}
				const error = expect.stringMatching(failure.message);
				expect(await log.the("assistant.message")).toMatchObject({ runId, content: "", error, model: "" });
				expect(log.all("model.called")).toHaveLength(tries);
				expect(log.all("run.retrying")).toHaveLength(tries - 1);
				log.check();
				await settle();
				expect(setup.clock.pending).toBe(timers);
			});
		} finally {
			await place.close();
		}
	},
);
