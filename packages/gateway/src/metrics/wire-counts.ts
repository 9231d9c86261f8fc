import type { Family } from "./exposition.ts";
import { counter } from "./families.ts";
import { Tally } from "./tally.ts";

const refusals: Readonly<Record<number, string>> = {
	400: "malformed",
	401: "unauthorized",
	403: "origin",
	421: "host",
	429: "locked_out",
	431: "headers",
	503: "draining",
};

/** What happened at the port and on the wires. */
export class WireCounts {
	/** Requests of clients on WebSockets and streams, by wire, method and code. */
	readonly #requests = new Tally();
	readonly #refused = new Tally();
	readonly #rateLimited = new Tally();
	readonly #slow = new Tally();
	readonly #dropped = new Tally();

	constructor() {
		for (const tally of [this.#rateLimited, this.#slow, this.#dropped]) tally.add({}, 0);
	}

	/** A request of a client was answered; `code` is `ok` or that of the error. */
	answered(wire: string, method: string, code: string): void {
		this.#requests.add({ wire, method, code });
	}

	/** An HTTP request was turned away before it was looked at. */
	refused(status: number): void {
		this.#refused.add({ reason: refusals[status] ?? "other" });
	}

	rateLimited(): void {
		this.#rateLimited.add();
	}

	/** A client was closed because it read too slowly. */
	slowReader(): void {
		this.#slow.add();
	}

	/** Pieces of text that slow readers did not get; the whole message follows. */
	dropped(frames: number): void {
		this.#dropped.add({}, frames);
	}

	families(): Family[] {
		return [
			counter("parley_requests_total", "Requests of clients, by their answer.", this.#requests),
			counter("parley_requests_rate_limited_total", "Requests that came too fast.", this.#rateLimited),
			counter("parley_http_refused_total", "HTTP requests refused before they were read.", this.#refused),
			counter("parley_slow_readers_closed_total", "Clients closed for reading too slowly.", this.#slow),
			counter("parley_deltas_dropped_total", "Pieces of text left out for slow readers.", this.#dropped),
		];
	}
}
