import type { Redactor } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import type { Model } from "@parley/core";
import { TestRuntime } from "@parley/core/testing";
import { Random } from "../random.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { anthropicAt, fallback, table } from "./anthropic-port.ts";
import type { Failure } from "./failure.ts";
import { lookTool } from "./look-tool.ts";
import { memoryDirectory } from "./memory-directory.ts";
import { RunLog } from "./run-log.ts";

export interface FaultSetupOptions {
	readonly fallback?: boolean;
	/** URL of a server that replaces the simulator. */
	readonly baseUrl?: string;
	/** Redactor of the runtime. By default, it only redacts text with the format of a secret. */
	readonly redactor?: Redactor;
}

export class FaultSetup implements AsyncDisposable {
	readonly fake: FakeAnthropic;
	readonly runtime: TestRuntime;
	readonly clock: ManualClock;
	/** Arguments of the `look` calls that have run. */
	readonly looked: string[];
	/** Returns the maximum number of concurrent `look` calls so far. */
	readonly together: () => number;

	#session: { readonly id: string; readonly log: RunLog } | undefined;

	private constructor(parts: Pick<FaultSetup, "fake" | "runtime" | "clock" | "looked" | "together">) {
		this.fake = parts.fake;
		this.runtime = parts.runtime;
		this.clock = parts.clock;
		this.looked = parts.looked;
		this.together = parts.together;
	}

	static async open(options: FaultSetupOptions = {}): Promise<FaultSetup> {
		const clock = new ManualClock();
		const fake = await FakeAnthropic.start({ clock });
		const { apiKey } = fake;
		const model: Model = anthropicAt(options.baseUrl ?? fake.url, { apiKey, clock });
		const { tool, looked, together } = lookTool();
		const chance = new Random(1);
		const directory = await memoryDirectory();
		const runtime = await TestRuntime.open({
			...{ directory, model, clock, table, tools: [tool] },
			...(options.fallback && { fallback: [fallback] }),
			random: () => chance.next(),
			...(options.redactor && { redactor: options.redactor }),
			// Four attempts of ten minutes each must fit into this limit.
			limits: { workingMs: 24 * 3_600_000 },
		});
		return new FaultSetup({ fake, runtime, clock, looked, together });
	}

	async ask(): Promise<{ readonly log: RunLog; readonly session: string; readonly runId: string }> {
		this.#session ??= await this.#open();
		const { id: session, log } = this.#session;
		log.clear();
		const runId = await this.runtime.send(session, "Good morning");
		return { log, session, runId };
	}

	leaveSession(): void {
		this.#session = undefined;
		this.looked.length = 0;
	}

	async #open(): Promise<{ readonly id: string; readonly log: RunLog }> {
		const id = await this.runtime.create();
		return { id, log: await RunLog.join(this.runtime, id) };
	}

	/** Makes the next `times` requests fail with `failure`. */
	script(failure: Failure, random: Random, times: number): void {
		// Evaluated at the time of each response, because dates in a response are relative to that time.
		const answers = Array.from({ length: times }, () => () => failure.answer(random, this.clock.now()));
		this.fake.script(...answers);
	}

	/** Returns the texts of interrupted replies, from the stored steps of the run. */
	async abortedTexts(runId: string): Promise<string[]> {
		const rows = await this.runtime.store.read((db) =>
			db.selectFrom("steps").select("data").where("run_id", "=", runId).orderBy("n").execute(),
		);
		return rows.flatMap(({ data }) => {
			const step: { kind: string; text: string } = JSON.parse(data);
			return step.kind === "spent" ? [step.text] : [];
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.runtime[Symbol.asyncDispose]();
		await this.fake.close();
	}
}
