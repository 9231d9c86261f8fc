import type { ClientCall, ClientResult, ClientTool, Principal, Runtime, ToolConnection } from "@parley/core";

/** The client of a host. */
interface HostClient {
	/** The tools that it has registered. */
	readonly tools: () => readonly ClientTool[];
	/** Sends a call to it. Must not wait for the answer. */
	readonly request: (call: ClientCall) => void;
}

/** A client that runs tools for other sessions of its principal. */
export class Host {
	readonly #id: string;
	readonly #client: HostClient;
	/** Connections to sessions, each with its open calls. */
	readonly #connections = new Map<ToolConnection, Set<string>>();
	#isGone = false;

	constructor(id: string, client: HostClient) {
		this.#id = id;
		this.#client = client;
	}

	/**
	 * Offers the tools of the host in a session until the connection leaves. `calling` is called with each call. Throws as
	 * `ClientTools.connect` does.
	 */
	async connect(
		runtime: Pick<Runtime, "clientTools">,
		{ principal, sessionId, calling }: HostedSession,
	): Promise<ToolConnection> {
		const calls = new Set<string>();
		const connection = await runtime.clientTools.connect(principal, sessionId, {
			host: this.#id,
			request: (call) => {
				calls.add(call.callId);
				calling(call);
				this.#client.request(call);
			},
		});
		this.#connections.set(connection, calls);
		if (this.#isGone) this.disconnect(connection);
		else connection.register({ tools: this.#client.tools() });
		return connection;
	}

	/** Ends a connection: its open calls end as interrupted. */
	disconnect(connection: ToolConnection): void {
		this.#connections.delete(connection);
		connection.leave();
	}

	/** Takes an answer of the host; false if no other session made that call. */
	answer(callId: string, result: ClientResult): boolean {
		for (const [connection, calls] of this.#connections) {
			if (!calls.delete(callId)) continue;
			connection.answer(callId, result);
			return true;
		}
		return false;
	}

	/** The host has gone. */
	leave(): void {
		this.#isGone = true;
		for (const connection of [...this.#connections.keys()]) this.disconnect(connection);
	}
}

interface HostedSession {
	readonly principal: Principal;
	readonly sessionId: string;
	readonly calling: (call: ClientCall) => void;
}

/** The hosts that are connected, by their principal and id. A host that connects again takes the place of its old stream. */
export class Hosts {
	readonly #hosts = new Map<string, Host>();

	/** Returns what withdraws it. */
	declare(principal: Principal, id: string, host: Host): () => void {
		const key = keyOf(principal, id);
		this.#hosts.set(key, host);
		return () => {
			if (this.#hosts.get(key) === host) this.#hosts.delete(key);
			host.leave();
		};
	}

	find(principal: Principal, id: string): Host | undefined {
		return this.#hosts.get(keyOf(principal, id));
	}
}

function keyOf(principal: Principal, id: string): string {
	return JSON.stringify([principal.id, id]);
}
