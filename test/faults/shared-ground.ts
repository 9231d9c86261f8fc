import { afterAll, afterEach, expect } from "vitest";
import { Ground } from "./ground.ts";

const open = new Map<boolean, Ground>();

afterEach(async ({ task }) => {
	for (const ground of open.values()) expect(ground.fake.drainViolations()).toEqual([]);
	if (task.result?.state === "fail") await closeAll();
});

afterAll(closeAll);

/**
 * A ground that the tests of a file share, because opening one takes longer than most tests. Each test has its own session.
 * After a failed test, a new ground is opened.
 */
export async function sharedGround({ fallback = false } = {}): Promise<Ground> {
	const ground = open.get(fallback) ?? (await Ground.open({ fallback }));
	open.set(fallback, ground);
	ground.leaveSession();
	return ground;
}

async function closeAll(): Promise<void> {
	const grounds = [...open.values()];
	open.clear();
	for (const ground of grounds) await ground[Symbol.asyncDispose]();
}
