import { afterAll, afterEach, expect } from "vitest";
import { Ground } from "./ground.ts";

const open = new Map<boolean, Ground>();

afterEach(async ({ task }) => {
	for (const ground of open.values()) expect(ground.fake.takeViolations()).toEqual([]);
	if (task.result?.state === "fail") await closeAll();
});

afterAll(closeAll);

/**
 * A ground that the tests of a file share, because to open one takes longer than most of them: each gets a session of
 * its own there. One in which a test has failed is not used again.
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
