import { setImmediate as tick } from "node:timers/promises";
import { parseJson } from "@parley/base";
import { afterPatience } from "@parley/base/testing";
import { type EventFrame, OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import type { Scene, Step } from "./examples.ts";
import { type Bound, fillIn, mismatch } from "./matches.ts";
import { openStage, type Stage } from "./stages.ts";

/** Maximum milliseconds that an example waits for its next event. */
const patienceMs = 5_000;

/** Plays a scene on its stage. Throws an error with the first difference, and the line number of the step. */
export async function play(scene: Scene): Promise<void> {
	await using stage = await openStage(scene.stage);
	const player = new Player(stage);
	await using _player = player;
	for (const step of scene.steps) {
		try {
			await player.step(step);
		} catch (reason) {
			const why = reason instanceof Error ? reason.message : String(reason);
			throw new Error(`"${scene.heading}", line ${step.line}: ${why}`, { cause: reason });
		}
	}
}

class Player implements AsyncDisposable {
	readonly #stage: Stage;
	readonly #bound: Bound = new Map();
	#client: OzzieClient | undefined;

	constructor(stage: Stage) {
		this.#stage = stage;
	}

	async step(step: Step): Promise<void> {
		if (step.kind === "do") await this.#do(step.words);
		else if (step.kind === "http") await this.#http(step);
		else if (step.kind === "text") throw new Error(`"${step.text}" is not a frame`);
		else await this.#frame(step.value);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#client?.[Symbol.asyncDispose]();
	}

	async #connected(): Promise<OzzieClient> {
		this.#client ??= await OzzieClient.connect(this.#stage.gateway.url);
		return this.#client;
	}

	/** Connects a new client with `token`. For the word `operator`, connects without a token. */
	async #connectAs(token: string): Promise<void> {
		await this.#client?.[Symbol.asyncDispose]();
		const options = token === "operator" ? {} : { headers: { authorization: `Bearer ${token}` } };
		this.#client = await OzzieClient.connect(this.#stage.gateway.url, options);
	}

	async #frame(shown: Readonly<Record<string, unknown>>): Promise<void> {
		const client = await this.#connected();
		if (shown["type"] === "req") client.send(Object(fillIn(shown, this.#bound)));
		else if (shown["type"] === "res") await this.#response(client, shown);
		else await this.#event(client, shown);
	}

	async #response(client: OzzieClient, shown: Readonly<Record<string, unknown>>): Promise<void> {
		const { id } = shown;
		const response = await client.response(typeof id === "string" ? id : undefined);
		fail(mismatch(shown, response, this.#bound));
	}

	/** Waits for the event `shown`. The document may omit earlier events. */
	async #event(client: OzzieClient, shown: Readonly<Record<string, unknown>>): Promise<void> {
		const { promise: late, reject } = Promise.withResolvers<never>();
		const cancel = afterPatience(patienceMs, () => reject(new Error("the event did not come")));
		try {
			await this.#eventUntil(client, shown, late);
		} finally {
			cancel();
		}
	}

	async #eventUntil(
		client: OzzieClient,
		shown: Readonly<Record<string, unknown>>,
		late: Promise<never>,
	): Promise<void> {
		const others: string[] = [];
		for (;;) {
			const event = await Promise.race([client.event(String(shown["event"])), late]).catch((reason) => {
				throw new Error(`${String(reason)}; instead:\n${others.join("\n")}`, { cause: reason });
			});
			const difference = eventMismatch(shown, event, this.#bound);
			if (difference === undefined) return;
			others.push(difference);
		}
	}

	async #http({ method, path, body, status, answer }: Extract<Step, { kind: "http" }>): Promise<void> {
		const filled = String(fillIn(path, this.#bound));
		const response = await fetch(`${this.#stage.gateway.url}${filled}`, {
			method,
			...(body !== "" && { body }),
		});
		const text = await response.text();
		if (response.status !== status) throw new Error(`status ${response.status}: ${text}`);
		if (answer === "") return;
		const isJson = /^[[{]/.test(answer);
		fail(mismatch(isJson ? parseJson(answer) : answer, isJson ? parseJson(text) : text, this.#bound));
	}

	/** Sends more text than fits into the small context window of the stage. */
	async #talk(): Promise<void> {
		const client = await this.#connected();
		for (let turn = 1; turn <= 20; turn++) {
			await client.call("send_message", { content: `turn ${turn}: ${"beans ".repeat(800)}` });
		}
	}

	async #do(words: string): Promise<void> {
		const [, amount, unit] = /^pass (\d+) (ms|s|h)$/.exec(words) ?? [];
		const [, query] = /^connect with (\?\S+)$/.exec(words) ?? [];
		const [, token] = /^connect as (\S+)$/.exec(words) ?? [];
		if (query !== undefined) this.#client = await OzzieClient.connect(this.#stage.gateway.url, {}, query);
		else if (token !== undefined) await this.#connectAs(String(fillIn(token, this.#bound)));
		else if (words === "reconnect") {
			await this.#client?.[Symbol.asyncDispose]();
			this.#client = undefined;
		} else if (unit !== undefined && this.#stage.pass) {
			for (let turn = 0; turn < 20; turn++) await tick();
			this.#stage.pass(Number(amount) * { ms: 1, s: 1_000, h: 3_600_000 }[unit as "ms" | "s" | "h"]);
		} else if (words === "talk for long") await this.#talk();
		else throw new Error(`cannot do "${words}" on this stage`);
	}
}

/**
 * Returns the difference of `event` from `shown`, or undefined. The document may omit fields of the frame, but not
 * of the payload.
 */
function eventMismatch(
	shown: Readonly<Record<string, unknown>>,
	event: EventFrame,
	bound: Bound,
): string | undefined {
	const frame: Readonly<Record<string, unknown>> = { ...event };
	const part = Object.fromEntries(Object.keys(shown).map((key) => [key, frame[key]]));
	const tried = new Map(bound);
	const difference = mismatch(shown, part, tried);
	if (difference === undefined) for (const [name, value] of tried) bound.set(name, value);
	return difference;
}

function fail(difference: string | undefined): void {
	if (difference !== undefined) throw new Error(difference);
}
