import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { type ActiveChannel, ActiveChannels } from "../catch-up/active-channels.ts";
import { CatchUp } from "../catch-up/catch-up.ts";
import { ScriptedSlack, self } from "./scripted-slack.ts";

export const minute = 60_000;
export const ready = { state: "ready", account: self } as const;
export const lost = { state: "lost", detail: "there is no socket" } as const;

/** Opens a `CatchUp` over a scripted Slack. `stored` in the result has the stored values. */
export async function openCatchUp(
	given: {
		aliveFor?: number;
		places?: readonly ActiveChannel[];
		posted?: readonly ActiveChannel[] | Promise<readonly ActiveChannel[]>;
	} = {},
) {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedSlack()];
	const stored: { alive: number | undefined; begun?: true | undefined } = {
		alive: given.aliveFor === undefined ? undefined : clock.now() - given.aliveFor,
	};
	const alive = {
		load: async () => stored.alive,
		save: async (at: number | undefined) => {
			stored.alive = at;
		},
	};
	const begun = {
		load: async () => stored.begun,
		save: async (is: true | undefined) => {
			stored.begun = is;
		},
	};
	const store = { load: async () => given.places ?? [{ channel: "C1" }], save: async () => undefined };
	const places = await ActiveChannels.open({ store, clock, log });
	const posted = async () => given.posted ?? [];
	const received: unknown[] = [];
	const failures: Error[] = [];
	const tries: boolean[] = [];
	const receive = async (body: unknown, isLast: boolean): Promise<void> => {
		tries.push(isLast);
		const failure = failures.shift();
		if (failure) throw failure;
		received.push(body);
	};
	const catchUp = await CatchUp.open({ port, places, posted, alive, begun, clock, log, receive });
	const pass = async (ms: number): Promise<void> => {
		for (let left = ms; left > 0; left -= 1200) {
			clock.advance(Math.min(left, 1200));
			for (let turn = 0; turn < 10; turn++) await tick();
		}
	};
	return { catchUp, clock, log, port, places, stored, received, failures, tries, pass };
}

export const stamp = (at: number): string => (at / 1000).toFixed(6);
