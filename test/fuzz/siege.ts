import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pacedNow } from "@parley/base/testing";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import type { Random } from "../random.ts";
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

/** One timer looks after all open questions, and stays until it finds none: minutes later. */
const timersOfQuestions = 1;

/** What the gateway may hold more than at the mark. */
const slackBytes = 32 * 2 ** 20;
const checksPerCollection = 20;
/** The longest that anybody who behaves may wait. */
const patienceMs = 1_000;

/** What the siege has left. */
export interface Aftermath {
	readonly summary: string;
	/** What must not be; empty when the gateway has held. */
	readonly faults: readonly string[];
}

interface SiegeParts {
	readonly gateway: GatewayProcess;
	readonly directory: string;
	readonly port: number;
}

/** A gateway that is attacked, a healthy client that is to be served all the time, and what it costs. */
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

	static async begin(random: Random): Promise<Siege> {
		const directory = await mkdtemp(join(tmpdir(), "parley-fuzz-"));
		const root = join(directory, "root");
		await mkdir(root);
		const port = await choosePort(random);
		const data = join(directory, "data");
		const gateway = new GatewayProcess({ port, data, root, environment: frugalMemory, nodeArgs: probeArgs });
		await using undo = new AsyncDisposableStack();
		undo.defer(() => raze(gateway, directory));
		if (!(await gateway.ready)) throw new Error(`the gateway does not start:\n${gateway.stderr.join("\n")}`);
		const healthy = await HealthyClient.open(`ws://127.0.0.1:${port}/api/ws`);
		await healthy.beServed();
		const held = await probe(gateway);
		const start = { ...held, timers: held.timers + timersOfQuestions };
		const siege = new Siege({ gateway, directory, port }, healthy, start);
		undo.move();
		return siege;
	}

	/** Also after a failure nothing stays behind. */
	async [Symbol.asyncDispose](): Promise<void> {
		await raze(this.#gateway, this.#directory);
	}

	/** The token of the operator. */
	get token(): string {
		return readFileSync(join(this.#directory, "data", "tokens", "operator"), "utf8").trim();
	}

	/** How much of the attack is done. */
	get steps(): number {
		return this.#steps;
	}

	/** A step of the attack is done. */
	progress(): void {
		this.#steps++;
		this.#watch.notify();
	}

	/** Attacks, and sees after each so many steps, and once at the least, that the healthy client is served. */
	async during(attack: () => Promise<void>, stepsPerCheck = 50): Promise<void> {
		let isOver = false;
		const check = async (): Promise<void> => {
			for (let checks = 1; !isOver; checks++) {
				await this.#healthy.beServed();
				// Garbage that piles up leaves holes in the memory of the allocator, which look like a leak and are none.
				if (checks % checksPerCollection === 0) await probe(this.#gateway);
				const next = this.#steps + stepsPerCheck;
				await this.#watch.until("the attack goes on", () => this.#steps >= next || isOver);
			}
		};
		const checking = check();
		await attack();
		isOver = true;
		this.#watch.notify();
		await checking;
	}

	/** From here on the gateway must not grow any more. */
	async mark(): Promise<void> {
		this.#mark = await probeSettled(this.#gateway, this.#start);
	}

	/** Ends the gateway and tells how it has fared. */
	async end(): Promise<Aftermath> {
		const held = await probeSettled(this.#gateway, this.#start);
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
			...[this.#start, this.#mark, held].map(describe),
		].join("\n");
		const faults = [
			...(slowest < pacedNow(patienceMs) ? [] : [`a healthy client waited ${slowest} ms`]),
			...(held.rss <= this.#mark.rss + slackBytes
				? []
				: [`memory grew from ${this.#mark.rss} to ${held.rss}`]),
			...(held.descriptors <= this.#start.descriptors ? [] : [`${held.descriptors} descriptors are open`]),
			...(held.timers <= this.#start.timers + timersOfUse ? [] : [`${held.timers} timers wait`]),
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

async function raze(gateway: GatewayProcess, directory: string): Promise<void> {
	gateway.kill("SIGKILL");
	await gateway.exited;
	await rm(directory, { recursive: true });
}
