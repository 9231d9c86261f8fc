import { methods } from "@parley/protocol";
import { FuzzConnection } from "./fuzz-connection.ts";

const OpenPrompts = methods.list_prompts.result;

/** A client with valid requests that measures the gateway's response times during an attack. */
export class HealthyClient {
	/** Milliseconds from a request to its response. */
	readonly roundTripsMs: number[] = [];
	/** Milliseconds from a message to the end of its run. */
	readonly turnsMs: number[] = [];
	readonly #connection: FuzzConnection;

	private constructor(connection: FuzzConnection) {
		this.#connection = connection;
	}

	static async open(url: string): Promise<HealthyClient> {
		const connection = await FuzzConnection.open(url);
		await connection.request("open_session", {});
		return new HealthyClient(connection);
	}

	async beServed(): Promise<void> {
		const began = performance.now();
		await this.#connection.request("load_messages", { limit: 1 });
		const startedAt = performance.now();
		this.roundTripsMs.push(startedAt - began);
		const { events } = this.#connection;
		events.length = 0;
		await this.#connection.request("send_message", { content: "say: still here" });
		const isEnd = ({ event }: { readonly event: string }): boolean => event === "assistant.message";
		await this.#connection.until("the message is answered", () => events.some(isEnd));
		this.turnsMs.push(performance.now() - startedAt);
		this.#connection.answers.length = 0;
	}

	/** Declines the open prompts of all sessions, because open prompts have timers. */
	async declinePrompts(): Promise<void> {
		for (;;) {
			const { prompts } = OpenPrompts.parse(await this.#connection.request("list_prompts", { limit: 1 }));
			const [prompt] = prompts;
			if (prompt === undefined) return;
			await this.#connection.request("prompt_response", { token: prompt.token, cancelled: true });
		}
	}

	async close(): Promise<void> {
		await this.#connection.close();
	}
}
