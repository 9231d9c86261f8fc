import { MemoryLogger, paced, seededIds } from "@parley/base/testing";
import { operator } from "@parley/core";
import { TestRuntime, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../../../../../test/random.ts";
import {
	type HostStream,
	type NeighbourStep,
	SessionNeighbours,
} from "../../../../../test/storm/session-neighbours.ts";
import {
	type ClientFrame,
	type ReceivedFrame,
	SessionStates,
} from "../../../../../test/storm/session-states.ts";
import { plantTool, WordModel, withHost, words } from "../../../../../test/storm/word-model.ts";
import type { SessionRequest, SessionResponse } from "../../gen/roz/v1/agent.ts";
import { SessionStream, type SessionStreamOptions } from "./connection.ts";
import { Hosts } from "./methods/hosts.ts";

const sequences = 25 * testScale(40, 400);

/** Step of a sequence. `settle` and `tick` let the gateway work. */
type Step = ClientFrame | NeighbourStep | "settle" | "tick" | "time" | "close" | "break";

/** Steps in order. `seed` determines all other choices. */
interface Sequence {
	readonly steps: readonly Step[];
	readonly seed: number;
}

const usual: readonly Step[] = [
	...(["message", "message", "message", "result", "result", "cancel turn", "unusable message"] as const),
	...(["register", "ping", "other", "start", "settle", "settle", "tick", "tick", "time"] as const),
	...(["hosted message", "hosted message", "host result", "host result", "host", "decision"] as const),
	...(["decision", "other message", "other decision", "other decision", "other cancel"] as const),
];
const rare: readonly Step[] = ["cancel session", "close", "break", "unusable start"];

function anySequence(random: Random): Sequence {
	const first: readonly Step[] = random.chance(0.9) ? ["start"] : [];
	const steps = Array.from({ length: random.between(3, 14) }, () =>
		random.pick(random.chance(0.08) ? rare : usual),
	);
	return { steps: [...first, ...steps], seed: random.below(2 ** 31) };
}

const ids = seededIds(1);

const tools = [
	{ name: "look", description: "", parametersSchema: undefined, timeoutMs: 5_000, category: 2 },
	{ name: "dig", description: "", parametersSchema: undefined, timeoutMs: 0, category: 1 },
] as const;

const scan = {
	name: "scan",
	description: "",
	parametersSchema: undefined,
	timeoutMs: 0,
	category: 2,
} as const;
const empty = { environmentId: "", history: [], projectContext: [] };

interface OpenedStream {
	readonly ownHostId: SessionStreamOptions["ownHostId"];
	readonly send: SessionStreamOptions["send"];
	readonly finished: SessionStreamOptions["finished"];
}

/** Plays a sequence: one client with its stream, a host, and a further client. */
class Player {
	readonly #t: TestRuntime;
	readonly #random: Random;
	readonly #log: MemoryLogger;
	readonly #hosts = new Hosts();
	readonly #neighbours: SessionNeighbours;
	readonly #states: SessionStates;
	readonly #stream: SessionStream;
	readonly #isHosted: boolean;
	#session = "";
	#messages = 0;
	#isClosed = false;
	#isCancelled = false;
	/** Whether all steps were played. The client then sends no further messages. */
	#isDone = false;

	constructor(t: TestRuntime, seed: number, log: MemoryLogger) {
		this.#t = t;
		this.#random = new Random(seed);
		this.#log = log;
		this.#isHosted = this.#random.chance(0.7);
		this.#neighbours = new SessionNeighbours({
			t,
			random: this.#random,
			openHost: () => this.#openHost(),
			session: () => this.#session,
		});
		this.#states = new SessionStates(() => this.#isHosted && !this.#neighbours.hasHost);
		this.#stream = this.#open({
			ownHostId: undefined,
			send: ({ response }) => {
				if (!response) return;
				if (response.$case === "sessionStarted") this.#session = response.value.sessionId;
				// The cast is safe because each value is an object, and the fields that `ReceivedFrame` has are texts in this
				// object.
				this.#receive(response as ReceivedFrame);
			},
			finished: () => this.#states.finished(),
		});
	}

	#open({ ownHostId, send, finished }: OpenedStream): SessionStream {
		return new SessionStream({
			runtime: this.#t.runtime,
			principal: operator,
			clock: this.#t.clock,
			log: this.#log,
			resumed: undefined,
			redactor: { redact: (text) => text },
			newId: () => ids.uuid(),
			hosts: this.#hosts,
			setPaused: () => undefined,
			refused: ({ message }) => {
				this.#states.faults.push(`a stream was refused: ${message}`);
			},
			ownHostId,
			send,
			finished,
		});
	}

	#openHost(): HostStream {
		const stream = this.#open({
			ownHostId: "rover",
			send: ({ response }) => this.#receiveAsHost(response),
			finished: () => undefined,
		});
		stream.receive({ request: { $case: "start", value: { ...empty, tools: [scan] } } });
		return {
			answer: (toolCallId) => {
				const value = { toolCallId, success: true, result: "seen", truncated: false };
				stream.receive({ request: { $case: "toolResult", value } });
			},
			abandon: () => stream.abandon(),
		};
	}

	#receiveAsHost(response: SessionResponse["response"]): void {
		const { faults } = this.#neighbours;
		if (response?.$case === "toolRequest") {
			const { toolName, toolCallId } = response.value;
			if (this.#states.turn === undefined && !this.#isClosed)
				faults.push("the host got a call without a turn");
			this.#neighbours.requested(toolName, toolCallId);
		} else if (response?.$case !== "sessionStarted" && response?.$case !== "presenceHint") {
			faults.push(`the host got ${response?.$case}`);
		}
	}

	/** Plays all steps, ends the current turn, and returns the faults. */
	async play(steps: readonly Step[]): Promise<readonly string[]> {
		for (const step of steps) await this.#step(step);
		this.#isDone = true;
		await this.#until(() => this.#states.isOver || !this.#states.isStarting);
		await this.#t.settle();
		if (this.#states.turn !== undefined && !this.#states.isOver) {
			// A half-closed client sends no frame, but another client can cancel the turn.
			if (this.#isClosed) await this.#cancelElsewhere();
			else this.#send("cancel turn");
			await this.#until(() => this.#states.turn === undefined);
		}
		await this.#t.settle();
		const faults = [...this.#states.rest(), ...(await this.#running())];
		await this.#cancelElsewhere();
		this.#stream.abandon();
		await this.#t.settle();
		return [...faults, ...this.#neighbours.end(planted.splice(0))];
	}

	/** Lets the gateway work until `isTrue` returns true, for at most 500 rounds. */
	async #until(isTrue: () => boolean): Promise<void> {
		for (let round = 0; round < 500 && !isTrue(); round++) await this.#t.settle();
	}

	async #step(step: Step): Promise<void> {
		if (step === "settle") await this.#t.settle();
		else if (step === "tick") await Promise.resolve();
		else if (step.startsWith("host") && step !== "hosted message")
			await this.#neighbours.play(step as NeighbourStep);
		else if (step.startsWith("other ")) await this.#neighbours.play(step as NeighbourStep);
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
			} else this.#send(step as ClientFrame);
		}
	}

	#receive(frame: ReceivedFrame): void {
		const before = this.#states.turn;
		this.#states.received(frame);
		const isEnd = before !== undefined && this.#states.turn === undefined;
		// A client may send the next message immediately after the end of a turn.
		if (isEnd && !this.#isClosed && !this.#isDone && this.#random.chance(0.3)) this.#send("message");
	}

	#send(kind: ClientFrame): void {
		this.#messages += kind === "message" || kind === "hosted message" ? 1 : 0;
		const id = `m${this.#messages}`;
		if (kind === "cancel session" && !this.#states.isOver) this.#isCancelled = true;
		const request = this.#frame(kind, id);
		this.#states.sent(kind, id);
		this.#stream.receive({ request });
	}

	#frame(kind: ClientFrame, messageId: string): SessionRequest["request"] {
		const random = this.#random;
		switch (kind) {
			case "start":
				return { $case: "start", value: { ...empty, tools, ...(this.#isHosted && { hostId: "rover" }) } };
			case "unusable start":
				return { $case: "start", value: { ...empty, tools: [], environmentId: "mars" } };
			case "message":
				return this.#message(`Please ${random.pick(words)}`, messageId);
			case "hosted message":
				return this.#message(`Please ${random.pick(words)} ${withHost}`, messageId, "ooda");
			case "unusable message":
				return this.#message(" ", messageId);
			case "result": {
				const { requested } = this.#states;
				const toolCallId = requested.length > 0 && random.chance(0.9) ? random.pick(requested) : "unknown";
				const value = { toolCallId, success: random.chance(0.7), result: "seen", truncated: false };
				return { $case: "toolResult", value };
			}
			case "decision": {
				const { undecided } = this.#neighbours;
				if (undecided.length === 0) return undefined;
				const callId = random.pick(undecided);
				const isApproved = random.chance(0.6);
				if (isApproved) this.#neighbours.approved(callId);
				return this.#decision(callId, isApproved);
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
				return this.#decision("unknown", true);
		}
	}

	#message(content: string, messageId: string, aiMode = ""): SessionRequest["request"] {
		return { $case: "userMessage", value: { content, context: [], tools: [], messageId, aiMode } };
	}

	#decision(toolCallId: string, approved: boolean): SessionRequest["request"] {
		return { $case: "permissionDecision", value: { toolCallId, approved, modifier: undefined } };
	}

	/** Returns a fault if runs are still open after the session was cancelled. */
	async #running(): Promise<string[]> {
		if (!this.#isCancelled || this.#session === "") return [];
		const open = new Set<string>();
		const stop = await this.#t.runtime.watch(operator, this.#session, ({ event }) => {
			if (event.type === "user.message" && event.content.startsWith("Please")) open.add(event.runId);
			if (event.type === "assistant.message") open.delete(event.runId);
		});
		stop();
		return open.size === 0 ? [] : [`${open.size} runs work after the session was cancelled`];
	}

	async #cancelElsewhere(): Promise<void> {
		if (this.#session !== "") await this.#t.runtime.cancel(unkeyed(), this.#session, { queued: true });
	}
}

const model = new WordModel();
/** Ids of the executed calls of the tool `plant`. */
const planted: string[] = [];

async function faultsOf(t: TestRuntime, { steps, seed }: Sequence): Promise<readonly string[]> {
	const log = new MemoryLogger();
	const faults = await new Player(t, seed, log).play(steps);
	const errors = log.records.filter(({ level }) => level === "error" || level === "warn");
	return [...faults, ...model.faults.splice(0), ...errors.map((record) => JSON.stringify(record))];
}

/** Returns a sequence that still fails, without the steps that can be omitted one by one. */
async function shrunk(t: TestRuntime, { steps, seed }: Sequence): Promise<readonly Step[]> {
	let minimal = steps;
	for (let at = steps.length - 1; at >= 0; at--) {
		const shorter = minimal.toSpliced(at, 1);
		if ((await faultsOf(t, { steps: shorter, seed })).length > 0) minimal = shorter;
	}
	return minimal;
}

test(`${sequences} random sequences of frames follow the states of a session`, {
	timeout: paced(120_000),
}, async () => {
	const seed = testSeed();
	const random = new Random(seed);
	await using t = await TestRuntime.open({ model, anyModel: true, tools: [plantTool(planted)] });
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
