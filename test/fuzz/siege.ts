import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pacedNow } from "@parley/base/testing";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { Watch } from "../watch.ts";
import { HealthyClient } from "./healthy-client.ts";
import {
	frugalMemory,
	type Holdings,
	mebibytes,
	probe,
	probeArgs,
	probeSettled,
	timersOfUse,
} from "./memory.ts";

/**
 * Number of additional timers for open prompts. The timer ends at its first check without open prompts, which may
 * be minutes later.
 */
const timersOfQuestions = 1;

/** Maximum growth of resident memory, from the memory mark to the end. */
const slackBytes = 32 * 2 ** 20;
const checksPerCollection = 20;
/** Maximum milliseconds for a request of the healthy client. */
const patienceMs = 1_000;

export interface SiegeResult {
	readonly summary: string;
	/** Violated limits, and errors and warnings in the log. Empty if the gateway passed. */
	readonly faults: readonly string[];
}

interface SiegeParts {
	readonly gateway: GatewayProcess;
	readonly directory: string;
	readonly port: number;
}

/**
 * A gateway under attack, and a healthy client that the gateway must serve throughout. Measures memory and response
 * times.
 */
export class Siege {
	readonly port: number;
	readonly #gateway: GatewayProcess;
	readonly #healthy: HealthyClient;
	readonly #directory: string;
	readonly #start: Holdings;
	readonly #watch = new Watch();
	#mark: Holdings;
	#steps = 0;

	private constructor(parts: SiegeParts, healthy: HealthyClient, start: Holdings) {
		this.port = parts.port;
		this.#gateway = parts.gateway;
		this.#directory = parts.directory;
		this.#healthy = healthy;
		this.#start = start;
		this.#mark = start;
	}

	static async begin(): Promise<Siege> {
		const directory = await mkdtemp(join(tmpdir(), "parley-fuzz-"));
		const root = join(directory, "root");
		await mkdir(root);
		const port = await choosePort();
		const data = join(directory, "data");
		const gateway = new GatewayProcess({ port, data, root, environment: frugalMemory, nodeArgs: probeArgs });
		await using undo = new AsyncDisposableStack();
		undo.defer(() => removeAll(gateway, directory));
		if (!(await gateway.ready)) throw new Error(`the gateway does not start:\n${gateway.stderr.join("\n")}`);
		const healthy = await HealthyClient.open(`ws://127.0.0.1:${port}/api/ws`);
		await healthy.beServed();
		const memory = await probe(gateway);
		const start = { ...memory, timers: memory.timers + timersOfQuestions };
		const siege = new Siege({ gateway, directory, port }, healthy, start);
		undo.move();
		return siege;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await removeAll(this.#gateway, this.#directory);
	}

	get token(): string {
		return readFileSync(join(this.#directory, "data", "tokens", "operator"), "utf8").trim();
	}

	get steps(): number {
		return this.#steps;
	}

	progress(): void {
		this.#steps++;
		this.#watch.notify();
	}

	/**
	 * Runs the attack. The gateway must serve the healthy client at the start, and then after every `stepsPerCheck`
	 * steps.
	 */
	async during(attack: () => Promise<void>, stepsPerCheck = 50): Promise<void> {
		let isOver = false;
		const check = async (): Promise<void> => {
			for (let checks = 1; !isOver; checks++) {
				await this.#healthy.beServed();
				// Accumulated garbage would fragment the memory of the allocator. The growth would look like a leak.
				if (checks % checksPerCollection === 0) await probe(this.#gateway);
				const next = this.#steps + stepsPerCheck;
				await this.#watch.until("the attack continues", () => this.#steps >= next || isOver);
			}
		};
		const checking = check();
		await attack();
		isOver = true;
		this.#watch.notify();
		await checking;
	}

	/** Sets the memory mark, which the resident memory may exceed by at most `slackBytes` at the end. */
	async mark(): Promise<void> {
		this.#mark = await probeSettled(this.#gateway, this.#start);
	}

	/** Stops the gateway. Returns the faults and a summary. */
	async end(): Promise<SiegeResult> {
		// Random requests have started runs with open approvals.
		await this.#healthy.declinePrompts();
		const maxRss = this.#mark.rss + slackBytes;
		const memory = await probeSettled(this.#gateway, this.#start, maxRss);
		await this.#healthy.close();
		this.#gateway.kill("SIGTERM");
		const { code } = await this.#gateway.exited;
		const { roundTripsMs, turnsMs } = this.#healthy;
		const slowest = Math.max(...roundTripsMs);
		const complaints = this.#gateway.stderr.filter((line) =>
			/"level":"?(error|warn|[456]0)|unhandled|warning/i.test(line),
		);
		const summary = [
			`a healthy client waited ${slowest.toFixed(0)} ms at most in ${roundTripsMs.length} checks, ${Math.max(...turnsMs).toFixed(0)} ms for a turn`,
			...[this.#start, this.#mark, memory].map(describe),
		].join("\n");
		const faults = [
			...(slowest < pacedNow(patienceMs) ? [] : [`a healthy client waited ${slowest} ms`]),
			...(memory.rss <= maxRss ? [] : [`memory grew from ${this.#mark.rss} to ${memory.rss}`]),
			...(memory.descriptors <= this.#start.descriptors
				? []
				: [`${memory.descriptors} descriptors are open`]),
			...(memory.timers <= this.#start.timers + timersOfUse ? [] : [`${memory.timers} timers wait`]),
			...(code === 0 ? [] : [`the gateway ended with ${code}`]),
			...complaints,
		];
		return { summary, faults };
	}
}

function describe({ rss, heapUsed, descriptors, timers }: Holdings, index: number): string {
	const when = ["at the start", "at the mark", "at the end"][index] ?? "";
	return `${when.padEnd(13)}${mebibytes(rss)} resident, ${mebibytes(heapUsed)} heap, ${descriptors} descriptors, ${timers} timers`;
}

async function removeAll(gateway: GatewayProcess, directory: string): Promise<void> {
	gateway.kill("SIGKILL");
	await gateway.exited;
	await rm(directory, { recursive: true });
}
