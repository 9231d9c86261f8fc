import { request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { defined, type ErrorCode, ParleyError, parseJson } from "@parley/base";
import { isOzzieEvent, type OzzieEvent, pinnedTo, UploadedFile } from "@parley/protocol";
import * as z from "zod";

/**
 * Files of the gateway. Each method rejects with the gateway's error, or with `unavailable` while the gateway does not
 * answer.
 */
export interface GatewayFiles {
	/**
	 * Uploads a file and resolves with its id. A repeated call with the same key resolves with the first result.
	 */
	upload(file: {
		readonly name: string;
		readonly bytes: Uint8Array;
		readonly key: string;
		readonly signal: AbortSignal;
	}): Promise<string>;
	/** Downloads a file. Rejects with `resource_exhausted` if the file has more than `maximum` bytes. */
	download(fileId: string, maximum: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** A stored event with its time in milliseconds since the epoch. */
export interface PastEvent {
	readonly event: OzzieEvent;
	readonly at: number;
}

/** Stored events of sessions, with the times of the events. The Ozzie frames do not contain these times. */
export interface GatewayHistory {
	/**
	 * Returns all events of a session, oldest first. The events do not contain the tokens of questions. Omits event
	 * types of later versions.
	 */
	events(session: string, signal: AbortSignal): AsyncIterable<PastEvent>;
	/**
	 * Returns the times of some events after `after`, by `seq`, in milliseconds since the epoch. Returns an empty map
	 * after the last event.
	 */
	moments(session: string, after: number, signal: AbortSignal): Promise<ReadonlyMap<number, number>>;
}

export interface GatewayAddress {
	/** Address of the gateway: `http://HOST:PORT` or `ws://HOST:PORT/…`, with `https` or `wss` for TLS. */
	readonly url: string;
	readonly token?: string | undefined;
	readonly certificate?: string | undefined;
}

interface HttpRequest {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly headers?: Readonly<Record<string, string | number>>;
	readonly body?: Uint8Array;
	/** Maximum size of the response in bytes. */
	readonly maximum: number;
	readonly signal: AbortSignal;
}

interface Answered {
	readonly status: number;
	readonly body: Buffer;
}

const patienceMs = 120_000;
const maxWords = 65_536;
/** Maximum size in bytes of one page of events. */
const maxEvents = 64 * 1_048_576;
const eventLimits = { maxDepth: 256, maxNodes: 5_000_000 };

const codes: Readonly<Record<number, ErrorCode>> = {
	400: "invalid_argument",
	401: "unauthenticated",
	403: "permission_denied",
	404: "not_found",
	413: "invalid_argument",
	415: "invalid_argument",
	429: "unavailable",
	507: "resource_exhausted",
};

const Words = z.object({ error: z.string() });
const Events = z.array(z.object({ seq: z.number(), timestamp: z.exactOptional(z.string()) }));
const EventPage = z.array(
	z.object({
		session_id: z.string(),
		type: z.string(),
		seq: z.int().min(0),
		timestamp: z.exactOptional(z.string()),
		payload: z.record(z.string(), z.unknown()),
	}),
);

/**
 * Returns a client of the gateway's HTTP endpoints for files and events. The client uses the connector's token and
 * does not retry.
 */
export function openGatewayFiles(place: GatewayAddress): GatewayFiles & GatewayHistory {
	return {
		async upload({ name, bytes, key, signal }) {
			const path = `/api/files?name=${encodeURIComponent(name)}`;
			const headers = { "content-length": bytes.length, "idempotency-key": key };
			const post = { method: "POST", path, headers, body: bytes, maximum: maxWords, signal } as const;
			const { body } = await ask(place, post, 201);
			return readResponse(place, () => UploadedFile.parse(parseJson(body.toString())).file_id);
		},
		async download(fileId, maximum, signal) {
			const path = `/api/files/${encodeURIComponent(fileId)}`;
			return (await ask(place, { method: "GET", path, maximum, signal }, 200)).body;
		},
		async *events(session, signal) {
			for (let after = 0; ; ) {
				const page = await readEvents(place, { session, after, signal }, EventPage);
				const last = page.at(-1);
				if (last === undefined) return;
				yield* page.flatMap(toPastEvent);
				after = last.seq;
			}
		},
		async moments(session, after, signal) {
			const events = await readEvents(place, { session, after, signal }, Events);
			return new Map(
				events.flatMap(({ seq, timestamp }) => (timestamp ? [[seq, Date.parse(timestamp)]] : [])),
			);
		},
	};
}

async function readEvents<T>(
	place: GatewayAddress,
	{
		session,
		after,
		signal,
	}: { readonly session: string; readonly after: number; readonly signal: AbortSignal },
	schema: z.ZodType<T>,
): Promise<T> {
	const path = `/api/events?session=${encodeURIComponent(session)}&after=${after}&limit=1000`;
	const { body } = await ask(place, { method: "GET", path, maximum: maxEvents, signal }, 200);
	return readResponse(place, () => schema.parse(parseJson(body.toString(), eventLimits)));
}

function readResponse<T>({ url }: GatewayAddress, read: () => T): T {
	try {
		return read();
	} catch (cause) {
		const message = `the gateway at ${new URL(url).host} sent an invalid response: check that ${url} is a gateway of this version`;
		throw new ParleyError(message, { code: "internal", cause });
	}
}

function toPastEvent({
	session_id,
	type,
	seq,
	timestamp,
	payload,
}: z.output<typeof EventPage>[number]): PastEvent[] {
	// The history omits the tokens of questions, but the schema requires one.
	const completePayload = type.startsWith("prompt.") ? { ...payload, token: "" } : payload;
	const frame = { type: "event", event: type, session_id, payload: completePayload, seq } as const;
	return isOzzieEvent(frame) ? [{ event: frame, at: Date.parse(timestamp ?? "") || 0 }] : [];
}

async function ask(place: GatewayAddress, post: HttpRequest, expected: number): Promise<Answered> {
	const answered = await exchange(place, post);
	if (answered.status === expected) return answered;
	throw new ParleyError(wordsOf(answered), { code: codes[answered.status] ?? "unavailable" });
}

function wordsOf({ status, body }: Answered): string {
	try {
		return Words.parse(parseJson(body.toString())).error;
	} catch {
		return `the gateway did not complete the request: it answered with status ${status}; try again later`;
	}
}

function exchange({ url, token, certificate }: GatewayAddress, post: HttpRequest): Promise<Answered> {
	const target = new URL(post.path, url.replace(/^ws/, "http"));
	const signal = AbortSignal.any([post.signal, AbortSignal.timeout(patienceMs)]);
	const options: RequestOptions = {
		method: post.method,
		agent: false,
		signal,
		headers: {
			...post.headers,
			...defined({ authorization: token === undefined ? undefined : `Bearer ${token}` }),
		},
	};
	const { promise, resolve, reject } = Promise.withResolvers<Answered>();
	const failed = (cause: unknown): void => {
		const message = `the gateway at ${target.origin} did not answer: check that it is running`;
		if (cause instanceof ParleyError) reject(cause);
		else if (post.signal.aborted) reject(ParleyError.from(post.signal.reason));
		else reject(new ParleyError(message, { code: "unavailable", cause }));
	};
	const secure = target.protocol === "https:";
	const pinned = secure && certificate !== undefined ? pinnedTo(certificate) : {};
	const request = (secure ? secureRequest : plainRequest)(target, { ...options, ...pinned }, (response) => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		response.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			chunks.push(chunk);
			if (bytes <= post.maximum) return;
			const message = `the gateway at ${target.origin} sent more than ${post.maximum} bytes: check that this address is a gateway of this version`;
			response.destroy(new ParleyError(message, { code: "resource_exhausted" }));
		});
		response.on("error", failed);
		response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
	});
	request.on("error", failed);
	request.end(post.body);
	return promise;
}
