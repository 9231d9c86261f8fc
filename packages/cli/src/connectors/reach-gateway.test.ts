import { setImmediate as tick } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { reachGateway } from "./reach-gateway.ts";

const away = new ParleyError("no gateway answers", { code: "unavailable" });

test("a gateway that is away is tried after 1, 2, 4, 8 and then every 15 seconds, until it answers", async () => {
	const clock = new ManualClock();
	const [tries, told]: [number[], string[]] = [[], []];
	const began = clock.now();
	const reached = reachGateway(
		async () => {
			tries.push((clock.now() - began) / 1000);
			if (tries.length < 7) throw away;
			return "there";
		},
		{ clock, asked: new Promise(() => undefined), onWait: async (why) => void told.push(why) },
	);
	for (let second = 0; second < 60; second++) {
		await tick();
		clock.advance(1_000);
	}
	expect(await reached).toEqual({ reached: "there" });
	expect(tries).toEqual([0, 1, 3, 7, 15, 30, 45]);
	expect(told).toEqual(Array.from({ length: 6 }, () => "no gateway answers"));
});

test("the wait ends at once if the connector is asked to end, and another error ends it as well", async () => {
	const clock = new ManualClock();
	const asked = Promise.withResolvers<string>();
	const refusing = async (): Promise<never> => {
		throw away;
	};
	const waiting = reachGateway(refusing, { clock, asked: asked.promise, onWait: async () => undefined });
	await tick();
	expect(clock.pending).toBe(1);
	asked.resolve("SIGINT");
	expect(await waiting).toEqual({ ended: "SIGINT" });
	expect(clock.pending).toBe(0);
	const revoked = new ParleyError("revoked", { code: "unauthenticated" });
	const denied = reachGateway(() => Promise.reject(revoked), {
		...{ clock, asked: new Promise<string>(() => undefined), onWait: async () => undefined },
	});
	await expect(denied).rejects.toBe(revoked);
});
