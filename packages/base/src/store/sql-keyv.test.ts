import { expect, test } from "vitest";
import { ParleyError } from "../errors.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { openKeyv } from "./sql-keyv.ts";
import type { Store } from "./store.ts";

const failure = new ParleyError("the store could not commit", { code: "unavailable" });
const failingStore: Store<unknown> = {
	engine: "sqlite",
	commit: () => Promise.reject(failure),
	read: () => Promise.reject(failure),
	health: () => ({ state: "failing" }),
	close: async () => undefined,
};

test.each([false, true])(
	"every operation rejects when the store fails (with an error listener: %s)",
	async (listens) => {
		const keyv = openKeyv<string, unknown>({ store: failingStore, clock: new ManualClock(), namespace: "n" });
		if (listens) keyv.on("error", () => undefined);
		const operations = [
			keyv.get("a"),
			keyv.getMany(["a"]),
			keyv.has("a"),
			keyv.hasMany(["a"]),
			keyv.set("a", "x"),
			keyv.setMany([{ key: "a", value: "x" }]),
			keyv.delete("a"),
			keyv.deleteMany(["a"]),
			keyv.clear(),
		];
		const results = await Promise.allSettled(operations);
		expect(results).toEqual(operations.map(() => ({ status: "rejected", reason: failure })));
	},
);
