import { join } from "node:path";
import { type Model, ModelTable, shortTools } from "@parley/core";
import { TestRuntime } from "@parley/core/testing";
import { Agent } from "../wires/zot/agent.ts";
import { ZotConnection } from "../wires/zot/connection.ts";
import type { Frame, Id } from "../wires/zot/schema.ts";

const able = { reasoning: "none", sampling: true, images: true } as const;
const limits = { contextWindow: 100_000, maxOutput: 1_000 };
const table = new ModelTable(
	["scripted", "other"].map((id) => ({
		id,
		provider: "scripted",
		...limits,
		...able,
		prices: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
	})),
);

export interface ZotSetupOptions extends Omit<Parameters<typeof TestRuntime.open>[0], "model"> {
	readonly model: Model;
	readonly token?: string;
	readonly approvals?: boolean;
	readonly onFrame?: (frame: Frame) => void;
}

/** A client's connection to an agent on a real runtime, without streams and processes. */
export class ZotSetup implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly agent: Agent;
	readonly connection: ZotConnection;
	readonly frames: Frame[] = [];

	private constructor(t: TestRuntime, agent: Agent, { token, approvals = false, onFrame }: ZotSetupOptions) {
		this.t = t;
		this.agent = agent;
		this.connection = new ZotConnection({
			agent,
			log: t.log,
			version: "1.2.3",
			token,
			approvals,
			send: (frame) => {
				this.frames.push(frame);
				onFrame?.(frame);
			},
			drained: () => Promise.resolve(),
		});
	}

	static async open(options: ZotSetupOptions): Promise<ZotSetup> {
		const { token: _token, approvals = false, onFrame: _onFrame, ...chosen } = options;
		const t = await TestRuntime.open({ table, tools: shortTools(), titles: false, ...chosen });
		const cwd = join(t.directory, "work");
		const agent = await Agent.open({
			runtime: t.runtime,
			now: () => t.clock.monotonic(),
			sessionId: undefined,
			settings: { provider: "scripted", cwd, acceptsAll: !approvals, reasoning: undefined },
		});
		return new ZotSetup(t, agent, options);
	}

	/** Passes commands to the connection, all in one tick. Returns whether the client may stay connected. */
	send(...commands: readonly object[]): boolean {
		return commands.map((command) => this.line(JSON.stringify(command))).every(Boolean);
	}

	line(text: string): boolean {
		return this.connection.receive({ kind: "text", text });
	}

	async waitFor(type: Frame["type"], count = 1): Promise<void> {
		while (this.frames.filter((frame) => frame.type === type).length < count) await this.t.settle();
	}

	async ask(command: { readonly id: Id; readonly type: string; readonly [field: string]: unknown }) {
		this.send(command);
		for (;;) {
			const response = this.responses.find(({ id }) => id === command.id);
			if (response) return response;
			await this.t.settle();
		}
	}

	get responses() {
		return this.frames.filter((frame) => frame.type === "response");
	}

	/** Returns the id of each response, with `true` or the error. */
	get answers(): (readonly [Id | undefined, true | string])[] {
		return this.responses.map((response) => [response.id, response.success || response.error]);
	}

	/**
	 * Returns the types of the frames for the command `id`, without responses and text deltas. After the type
	 * `turn_end`, the text contains the stop reason.
	 */
	typesOf(id: Id): string[] {
		return this.frames
			.filter((frame) => frame.type !== "response" && frame.type !== "text_delta" && frame.request_id === id)
			.map((frame) => (frame.type === "turn_end" ? `turn_end ${frame.stop}` : frame.type));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.connection.terminate("stopped");
		await this.agent.close();
		await this.t[Symbol.asyncDispose]();
	}
}
