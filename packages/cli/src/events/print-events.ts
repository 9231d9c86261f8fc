import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type Clock, defined, delay, ParleyError, parseJson, systemClock } from "@parley/base";
import { createParser } from "eventsource-parser";
import { findSession } from "../client/find-session.ts";
import {
	type AddressFlags,
	findAgain,
	findGateway,
	type GatewayAddress,
	locateGateway,
} from "../client/gateway-address.ts";
import {
	answerError,
	getJson,
	type HttpAddress,
	openFromGateway,
	unreachable,
} from "../client/gateway-http.ts";
import { type ShownEvent, toOzzieEvent } from "../client/past-events.ts";
import { interruptedCode } from "../command-line/interrupt.ts";
import type { Io } from "../command-line/io.ts";
import { errorFormat, outputFormat } from "../command-line/output.ts";
import { clockTime } from "../text/local-time.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { connectionWords } from "../wordings/connection-words.ts";
import { listWords } from "../wordings/event-wordings.ts";

/** Default numbers of earlier events to print, with and without `--follow`. */
const usualLimits = { follow: 10, list: 50 };

/**
 * Prints events. With `--follow`, also prints new events until Ctrl-C or until the followed session is
 * deleted. Returns the exit code.
 */
export async function printEvents(flags: EventsFlags, io: Io): Promise<number> {
	const address = await findGateway(flags, io);
	const query = new URLSearchParams();
	query.set("limit", String(flags.limit ?? usualLimits[flags.follow ? "follow" : "list"]));
	if (flags.session !== undefined) query.set("session", (await findSession(address, flags.session)).id);
	for (const type of flags.type ?? []) query.append("type", type);
	const print = (event: ShownEvent): void => {
		const row = flags.json ? JSON.stringify(event) : eventRow(event, outputFormat(io));
		io.stdout.write(`${row}\n`);
	};
	if (flags.follow) return follow(query, print, { flags, io, address });
	// The cast is safe because Parley's own gateway lists events in this form.
	const events = (await getJson(address, `/api/events?${query}`)) as ShownEvent[];
	for (const event of events) print(event);
	return 0;
}

async function follow(
	query: URLSearchParams,
	onEvent: (event: ShownEvent) => void,
	{ flags, io, address }: { readonly flags: EventsFlags; readonly io: Io; readonly address: GatewayAddress },
): Promise<number> {
	const { dim } = errorFormat(io).styles;
	const stop = new AbortController();
	const interrupt = (): void => stop.abort();
	process.once("SIGINT", interrupt);
	try {
		await followEvents({
			query,
			onEvent,
			clock: systemClock,
			signal: stop.signal,
			find: findAgain(address, () => locateGateway(flags, io)),
			onState: (state) => io.stderr.write(`${dim(connectionWords[state])}\n`),
		});
	} finally {
		process.off("SIGINT", interrupt);
	}
	return stop.signal.aborted ? interruptedCode : 0;
}

/**
 * Number of shown characters of a session id: enough to distinguish a few sessions and to be used in a command.
 */
const idCharacters = "sess_".length + 6;

/** Maximum width of a row, even without a terminal. */
const maxColumns = 200;

/** Returns the row of an event: time, session, type and details. */
export function eventRow(shown: ShownEvent, format: OutputFormat): string {
	const { dim, cyan, red } = format.styles;
	const time = shown.timestamp === undefined ? "        " : clockTime(new Date(shown.timestamp));
	const id = visibleLine(shown.session_id.slice(0, idCharacters)).padEnd(idCharacters);
	const type = visibleLine(shown.type).padEnd("internal.llm.call".length);
	const event = toOzzieEvent(shown);
	const listed = event ? listWords(event) : { words: "" };
	const left = Math.min(format.columns, maxColumns) - time.length - id.length - type.length - 6;
	const words = shorten(visibleLine(listed.words), Math.max(10, left));
	return `${dim(time)}  ${dim(id)}  ${cyan(type)}  ${listed.failed ? red(words) : words}`.trimEnd();
}

/**
 * Milliseconds without data after which a connection is treated as lost. The gateway sends a heartbeat every 15 s.
 */
const silenceMs = 45_000;

const firstPauseMs = 250;

