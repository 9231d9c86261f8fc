import { expect } from "vitest";
import type { Random } from "../random.ts";
import { fallback, requestedModel } from "./anthropic-port.ts";
import { speech } from "./cuts.ts";
import { bodyCanary, type Failure, type FaultName, speaking } from "./failure.ts";
import type { FaultSetup } from "./fault-setup.ts";
import { PassingTime, settle } from "./passing-time.ts";
import type { RunLog } from "./run-log.ts";

/** Number of requests to one model before the runtime gives up. */
export const triesOf: Readonly<Record<FaultName, number>> = {
	"rate-limited": 4,
	overloaded: 4,
	interrupted: 4,
	timeout: 4,
	unreachable: 3,
	rejected: 1,
	unauthenticated: 1,
};

export interface FailureCase {
	readonly setup: FaultSetup;
	readonly log: RunLog;
	/** Number of requests that the simulator received before this run. */
	readonly before: number;
}

/** Waits until attempt `number`, from 1, has failed. Advances the clock if the failure is a timeout. */
export async function playFailure(
	failure: Failure,
	{ setup, log, before }: FailureCase,
	number: number,
): Promise<void> {
	const hasFailed = (): boolean =>
		log.all("run.retrying").length >= number || log.all("assistant.message").length > 0;
	if (failure.pass) {
		using time = new PassingTime(setup.clock, hasFailed);
		await setup.fake.received(before + number);
		await failure.pass(time);
	}
	await log.until(`try ${number} has failed`, hasFailed);
}

/** Advances the clock to the next attempt, which must not start before the announced time. */
export async function playRetry(
	failure: Failure,
	{ setup, log, before }: FailureCase,
	number: number,
): Promise<void> {
	const retrying = await log.the("run.retrying", number);
	const last = number === triesOf[failure.fault];
	expect(retrying).toMatchObject({ attempt: number, model: last ? fallback : requestedModel });
	expect(retrying.reason).toMatch(failure.message ?? /./);
	expect(retrying.reason).not.toContain(bodyCanary);
	const { inMs } = retrying;
	const [least, maximum] = waitAfter(failure, number, last);
	expect(inMs).toBeGreaterThanOrEqual(least);
	expect(inMs).toBeLessThanOrEqual(maximum);
	// The event mentions a requested wait of more than two minutes.
	if ((failure.retryAfterMs ?? 0) > 120_000 && !last) expect(retrying.reason).toMatch(/wait/);
	if (inMs === 0) return;
	await settle();
	setup.clock.advance(inMs - 1);
	await settle();
	expect(setup.fake.requests.length).toBe(before + number);
	setup.clock.advance(1);
}

/**
 * Returns the minimum and maximum milliseconds before the next attempt:
 * - Before the fallback: 0.
 * - After a rate limit with a requested wait: this wait, at most two minutes, plus its tolerance and up to one
 *   second.
 * - Otherwise: 1, 2 or 4 seconds, plus up to 25 %.
 */
function waitAfter(failure: Failure, number: number, last: boolean): readonly [number, number] {
	if (last) return [0, 0];
	if (failure.retryAfterMs === undefined || failure.fault !== "rate-limited") {
		const backoff = 1_000 * 2 ** (number - 1);
		return [backoff, backoff * 1.25];
	}
	const wait = Math.min(failure.retryAfterMs, 120_000);
	return [wait, wait + (failure.spanMs ?? 0) + 1_000];
}

export function checkRun({ setup, log, before }: FailureCase, requests: number): void {
	log.check();
	expect(log.all("user.message")).toHaveLength(1);
	expect(log.all("assistant.message")).toHaveLength(1);
	expect(log.all("run.retrying")).toHaveLength(Math.max(0, requests - 1));
	expect(log.all("model.called")).toHaveLength(requests);
	expect(log.all("tool.started")).toHaveLength(0);
	expect(setup.looked).toEqual([]);
	expect(setup.fake.requests.length).toBe(before + requests);
	const [first, ...others] = setup.fake.requests.slice(before);
	for (const { bytes, body } of others) {
		if (body.model === first?.body.model) expect(bytes.equals(first.bytes)).toBe(true);
	}
}

/**
 * Checks the stored texts of aborted replies. With `mustBeComplete`, they must be all streamed texts except the last.
 * Otherwise, they may end earlier.
 */
export async function checkAborted(
	{ setup, log }: FailureCase,
	runId: string,
	mustBeComplete: boolean,
): Promise<void> {
	const aborted = (await setup.abortedTexts(runId)).filter((text) => text !== "");
	const texts = mustBeComplete ? log.texts.slice(0, -1) : log.texts;
	if (mustBeComplete) expect(aborted).toEqual(texts);
	else expect(texts.slice(0, aborted.length)).toEqual(aborted);
}

export async function checkNextMessage(
	{ setup, log }: FailureCase,
	session: string,
	random: Random,
): Promise<void> {
	setup.fake.script(speaking(random, {}));
	await setup.runtime.send(session, "And now?");
	await expect(log.the("assistant.message", 2)).resolves.toMatchObject({
		content: speech,
		error: "",
		model: requestedModel,
	});
}
