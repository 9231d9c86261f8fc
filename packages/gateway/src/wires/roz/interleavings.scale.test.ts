import { MemoryLogger, paced, seededIds } from "@parley/base/testing";
import { type Model, ModelError, type ModelEvent, type ModelRequest, operator } from "@parley/core";
import { calls, says, stuck, TestRuntime, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../../../../../test/random.ts";
import { type ClientFrame, SessionStates, type ToldFrame } from "../../../../../test/storm/session-states.ts";
import type { SessionRequest } from "../../gen/roz/v1/agent.ts";
import { SessionStream } from "./connection.ts";
import { Hosts } from "./methods/hosts.ts";

const sequences = 25 * testScale(40, 400);

/** A step of a client. `settle` and `tick` let the gateway work. */
type Step = ClientFrame | "settle" | "tick" | "time" | "close" | "break";

/** One sequence: its steps, and the seed of everything else in it. */
interface Sequence {
	readonly steps: readonly Step[];
	readonly seed: number;
}

const usual: readonly Step[] = [
	...(["message", "message", "message", "result", "result", "cancel turn", "unusable message"] as const),
	...(["register", "ping", "other", "start", "settle", "settle", "tick", "tick", "time"] as const),
];
const rare: readonly Step[] = ["cancel session", "close", "break", "unusable start"];

function anySequence(random: Random): Sequence {
	const first: readonly Step[] = random.chance(0.9) ? ["start"] : [];
	const steps = Array.from({ length: random.between(3, 14) }, () =>
		random.pick(random.chance(0.08) ? rare : usual),
	);
	return { steps: [...first, ...steps], seed: random.below(2 ** 31) };
}

const prompts = ["say", "look", "dig", "wait", "fail"];

/** Answers a message by its last word: with text, calls of client tools, a reply without an end, or a failure. */
class WordModel implements Model {
	readonly provider = "scripted";
	readonly defaultModel = "scripted";
	#calls = 0;

	async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		const last = request.messages.at(-1);
		const words = JSON.stringify(last?.content).match(/\b(?:say|look|dig|wait|fail)\b/g);
		const word = last?.role === "tool" ? "say" : words?.at(-1);
		yield { type: "thinking", text: "Hm. " };
		yield says("Well. ");
		if (word === "fail") throw new ModelError("refused", { fault: "rejected" });
		if (word === "wait") yield* this.#wait(request, signal);
		const called = word === "look" || word === "dig" ? [this.#call(word), this.#call(word)] : [];
		yield* called;
		const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
		const stop = called.length > 0 ? "tool_use" : "end_turn";
		yield { type: "end", stop, usage, model: "scripted-1" };
	}

	#call(tool: string): ModelEvent {
		this.#calls += 1;
		return calls(`call_${this.#calls}`, tool);
	}

	async *#wait(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		const reply = stuck("Waiting.");
		if (typeof reply === "function") yield* reply(request, signal);
	}
}

const ids = seededIds(1);

const tools = [
	{ name: "look", description: "", parametersSchema: undefined, timeoutMs: 5_000, category: 2 },
	{ name: "dig", description: "", parametersSchema: undefined, timeoutMs: 0, category: 1 },
] as const;

/** One client with its stream, which plays a sequence. */
class Player {
	readonly #t: TestRuntime;
	readonly #random: Random;
	readonly #states = new SessionStates();
	readonly #stream: SessionStream;
	#session = "";
	#messages = 0;
	#isClosed = false;
	#isCancelled = false;
	/** All steps were played: it says no more. */
	#isDone = false;

