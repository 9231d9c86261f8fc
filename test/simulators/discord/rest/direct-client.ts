import { ManualClock } from "@parley/base/testing";
import { Simulator, type SimulatorOptions } from "../platform/simulator.ts";
import type { RestRequest, RestResponse } from "./exchange.ts";

/** REST client of the app. Each call returns its response synchronously. */
export class DirectClient {
	readonly #simulator: Simulator;

	constructor(simulator: Simulator) {
		this.#simulator = simulator;
	}

	call(method: string, path: string, more: Partial<RestRequest> = {}): RestResponse {
		const authorization = `Bot ${this.#simulator.token}`;
		return this.#simulator.rest.answer({
			method,
			path,
			query: {},
			body: undefined,
			files: [],
			authorization,
			...more,
		});
	}

	get(path: string, query: Readonly<Record<string, string>> = {}): RestResponse {
		return this.call("GET", path, { query });
	}

	posts(
		channel: { readonly id: string },
		body: object,
		files: RestRequest["files"] = [],
	): { readonly id: string } {
		const answer = this.call("POST", `/channels/${channel.id}/messages`, { body, files });
		if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
		// The cast is safe because the body is a message.
		return answer.body as { readonly id: string };
	}

	answers(
		interaction: { readonly id: string; readonly record: { readonly token: string } },
		body: object,
	): RestResponse {
		const path = `/interactions/${interaction.id}/${interaction.record.token}/callback`;
		return this.call("POST", path, { body, authorization: undefined });
	}

	follows(
		interaction: { readonly record: { readonly token: string } },
		{ method, message, body }: { readonly method: string; readonly message?: string; readonly body?: object },
	): RestResponse {
		const webhook = `/webhooks/${this.#simulator.state.app.id}/${interaction.record.token}`;
		const path = message === undefined ? webhook : `${webhook}/messages/${message}`;
		return this.call(method, path, { body, authorization: undefined });
	}
}

export function codeOf({ body }: RestResponse): unknown {
	return Object(body).code;
}

/** Returns a simulator with a manual clock, the REST client of its app, a channel and a member. */
export function pausedSimulator(options: SimulatorOptions = {}) {
	const clock = new ManualClock();
	const simulator = new Simulator({ clock, ...options });
	return {
		...{ clock, simulator, app: new DirectClient(simulator) },
		...{ general: simulator.channel("general"), anna: simulator.member("Anna") },
	};
}

export function buttons(...labels: readonly string[]) {
	const components = labels.map((label) => ({ type: 2, style: 1, label, custom_id: `id of ${label}` }));
	return [{ type: 1, components }];
}
