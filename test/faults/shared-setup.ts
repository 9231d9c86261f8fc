import { afterAll, afterEach, expect } from "vitest";
import { FaultSetup } from "./fault-setup.ts";

const open = new Map<boolean, FaultSetup>();

afterEach(async ({ task }) => {
	for (const setup of open.values()) expect(setup.fake.drainViolations()).toEqual([]);
	if (task.result?.state === "fail") await closeAll();
});

afterAll(closeAll);

/**
 * Returns a setup that the tests of a file share, because opening a setup takes longer than most tests. Each call
 * starts a new session. After a failed test, the next call opens a new setup.
 */
export async function sharedSetup({ fallback = false } = {}): Promise<FaultSetup> {
	const setup = open.get(fallback) ?? (await FaultSetup.open({ fallback }));
	open.set(fallback, setup);
	setup.leaveSession();
	return setup;
}

async function closeAll(): Promise<void> {
	const setups = [...open.values()];
	open.clear();
	for (const setup of setups) await setup[Symbol.asyncDispose]();
}
