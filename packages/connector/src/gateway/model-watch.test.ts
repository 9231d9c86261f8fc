import { ManualClock } from "@parley/base/testing";
import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { ModelWatch } from "./model-watch.ts";

function open() {
	const clock = new ManualClock();
	const changes: boolean[] = [];
	const watch = new ModelWatch({ clock, changed: (isFailing) => changes.push(isFailing) });
	const receive = (event: string, payload: object, session = "s1"): void =>
		watch.noteEvent(session, { event, payload } as unknown as OzzieEvent);
	const call = (error: string, { session = "s1", provider = "p" } = {}): void =>
		receive("internal.llm.call", { phase: "end", error, provider }, session);
	const retry = (attempt: number): void => receive("run.retrying", { attempt });
	const end = (error: string, session = "s1"): void => receive("assistant.message", { error }, session);
	return { clock, changes, watch, receive, call, retry, end };
}

test("the second failed attempt of a call is a failure of the model, and a success of its provider ends it", () => {
	const { changes, call, retry, receive } = open();
	receive("internal.llm.call", { phase: "start", error: "", provider: "p" });
	call("overloaded");
	retry(1);
	expect(changes).toEqual([]);
	call("overloaded");
	retry(2);
	retry(3);
	call("", { session: "s2", provider: "other" });
	expect(changes).toEqual([true]);
	call("", { session: "s2" });
	expect(changes).toEqual([true, false]);
});

test("a run that ends with the error of its call is a failure, and other errors are not", () => {
	const { changes, call, end } = open();
	call("invalid key");
	end("cancelled");
	call("");
	end("a budget is reached");
	expect(changes).toEqual([]);
	call("invalid key");
	end("invalid key");
	expect(changes).toEqual([true]);
});

test("a failure is forgotten after ten minutes, and the oldest sessions first", () => {
	const { clock, changes, watch, call, end } = open();
	for (let number = 0; number <= 1000; number++) call("down", { session: `s${number}` });
	end("down", "s0");
	expect(changes).toEqual([]);
	end("down", "s1");
	clock.advance(599_999);
	expect(changes).toEqual([true]);
	clock.advance(1);
	expect(changes).toEqual([true, false]);
	end("down", "s2");
	watch.stop();
	clock.advance(600_000);
	expect(changes).toEqual([true, false, true]);
});