	constructor(t: TestRuntime, seed: number, log: MemoryLogger) {
		this.#t = t;
		this.#random = new Random(seed);
		this.#stream = new SessionStream({
			...{ runtime: t.runtime, principal: operator, clock: t.clock, log, resumed: undefined },
			redactor: { redact: (text) => text },
			newId: () => ids.uuid(),
			...{ hosts: new Hosts(), ownHostId: undefined },
			hold: () => undefined,
			send: ({ response }) => {
				if (!response) return;
				if (response.$case === "sessionStarted") this.#session = response.value.sessionId;
				// True because every value is an object, whose fields of these names are texts.
				this.#told(response as ToldFrame);
			},
			finished: () => this.#states.finished(),
			refused: ({ message }) => {
				this.#states.faults.push(`the stream was refused: ${message}`);
			},
		});
	}

	/** Plays all steps, ends the turn at work, and returns what was wrong. */
	async play(steps: readonly Step[]): Promise<readonly string[]> {
		for (const step of steps) await this.#step(step);
		this.#isDone = true;
		await this.#until(() => this.#states.isOver || !this.#states.isStarting);
		await this.#t.settle();
		if (this.#states.turn !== undefined && !this.#states.isOver) {
			// A half-closed client sends nothing more, but the turn can be cancelled elsewhere.
			if (this.#isClosed) await this.#cancelElsewhere();
			else this.#send("cancel turn");
			await this.#until(() => this.#states.turn === undefined);
		}
		await this.#t.settle();
		const faults = [...this.#states.rest(), ...(await this.#running())];
		await this.#cancelElsewhere();
		this.#stream.abandon();
		await this.#t.settle();
		return faults;
	}

	/** Lets the gateway work until it is so; a fault of the states tells that it was never so. */
	async #until(holds: () => boolean): Promise<void> {
		for (let round = 0; round < 500 && !holds(); round++) await this.#t.settle();
	}

	async #step(step: Step): Promise<void> {
		if (step === "settle") await this.#t.settle();
		else if (step === "tick") await Promise.resolve();
		else if (step === "time") this.#t.clock.advance(this.#random.pick([1_000, 20_000, 130_000]));
		else if (step === "break") {
			this.#states.broken();
			this.#isClosed = true;
			this.#stream.abandon();
		} else if (!this.#isClosed) {
			if (step === "close") {
				this.#isClosed = true;
				this.#states.closed();
				this.#stream.close();
			} else this.#send(step);
		}
	}

	#told(told: ToldFrame): void {
		const before = this.#states.turn;
		this.#states.told(told);
		const isEnd = before !== undefined && this.#states.turn === undefined;
		// A client may answer the end of a turn at once.
		if (isEnd && !this.#isClosed && !this.#isDone && this.#random.chance(0.3)) this.#send("message");
	}

	#send(kind: ClientFrame): void {
		this.#messages += kind === "message" ? 1 : 0;
		const id = `m${this.#messages}`;
		if (kind === "cancel session" && !this.#states.isOver) this.#isCancelled = true;
		const request = this.#frame(kind, id);
		this.#states.sent(kind, id);
		this.#stream.take({ request });
	}

	#frame(kind: ClientFrame, messageId: string): SessionRequest["request"] {
		const random = this.#random;
		const empty = { environmentId: "", history: [], projectContext: [] };
		switch (kind) {
			case "start":
				return { $case: "start", value: { ...empty, tools } };
			case "unusable start":
				return { $case: "start", value: { ...empty, tools: [], environmentId: "mars" } };
			case "message":
			case "unusable message": {
				const content = kind === "message" ? `Please ${random.pick(prompts)}` : " ";
				return { $case: "userMessage", value: { content, context: [], tools: [], messageId } };
			}
			case "result": {
				const { asked } = this.#states;
				const toolCallId = asked.length > 0 && random.chance(0.9) ? random.pick(asked) : "unknown";
				const value = { toolCallId, success: random.chance(0.7), result: "seen", truncated: false };
				return { $case: "toolResult", value };
			}
			case "register":
				return { $case: "registerTools", value: { source: "sim", tools: random.pick([[], tools]) } };
			case "cancel turn":
				return { $case: "cancelTurn", value: { reason: "" } };
			case "cancel session":
				return { $case: "cancelSession", value: { reason: "" } };
			case "ping":
				return { $case: "ping", value: {} };
			default:
				if (random.chance(0.3)) return undefined;
				if (random.chance(0.5)) {
					return { $case: "feedback", value: { sessionId: "", messageId: "m1", rating: "up" } };
				}
				return {
					$case: "permissionDecision",
					value: { toolCallId: "call_1", approved: true, modifier: undefined },
				};
		}
	}

	/** Runs that a cancelled session has left behind. */
	async #running(): Promise<string[]> {
		if (!this.#isCancelled || this.#session === "") return [];
		const open = new Set<string>();
		const stop = await this.#t.runtime.watch(operator, this.#session, ({ event }) => {
			if (event.type === "user.message") open.add(event.runId);
			if (event.type === "assistant.message") open.delete(event.runId);
		});
		stop();
		return open.size === 0 ? [] : [`${open.size} runs work after the session was cancelled`];
	}

	async #cancelElsewhere(): Promise<void> {
		if (this.#session !== "") await this.#t.runtime.cancel(unkeyed(), this.#session, {});
	}
}

async function faultsOf(t: TestRuntime, { steps, seed }: Sequence): Promise<readonly string[]> {
	const log = new MemoryLogger();
	const faults = await new Player(t, seed, log).play(steps);
	const errors = log.records.filter(({ level }) => level === "error" || level === "warn");
	return [...faults, ...errors.map((record) => JSON.stringify(record))];
}

/** The sequence without the steps that its failure does not need. */
async function shrunk(t: TestRuntime, { steps, seed }: Sequence): Promise<readonly Step[]> {
	let kept = steps;
	for (let at = steps.length - 1; at >= 0; at--) {
		const shorter = kept.toSpliced(at, 1);
		if ((await faultsOf(t, { steps: shorter, seed })).length > 0) kept = shorter;
	}
	return kept;
}

test(`${sequences} random sequences of frames keep the states of a session`, {
	timeout: paced(120_000),
}, async () => {
	const seed = testSeed();
	const random = new Random(seed);
	await using t = await TestRuntime.open({ model: new WordModel(), anyModel: true });
	for (let count = 0; count < sequences; count++) {
		const sequence = anySequence(random);
		const faults = await faultsOf(t, sequence);
		if (faults.length === 0) continue;
		const short = await shrunk(t, sequence);
		expect.fail(
			`PARLEY_TEST_SEED=${seed}, sequence ${count}: ${faults.join("; ")}\n` +
				`steps: ${sequence.steps.join(", ")}\nshort: ${short.join(", ")}`,
		);
	}
});
