import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { ShownEvent } from "../client/past-events.ts";
import { followEvents } from "./print-events.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

class Stub implements AsyncDisposable {
	readonly requests: { readonly url: string | undefined; readonly lastId: unknown }[] = [];
	readonly #server: Server;

	private constructor(answers: Answer[]) {
		this.#server = createServer((request, response) => {
			this.requests.push({ url: request.url, lastId: request.headers["last-event-id"] });
			const answer = answers.shift();
			if (answer) answer(request, response);
			else response.destroy();
		});
	}

	static async open(...answers: Answer[]): Promise<Stub> {
		const stub = new Stub(answers);
		stub.#server.listen(0, "127.0.0.1");
		await once(stub.#server, "listening");
		return stub;
	}

	get url(): string {
		// A server that listens on a port has an address of this form.
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		this.#server.close();
		await once(this.#server, "close");
	}
}

const head = (response: ServerResponse): void => {
	response.writeHead(200, { "content-type": "text/event-stream", "last-event-id": "3" }).flushHeaders();
};
const event = (id: number, type = "user.message"): string =>
	`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, session_id: "s", payload: {}, seq: id })}\n\n`;

interface Followed {
	readonly seen: number[];
	readonly states: string[];
	readonly clock: ManualClock;
	readonly stop: AbortController;
	readonly done: Promise<void>;
	until(count: number): Promise<void>;
	change(): Promise<string>;
}

function follow(stub: Stub, query = "limit=10"): Followed {
	const clock = new ManualClock();
	const stop = new AbortController();
	const seen: number[] = [];
	const states: string[] = [];
	let next = Promise.withResolvers<void>();
	let changed = Promise.withResolvers<string>();
	const done = followEvents({
		clock,
		signal: stop.signal,
		query: new URLSearchParams(query),
		find: async () => ({ url: stub.url }),
		onEvent: ({ seq }: ShownEvent) => {
			seen.push(seq);
			next.resolve();
			next = Promise.withResolvers();
		},
		onState: (state) => {
			states.push(state);
			changed.resolve(state);
			changed = Promise.withResolvers();
		},
	});
	const until = async (count: number): Promise<void> => {
		while (seen.length < count) await next.promise;
	};
	return { seen, states, clock, stop, done, until, change: () => changed.promise };
}

test("passes events on, and continues after the last event when a connection is restored", async () => {
	await using stub = await Stub.open(
		(_request, response) => {
			head(response);
			response.write(`id: 3\nretry: 1000\n\n${event(4)}:\n\n${event(5).slice(0, 20)}`);
			setImmediate(() => response.write(event(5).slice(20), () => response.destroy()));
		},
		(_request, response) => {
			head(response);
			response.write(event(6));
		},
	);
	const followed = follow(stub);
	const lost = followed.change();
	await followed.until(2);
	await lost;
	const back = followed.change();
	followed.clock.advance(500);
	expect(await back).toBe("back");
	await followed.until(3);
	expect(followed.seen).toEqual([4, 5, 6]);
	expect(stub.requests).toEqual([
		{ url: "/api/events?limit=10", lastId: undefined },
		{ url: "/api/events?limit=10", lastId: "5" },
	]);
	followed.stop.abort();
	await followed.done;
	expect(followed.states).toEqual(["lost", "back"]);
});

test("continues from its start if the connection is lost before the first event", async () => {
	await using stub = await Stub.open(
		(_request, response) => {
			head(response);
			setImmediate(() => response.destroy());
		},
		(_request, response) => head(response),
	);
	const followed = follow(stub);
	expect(await followed.change()).toBe("lost");
	const back = followed.change();
	followed.clock.advance(500);
	await back;
	expect(stub.requests.map(({ lastId }) => lastId)).toEqual([undefined, "3"]);
	followed.stop.abort();
	await followed.done;
});

test("connects again if the gateway is silent", async () => {
	await using stub = await Stub.open((_request, response) => {
		head(response);
		response.write(event(4));
	});
	const followed = follow(stub);
	await followed.until(1);
	const lost = followed.change();
	followed.clock.advance(45_000);
	expect(await lost).toBe("lost");
	followed.stop.abort();
	await followed.done;
});

test("ends with the error of the gateway if it refuses the request", async () => {
	await using stub = await Stub.open((_request, response) => {
		response.writeHead(404).end('{"error":"session not found: s"}');
	});
	await expect(follow(stub).done).rejects.toMatchObject({
		code: "not_found",
		message: "session not found: s",
	});
	await using other = await Stub.open((_request, response) =>
		response.writeHead(503).end('{"error":"draining"}'),
	);
	await expect(follow(other).done).rejects.toMatchObject({ message: "draining" });
});

test("ends if the followed session is deleted", async () => {
	await using stub = await Stub.open((_request, response) => {
		head(response);
		response.end(event(4, "session.deleted"));
	});
	await follow(stub, "session=s").done;
	expect(stub.requests).toHaveLength(1);
});
