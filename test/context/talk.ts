import { rm } from "node:fs/promises";
import { silentLogger } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { createAnthropicModel, type ModelInfo, ModelTable } from "@parley/core";
import { TestRuntime } from "@parley/core/testing";
import { memoryDirectory } from "../faults/memory-directory.ts";
import { RunLog } from "../faults/run-log.ts";
import { FakeAnthropic, type FakeAnthropicOptions } from "../simulators/anthropic/fake-anthropic.ts";

export interface TalkOptions extends Omit<FakeAnthropicOptions, "clock"> {
	readonly info: ModelInfo;
	readonly systemTemplate?: string;
}

/** A long session with the simulator as its model, also across restarts of the runtime. */
export class Talk implements AsyncDisposable {
	readonly fake: FakeAnthropic;
	readonly clock: ManualClock;
	readonly directory: string;
	readonly #options: TalkOptions;
	#runtime: TestRuntime | undefined;
	#log: RunLog | undefined;
	#session = "";
	#sentCount = 0;

	private constructor(fake: FakeAnthropic, clock: ManualClock, directory: string, options: TalkOptions) {
		this.fake = fake;
		this.clock = clock;
		this.directory = directory;
		this.#options = options;
	}

	static async open(options: TalkOptions): Promise<Talk> {
		const clock = new ManualClock();
		const directory = await memoryDirectory();
		const talk = new Talk(await FakeAnthropic.start({ ...options, clock }), clock, directory, options);
		await talk.#start();
		await talk.#join();
		return talk;
	}

	get runtime(): TestRuntime {
		if (!this.#runtime) throw new Error("the gateway is stopped");
		return this.#runtime;
	}

	get log(): RunLog {
		if (!this.#log) throw new Error("nobody has joined");
		return this.#log;
	}

	async begin(text: string): Promise<void> {
		this.#sentCount += 1;
		await this.runtime.send(this.#session, text);
	}

	/** Waits until each message has an answer, and returns the last answer. */
	answered(): ReturnType<typeof this.log.the<"assistant.message">> {
		return this.log.the("assistant.message", this.#sentCount);
	}

	/** Sends a message and returns the answer. Throws if the run fails. */
	async say(text: string): Promise<string> {
		await this.begin(text);
		const { content, error } = await this.answered();
		if (error !== "") throw new Error(`answer ${this.#sentCount}: ${error}`);
		return content;
	}

	async restart(): Promise<void> {
		await this.runtime.stop();
		await this.#start();
		await this.#join();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.runtime.stop();
		await rm(this.directory, { recursive: true, force: true });
		await this.fake.close();
	}

	async #start(): Promise<void> {
		const { fake, clock, directory } = this;
		const { info, systemTemplate = "built-in" } = this.#options;
		const table = new ModelTable([info]);
		const { apiKey, url: baseUrl } = fake;
		const log = silentLogger;
		const model = createAnthropicModel({ apiKey, baseUrl, clock, log, table, defaultModel: info.id });
		this.#runtime = await TestRuntime.open({ model, clock, directory, table, systemTemplate });
		await this.#runtime.runtime.start();
	}

	async #join(): Promise<void> {
		if (this.#session === "") this.#session = await this.runtime.create();
		this.#log = await RunLog.join(this.runtime, this.#session);
	}
}