const longestPauseMs = 5_000;

interface FollowOptions {
	/** Finds the address of the gateway. The address may change at a restart. */
	readonly find: () => Promise<HttpAddress>;
	/** Query parameters of `/api/events`: the filter, and `limit`, the maximum number of earlier events. */
	readonly query: URLSearchParams;
	readonly clock: Clock;
	readonly signal: AbortSignal;
	readonly onEvent: (event: ShownEvent) => void;
	readonly onState: (state: "lost" | "back") => void;
}

/**
 * Reports events as they happen until the signal aborts or the followed session is deleted. Reports each stored event
 * once and without gaps, even after a lost connection. Rejects if the first connection fails, or if the gateway
 * refuses the request.
 */
export async function followEvents(options: FollowOptions): Promise<void> {
	const { clock, signal, onState } = options;
	const follower = new Follower(options);
	let tried = 0;
	while (!signal.aborted) {
		const opened = (): void => {
			if (tried > 0) onState("back");
			tried = 0;
		};
		await follower.read(opened).catch((reason: unknown) => {
			if (!follower.mayRetry(reason)) throw reason;
		});
		if (signal.aborted || follower.isOver) return;
		if (tried === 0) onState("lost");
		tried += 1;
		const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** tried);
		// Only the signal ends the delay early, and the loop then ends as well.
		await delay(clock, pauseMs, signal).catch(() => undefined);
	}
}

class Follower {
	readonly #options: FollowOptions;
	#lastId: string | undefined;
	#wasReached = false;
	/** Whether an event reports that the followed session was deleted. */
	isOver = false;

	constructor(options: FollowOptions) {
		this.#options = options;
	}

	/** Whether a retry may succeed. True after the stop signal, because the loop then ends without an error. */
	mayRetry(reason: unknown): boolean {
		if (this.#options.signal.aborted) return true;
		return this.#wasReached && reason instanceof ParleyError && reason.code === "unavailable";
	}

	/**
	 * Reads one connection to its end. Rejects with a `ParleyError` if the gateway cannot be reached or refuses the
	 * request, or if the connection fails.
	 */
	async read(onOpen: () => void): Promise<void> {
		const { find, query, signal } = this.#options;
		const address = await find();
		const silence = this.#watch();
		const either = AbortSignal.any([signal, silence.signal]);
		const id = this.#lastId;
		const headers = defined({ accept: "text/event-stream", "last-event-id": id });
		try {
			const response = await openFromGateway(address, `/api/events?${query}`, { headers, signal: either });
			const status = response.statusCode ?? 0;
			if (status !== 200) throw answerError(address, { status, text: await text(response) });
			this.#wasReached = true;
			// The id is set before the first event, so that no event is missed if the connection is lost.
			this.#lastId ??= response.headers["last-event-id"]?.toString();
			onOpen();
			await this.#read(response, () => silence.restart());
		} catch (cause) {
			if (cause instanceof ParleyError) throw cause;
			throw unreachable(address, cause);
		} finally {
			silence.end();
		}
	}

	async #read(response: IncomingMessage, restart: () => void): Promise<void> {
		const parser = createParser({
			onEvent: ({ id, data }) => {
				// The cast is safe because Parley's own gateway sends this form.
				const event = parseJson(data, { maxDepth: 256, maxNodes: 5_000_000 }) as ShownEvent;
				if (id !== undefined) this.#lastId = id;
				this.isOver ||= event.type === "session.deleted" && this.#options.query.has("session");
				this.#options.onEvent(event);
			},
		});
		response.setEncoding("utf8");
		for await (const piece of response) {
			restart();
			parser.feed(piece);
		}
	}

	#watch(): { readonly signal: AbortSignal; restart(): void; end(): void } {
		const { clock } = this.#options;
		const silent = new AbortController();
		const start = () => clock.after(silenceMs, () => silent.abort());
		let timer = start();
		return {
			signal: silent.signal,
			restart: () => {
				timer.cancel();
				timer = start();
			},
			end: () => timer.cancel(),
		};
	}
}

export interface EventsFlags extends AddressFlags {
	readonly follow?: boolean;
	readonly session?: string;
	readonly type?: readonly string[];
	readonly limit?: number;
	readonly json?: boolean;
}
