import { ParleyError } from "@parley/base";
import type { ClientCall, ClientTool, Principal, Runtime, ToolConnection } from "@parley/core";
import type { PermissionRule, RegisterTools, ToolResult } from "../../../gen/roz/v1/agent.ts";
import { rozErrorTexts } from "../../../texts/wires/grpc.ts";
import { decodeResult, decodeTools } from "../codec.ts";
import { Host, type Hosts } from "./hosts.ts";

export interface SessionToolsOptions {
	readonly runtime: Runtime;
	readonly principal: Principal;
	readonly hosts: Hosts;
	/** Id of the host that the client of this stream provides for other sessions. */
	readonly ownHostId: string | undefined;
	/** Id of the host for the act phases of this session. The act phases use the tools of this host. */
	readonly hostId: string | undefined;
	readonly calling: (call: ClientCall) => void;
	readonly request: (call: ClientCall) => void;
}

/**
 * Tools of one stream: the tools of the stream's client, and the tools of the session's host. The client may itself
 * be a host for other sessions.
 */
export class SessionTools {
	readonly #options: SessionToolsOptions;
	readonly #sessionId: string;
	readonly #own: OwnTools;
	readonly #asHost: Host | undefined;
	readonly #withdraw: (() => void) | undefined;
	#hosted: { readonly host: Host; readonly connection: ToolConnection } | undefined;
	#run = "";
	/** Names of the session's tools that change nothing, according to the last call of `permissions`. */
	#pure: ReadonlySet<string> = new Set();
	#hasLeft = false;

	private constructor(sessionId: string, own: OwnTools, options: SessionToolsOptions) {
		this.#options = options;
		this.#sessionId = sessionId;
		this.#own = own;
		const { hosts, principal, ownHostId, request } = options;
		const { connection } = own;
		if (ownHostId === undefined || !connection) return;
		this.#asHost = new Host(ownHostId, { registered: () => connection.registered, request });
		this.#withdraw = hosts.declare(principal, ownHostId, this.#asHost);
	}

	/**
	 * Connects the client of the stream and registers its tools. Rejects with the errors of `ClientTools.connect` and
	 * `ToolConnection.register`. A client without tools needs no right to offer tools.
	 */
	static async open(
		sessionId: string,
		tools: readonly ClientTool[],
		options: SessionToolsOptions,
	): Promise<SessionTools> {
		const own = await connect(sessionId, options);
		try {
			if (tools.length > 0) requireConnection(own).register({ tools });
			return new SessionTools(sessionId, own, options);
		} catch (reason) {
			own.connection?.leave();
			throw reason;
		}
	}

	/** Returns one rule for each tool of the session, including the tools of a connected host. */
	async permissions(): Promise<readonly PermissionRule[]> {
		const { runtime, principal } = this.#options;
		// The tools of the host are offered under an id that belongs to no run, so that no run sees them meanwhile.
		const run = `permissions of ${this.#sessionId}`;
		await this.#connectHost(run);
		const tools = await runtime.toolPermissions(principal, this.#sessionId, run);
		this.#leaveHost();
		this.#pure = new Set(tools.flatMap(({ tool, isPure }) => (isPure ? [tool] : [])));
		return tools.map(({ tool, effect, isPure, reason }) => ({
			toolPattern: tool,
			policy: policies[effect],
			category: isPure ? "pure" : "physical",
			reason,
		}));
	}

	/**
	 * Registers the client's tools. Throws as `ToolConnection.register` does, or `permission_denied` if the client may
	 * not offer tools.
	 */
	register({ source = "", tools, systemContext = "" }: RegisterTools): void {
		requireConnection(this.#own).register({ source, tools: decodeTools(tools), systemContext });
	}

	offerInstead(run: string, tools: readonly ClientTool[] | undefined): void {
		this.#run = run;
		if (tools) requireConnection(this.#own).offerInstead(run, tools);
		else this.#own.connection?.offerInstead(run, undefined);
	}

	/**
	 * Prepares a turn. In OODA mode, offers the tools of the session's host, if there is one. Rejects with
	 * `unavailable` if this host is not connected.
	 */
	async beginTurn(mode: "react" | "ooda" | undefined): Promise<void> {
		const { hostId } = this.#options;
		if (mode !== "ooda" || hostId === undefined || (await this.#connectHost(this.#run))) return;
		throw new ParleyError(rozErrorTexts.noHost({ host: JSON.stringify(hostId) }), {
			code: "unavailable",
		});
	}

	endTurn(): void {
		this.#leaveHost();
		if (!this.#hasLeft) this.offerInstead("", undefined);
	}

	/** Whether calls of the tool change nothing. */
	isPure(tool: string): boolean {
		const connections = [this.#own.connection, this.#hosted?.connection];
		const offered = connections.flatMap((connection) => connection?.offeredTo(this.#run) ?? []);
		const last = offered.findLast(({ name }) => name === tool);
		return last ? last.effect === "none" : this.#pure.has(tool);
	}

	/**
	 * Handles an answer of the client. Returns false if the client is not a host and the answer belongs to no open call.
	 */
	answer(encoded: ToolResult): boolean {
		const result = decodeResult(encoded);
		if (this.#asHost?.answer(encoded.toolCallId, result)) return true;
		const isAnswer = this.#own.connection?.answer(encoded.toolCallId, result) ?? false;
		return isAnswer || this.#asHost !== undefined;
	}

	leave(): void {
		this.#hasLeft = true;
		this.#leaveHost();
		this.#withdraw?.();
		this.#own.connection?.leave();
	}

	/**
	 * Offers the tools of the session's host to a run. Resolves with false if the session has no host, or if the host
	 * is not connected.
	 */
	async #connectHost(run: string): Promise<boolean> {
		const { runtime, principal, hosts, hostId, calling } = this.#options;
		const host = hostId === undefined ? undefined : hosts.find(principal, hostId);
		if (!host) return false;
		const connection = await host.connect(runtime.clientTools, {
			principal,
			sessionId: this.#sessionId,
			run,
			calling,
		});
		if (this.#hasLeft) host.disconnect(connection);
		else this.#hosted = { host, connection };
		return true;
	}

	#leaveHost(): void {
		const hosted = this.#hosted;
		this.#hosted = undefined;
		hosted?.host.disconnect(hosted.connection);
	}
}

const policies = { allow: "allow", ask: "require_confirmation", deny: "block" } as const;

/**
 * Connection of the client's own tools. `refusal` is the reason why the client may not offer tools, for example in a
 * session of a chat channel.
 */
type OwnTools =
	| { readonly connection: ToolConnection }
	| { readonly connection: undefined; readonly refusal: ParleyError };

function requireConnection(own: OwnTools): ToolConnection {
	if (own.connection === undefined) throw own.refusal;
	return own.connection;
}

async function connect(
	sessionId: string,
	{ runtime, principal, calling, request }: SessionToolsOptions,
): Promise<OwnTools> {
	try {
		const connection = await runtime.clientTools.connect(principal, sessionId, {
			request: (call) => {
				calling(call);
				request(call);
			},
		});
		return { connection };
	} catch (reason) {
		const refusal = ParleyError.from(reason);
		if (refusal.code !== "permission_denied") throw reason;
		return { connection: undefined, refusal };
	}
}
