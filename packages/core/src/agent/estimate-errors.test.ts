import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createOfflineModel } from "../models/offline/offline-model.ts";
import { EventLog } from "../testing/event-log.ts";
import { TestRuntime } from "../testing/test-runtime.ts";
import { operator } from "../vocabulary/principal.ts";

test("errors of the estimates are listed by model, for principals that may see all usage", async () => {
	await using t = await TestRuntime.open({ model: createOfflineModel({ clock: new ManualClock() }) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	for (const text of ["say: one", "say: two", "say: three"]) {
		await t.send(session, text);
		await log.next("assistant.message");
	}
	const error = t.runtime.estimateErrors(operator).get("offline/offline");
	expect(error?.replies).toBe(3);
	expect(error?.last).toBeLessThan(0.1);
	expect(() => t.runtime.estimateErrors({ kind: "observer", id: "o" })).toThrow(/permission usage\.read/);
});
