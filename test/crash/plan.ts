import type { Random } from "../random.ts";
import type { KillState } from "./outcome.ts";
import type { TurnKind } from "./turns.ts";

/** Plan for the kill of one gateway process. */
export interface PlannedKill {
	readonly state: KillState;
	/** Armed failpoints, see failpoints.ts in the base package. */
	readonly hooks: string | undefined;
	/** Event after which the test kills the process. If undefined, a failpoint kills it. */
	readonly trigger: Trigger | undefined;
	readonly turn: TurnKind;
	/** Whether the turn requires approval. */
	readonly asks: boolean;
}

/**
 * Event after which the test kills the process:
 * - `sent`: a message was sent.
 * - `delta`: `count` text deltas arrived.
 * - `asked`: a prompt is open.
 * - `effect`: a running command has written its line.
 * - `frame`: `count` frames arrived.
 * - `paused`: a failpoint has paused the gateway.
 */
export type Trigger =
	| { readonly kind: "sent" | "asked" | "effect" }
	| { readonly kind: "delta" | "frame"; readonly count: number }
	| { readonly kind: "paused"; readonly failpoint: string };

type Draw = (random: Random) => PlannedKill;
type Way = Pick<PlannedKill, "state" | "turn"> & { readonly asks?: boolean };

/** Plans a kill at a random one of the first `maximum` hits of `failpoint`. */
function inside(base: Way, failpoint: string, maximum: number): Draw {
	return (random) => {
		const hooks = `${failpoint}=kill@${random.between(1, maximum)}`;
		return { asks: false, ...base, hooks, trigger: undefined };
	};
}

function outside(base: Way, draw: (random: Random) => Trigger): Draw {
	return (random) => {
		const trigger = draw(random);
		const hooks =
			trigger.kind === "paused" ? `${trigger.failpoint}=pause@${random.between(1, 2)}` : undefined;
		return { asks: false, ...base, hooks, trigger };
	};
}

const acknowledging: Way = { state: "before the acknowledgement", turn: "say" };
const streaming: Way = { state: "model streaming", turn: "long" };
const asking: Way = { state: "approval open", turn: "run", asks: true };
const running: Way = { state: "tool running", turn: "run" };
const recording: Way = { state: "tool done, not recorded", turn: "run" };
const elsewhere = (turn: TurnKind, asks = false): Way => ({ state: "elsewhere", turn, asks });

const paused = (failpoint: string) => (): Trigger => ({ kind: "paused", failpoint });

/** Forty kills. In each state, half of them come from failpoints and half from outside. */
const forty: readonly (readonly [times: number, draw: Draw])[] = [
	[3, inside(acknowledging, "accepted", 4)],
	[1, outside(acknowledging, paused("accepted"))],
	[2, outside(acknowledging, () => ({ kind: "sent" }))],
	[3, inside(streaming, "model-streaming", 60)],
	[3, outside(streaming, (random) => ({ kind: "delta", count: random.between(1, 38) }))],
	[3, inside(asking, "prompt-open", 3)],
	[3, outside(asking, () => ({ kind: "asked" }))],
	[3, inside(running, "tool-running", 4)],
	[3, outside({ ...running, turn: "gated" }, () => ({ kind: "effect" }))],
	[3, inside(recording, "tool-exit", 4)],
	[3, outside(recording, paused("tool-exit"))],
	[1, inside(elsewhere("say"), "store.commit", 12)],
	[1, inside(elsewhere("say"), "store.committed", 12)],
	[1, inside(elsewhere("run", true), "answered", 2)],
	[1, inside(elsewhere("sequence"), "model-done", 6)],
	[1, inside(elsewhere("pair"), "ended", 4)],
	[5, outside(elsewhere("sequence"), (random) => ({ kind: "frame", count: random.between(1, 40) }))],
];

/** Ten kills. In each state except `elsewhere`, one comes from a failpoint and one from outside. */
const ten: readonly (readonly [times: number, draw: Draw])[] = [
	[1, inside(acknowledging, "accepted", 4)],
	[1, outside(acknowledging, paused("accepted"))],
	[1, inside(streaming, "model-streaming", 60)],
	[1, outside(streaming, (random) => ({ kind: "delta", count: random.between(1, 38) }))],
	[1, inside(asking, "prompt-open", 3)],
	[1, outside(asking, () => ({ kind: "asked" }))],
	[1, inside(running, "tool-running", 4)],
	[1, outside({ ...running, turn: "gated" }, () => ({ kind: "effect" }))],
	[1, inside(recording, "tool-exit", 4)],
	[1, outside(recording, paused("tool-exit"))],
];

export function planKills(random: Random, tens: number): PlannedKill[] {
	const draws = (tens === 1 ? ten : forty).flatMap(([times, draw]) => Array<Draw>(times).fill(draw));
	return random.shuffle(draws).map((draw) => draw(random));
}

/**
 * Plans a replacement for a kill from outside that was too late. The replacement is always in the state before the
 * acknowledgement.
 */
export function planReplacement(random: Random): PlannedKill {
	return outside(acknowledging, paused("accepted"))(random);
}
