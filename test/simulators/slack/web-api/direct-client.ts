import { ManualClock } from "@parley/base/testing";
import { Simulator, type SimulatorOptions } from "../platform/simulator.ts";
import type { ApiResponse } from "./exchange.ts";

/** Web API client of the app. Each call returns its response synchronously. */
class DirectClient {
	readonly #simulator: Simulator;

	constructor(simulator: Simulator) {
		this.#simulator = simulator;
	}

	/** Sends a call with a token, by default the bot token. */
	call(
		method: string,
		args: Readonly<Record<string, unknown>> = {},
		token = this.#simulator.token,
	): ApiResponse {
		return this.#simulator.api.answer({ method, args, token });
	}

	/** Calls a method, and returns the response body. Throws if the response is an error. */
	asks(method: string, args: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
		const { body } = this.call(method, args);
		if (body["ok"] !== true) throw new Error(JSON.stringify(body));
		return body;
	}

	posts(
		{ record, threadTs }: Pick<Where, "record" | "threadTs">,
		args: Readonly<Record<string, unknown>>,
	): { readonly id: string; readonly ts: string } {
		const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
		const { ts } = this.asks("chat.postMessage", { channel: record.id, ...thread, ...args });
		return { id: `${record.id}-${String(ts)}`, ts: String(ts) };
	}

	responds(interaction: { readonly record: { readonly responseUrl?: string } }, body: object): ApiResponse {
		return this.#simulator.respond(interaction.record.responseUrl ?? "", body);
	}

	opens(interaction: { readonly record: { readonly triggerId: string } }, view: object): ApiResponse {
		return this.call("views.open", { trigger_id: interaction.record.triggerId, view });
	}
}

interface Where {
	readonly record: { readonly id: string };
	readonly threadTs?: string | undefined;
}

export function errorOf({ body }: ApiResponse): unknown {
	return body["error"];
}

/** Returns a simulator with a manual clock, the Web API client of its app, a channel and a member. */
export function pausedSimulator(options: SimulatorOptions = {}) {
	const clock = new ManualClock();
	const simulator = new Simulator({ clock, ...options });
	const anna = simulator.member("Anna");
	return { clock, simulator, app: new DirectClient(simulator), general: simulator.channel("general"), anna };
}

export function buttons(...labels: readonly string[]) {
	const elements = labels.map((label) => ({
		...{ type: "button", text: { type: "plain_text", text: label }, action_id: `id of ${label}` },
		value: label,
	}));
	return { type: "actions", elements };
}

export function section(text: string) {
	return { type: "section", text: { type: "mrkdwn", text } };
}
