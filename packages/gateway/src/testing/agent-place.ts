import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, Redactor, systemClock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { ScriptedModel, type ScriptedReply } from "@parley/core/testing";
import { loadConfig } from "../config/load.ts";
import { type OpenAgent, openAgent } from "../rpc/open-agent.ts";
import type { RpcFlags } from "../rpc/rpc-flags.ts";

/** Directories of a machine. `data` is the data directory of the operator's gateway, and `work` is the agent's directory. */
export class AgentPlace implements AsyncDisposable {
	readonly #directory: string;
	readonly #opened: OpenAgent[] = [];
	readonly log = new MemoryLogger();

	private constructor(directory: string) {
		this.#directory = directory;
	}

	static async make(): Promise<AgentPlace> {
		const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-agent-"));
		await mkdir(join(directory, "work"));
		return new AgentPlace(directory);
	}

	path(...names: readonly string[]): string {
		return join(this.#directory, ...names);
	}

	async open(flags: RpcFlags, ...script: readonly ScriptedReply[]) {
		const model = new ScriptedModel(...script);
		const opened = await openAgent({
			flags,
			model,
			clock: systemClock,
			ids: createIds(),
			log: this.log,
			config: this.config("offline", flags.model),
			redactor: new Redactor(),
			currentDirectory: this.path("work"),
		});
		this.#opened.push(opened);
		const ends: (() => void)[] = [];
		const results: string[] = [];
		const prompts: string[] = [];
		opened.agent.listen(({ event }) => {
			if (event.type === "tool.completed") results.push(event.result);
			if (event.type === "tool.failed") results.push(`failed: ${event.error}`);
			if (event.type === "prompt.requested") {
				prompts.push(event.prompt.token);
				void opened.agent.answer(event.prompt.token, { value: false });
			}
			if (event.type === "assistant.message") ends.shift()?.();
		});
		return {
			opened,
			model,
			results,
			prompts,
			begin: (text: string) => opened.agent.prompt(text, []),
			async say(text: string): Promise<void> {
				const { promise, resolve } = Promise.withResolvers<void>();
				ends.push(resolve);
				await opened.agent.prompt(text, []);
				await promise;
			},
		};
	}

	/** Starts the agent with the provider in `flags`. `open` uses a script instead of a provider. */
	async start(flags: RpcFlags): Promise<OpenAgent> {
		const { provider, model, baseUrl } = flags;
		const started = await openAgent({
			flags,
			clock: systemClock,
			ids: createIds(),
			log: this.log,
			redactor: new Redactor(),
			config: this.config(provider, model, baseUrl),
			currentDirectory: this.path("work"),
		});
		this.#opened.push(started);
		return started;
	}

	config(provider: string | undefined, model?: string, baseUrl?: string) {
		return loadConfig({
			flags: { provider, model, baseUrl, data: this.path("data"), sandbox: "off" },
			environment: {},
			cwd: this.path("work"),
			defaultData: this.path("data"),
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.allSettled(this.#opened.map((opened) => opened.close()));
		await rm(this.#directory, { recursive: true });
	}
}
