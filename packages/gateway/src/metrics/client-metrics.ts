import type { MetricRecorder } from "./recorder.ts";

const refusalsByStatus: Readonly<Record<number, string>> = {
	400: "malformed",
	401: "unauthorized",
	403: "origin",
	421: "host",
	429: "locked_out",
	431: "headers",
	503: "draining",
};

/** Metrics of requests and slow clients at the port and on the wires. */
export class WireCounts {
	readonly #recorder: MetricRecorder;

	constructor(recorder: MetricRecorder) {
		this.#recorder = recorder;
	}

	/** Counts an answered request of a client; `code` is `ok` or the code of the error. */
	answered(wire: string, method: string, code: string): void {
		this.#recorder.count("parley_requests_total", { wire, method, code });
	}

	/** Counts a request that was refused before its content was read, by its HTTP status. */
	refused(status: number): void {
		this.#recorder.count("parley_http_refused_total", { reason: refusalsByStatus[status] ?? "other" });
	}

	rateLimited(): void {
		this.#recorder.count("parley_requests_rate_limited_total", {});
	}

	/** Counts a client that was closed because it read too slowly. */
	slowReader(): void {
		this.#recorder.count("parley_slow_readers_closed_total", {});
	}

	/** Counts deltas that were dropped for slow readers. Each reader still gets the complete text. */
	dropped(frames: number): void {
		this.#recorder.count("parley_deltas_dropped_total", {}, frames);
	}
}

export type StreamRefusal = "too_many" | "draining";

/** Metrics of event streams. */
export class StreamCounts {
	readonly #recorder: MetricRecorder;

	constructor(recorder: MetricRecorder) {
		this.#recorder = recorder;
	}

	refused(reason: StreamRefusal): void {
		this.#recorder.count("parley_event_streams_refused_total", { reason });
	}

	/** Counts a stream that was ended because its client read too slowly. */
	slowReader(): void {
		this.#recorder.count("parley_event_streams_slow_closed_total", {});
	}

	/** Counts transient events that were dropped for a slow client. They are not sent again. */
	lost(events: number): void {
		this.#recorder.count("parley_event_stream_events_lost_total", {}, events);
	}
}

/**
 * Reason why an upload was not stored:
 * - `wrapped`: the body is a multipart form, or has a content encoding such as gzip.
 * - `stalled`: the client sent nothing for too long.
 * - `gone`: the client disconnected.
 */
export type UploadRefusal =
	| "too_large"
	| "full"
	| "wrapped"
	| "malformed"
	| "forbidden"
	| "unavailable"
	| "stalled"
	| "gone"
	| "failed";

export class UploadCounts {
	readonly #recorder: MetricRecorder;
	#running = 0;

	constructor(recorder: MetricRecorder) {
		this.#recorder = recorder;
	}

	get running(): number {
		return this.#running;
	}

	/** Counts the start of an upload. `stored` or `refused` counts its end. */
	began(): void {
		this.#running += 1;
	}

	/** Counts received bytes, including bytes that are not stored. */
	received(bytes: number): void {
		this.#recorder.count("parley_upload_bytes_total", {}, bytes);
	}

	stored(): void {
		this.#running -= 1;
		this.#recorder.count("parley_uploads_kept_total", {});
	}

	refused(reason: UploadRefusal): void {
		this.#running -= 1;
		this.#recorder.count("parley_uploads_refused_total", { reason });
	}
}
