import type { ClientCall, ClientResult, Principal, Runtime, ToolConnection } from "@parley/core";

interface HostClient {
	readonly registered: () => ToolConnection["registered"];
	/** Sends a call without waiting for the answer. */
	readonly request: (call: ClientCall) => void;
}

/** A client that runs tools for other sessions of its principal. */
export class Host {
	readonly #id: string;
	readonly #client: HostClient;
	readonly #connections = new Set<ToolConnection>();
	/**
	 * Calls that were sent to the host, by their ids on the host. The ids are changed for the host, because calls of
	 * two sessions can have the same id.
	 */
	readonly #calls = new Map<string, { readonly callId: string; readonly connection: ToolConnection }>();
	#isClosed = false;

	constructor(id: string, client: HostClient) {
		this.#id = id;
		this.#client = client;
	}

	/**
	 * Offers the tools of the host to one run of a session until the connection leaves. If the host has left, the
	 * connection ends at once. `calling` is called with each call. Rejects as `ClientTools.connect` does.
	 */
	async connect(
		clientTools: Runtime["clientTools"],
		{ principal, sessionId, run, calling }: HostedSession,
	): Promise<ToolConnection> {
		const connection = await clientTools.connect(principal, sessionId, {
			host: this.#id,
			request: (call) => {
				calling(call);
				const hostCallId = `${call.callId}@${sessionId}`;
				this.#calls.set(hostCallId, { callId: call.callId, connection });
				this.#client.request({ ...call, callId: hostCallId });
			},
		});
		this.#connections.add(connection);
		if (this.#isClosed) this.disconnect(connection);
		else {
			const { tools, guidance } = this.#client.registered();
			connection.offerInstead(run, tools, guidance);
		}
		return connection;
	}

	/** Ends a connection. The open calls of the connection end as interrupted. */
	disconnect(connection: ToolConnection): void {
		this.#connections.delete(connection);
		for (const [id, call] of this.#calls) if (call.connection === connection) this.#calls.delete(id);
		connection.leave();
	}

	/** Handles an answer of the host. Returns false if the answer belongs to no open call that was sent to the host. */
	answer(hostCallId: string, result: ClientResult): boolean {
		const call = this.#calls.get(hostCallId);
		this.#calls.delete(hostCallId);
		return call?.connection.answer(call.callId, result) ?? false;
	}

	leave(): void {
		this.#isClosed = true;
		for (const connection of [...this.#connections]) this.disconnect(connection);
	}
}

interface HostedSession {
	readonly principal: Principal;
	readonly sessionId: string;
	readonly run: string;
	readonly calling: (call: ClientCall) => void;
}

/**
 * Connected hosts by principal and id. If several streams declare the same id, the last of these streams is the host.
 */
export class Hosts {
	readonly #hosts = new Map<string, readonly Host[]>();

	/** Declares a host. Returns the function that withdraws the host. */
	declare(principal: Principal, id: string, host: Host): () => void {
		const key = keyOf(principal, id);
		this.#hosts.set(key, [...(this.#hosts.get(key) ?? []), host]);
		return () => {
			const others = this.#hosts.get(key)?.filter((one) => one !== host) ?? [];
			if (others.length > 0) this.#hosts.set(key, others);
			else this.#hosts.delete(key);
			host.leave();
		};
	}

	find(principal: Principal, id: string): Host | undefined {
		return this.#hosts.get(keyOf(principal, id))?.at(-1);
	}
}

function keyOf(principal: Principal, id: string): string {
	return JSON.stringify([principal.id, id]);
}
