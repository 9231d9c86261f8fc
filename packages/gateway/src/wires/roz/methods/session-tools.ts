import { ParleyError } from "@parley/base";
import type { ClientCall, ClientTool, Principal, Runtime, ToolConnection } from "@parley/core";
import type { PermissionRule, RegisterTools, ToolResult } from "../../../gen/roz/v1/agent.ts";
import { decodeResult, decodeTools } from "../codec.ts";
import { Host, type Hosts } from "./hosts.ts";

export interface SessionToolsOptions {
	readonly runtime: Runtime;
	readonly principal: Principal;
	readonly hosts: Hosts;
	/** The host that the client of this stream is for other sessions. */
	readonly ownHostId: string | undefined;
	/** The host whose tools the act phases of this session use. */
	readonly hostId: string | undefined;
	/** Called with each call of the session. */
	readonly calling: (call: ClientCall) => void;
	/** Sends a call to the client of this stream. */
	readonly request: (call: ClientCall) => void;
}

/** The tools of one stream: those of its client, which may be a host as well, and those of the session's host. */
export class SessionTools {
	readonly #options: SessionToolsOptions;
	readonly #sessionId: string;
	/** The error of the core if the client may offer no tools in this session. */
	readonly #own: ToolConnection | ParleyError;
	/** The client of this stream as a host. */
	readonly #asHost: Host | undefined;
	readonly #withdraw: (() => void) | undefined;
	#hosted: { readonly host: Host; readonly connection: ToolConnection } | undefined;
	/** The correlation of the turn at work. */
	#run = "";
	/** Names of tools of the gateway and of the host whose calls change nothing. */
	#pure: ReadonlySet<string> = new Set();
	#hasLeft = false;

	private constructor(sessionId: string, own: ToolConnection | ParleyError, options: SessionToolsOptions) {
		this.#options = options;
		this.#sessionId = sessionId;
		this.#own = own;
		const { hosts, principal, ownHostId, request } = options;
		if (ownHostId === undefined || own instanceof ParleyError) return;
		this.#asHost = new Host(ownHostId, { registered: () => own.registered, request });
		this.#withdraw = hosts.declare(principal, ownHostId, this.#asHost);
	}

	/** Throws as `ClientTools.connect` and `ToolConnection.register` do; without tools, a client needs no right to offer some. */
	static async open(
		sessionId: string,
		tools: readonly ClientTool[],
		options: SessionToolsOptions,
	): Promise<SessionTools> {
		const own = await connect(sessionId, options);
		if (tools.length === 0) return new SessionTools(sessionId, own, options);
		if (own instanceof ParleyError) throw own;
		try {
			own.register({ tools });
			return new SessionTools(sessionId, own, options);
		} catch (reason) {
			own.leave();
			throw reason;
		}
	}

	/** One rule for each tool of the session, also for those of its host if that is connected. */
	async permissions(): Promise<readonly PermissionRule[]> {
		const { runtime, principal } = this.#options;
		// A correlation of its own: runs do not see the tools of the host meanwhile.
		const run = `permissions of ${this.#sessionId}`;
		await this.#connectHost(run);
		const tools = await runtime.toolPermissions(principal, this.#sessionId, run);
		this.#leaveHost();
		this.#pure = new Set(tools.flatMap(({ tool, isPure }) => (isPure ? [tool] : [])));
		return tools.map(({ tool, effect, isPure, reason }) => ({
			...{ toolPattern: tool, policy: policies[effect], category: isPure ? "pure" : "physical", reason },
		}));
	}

	/** Throws as `ToolConnection.register` does. */
	register({ source = "", tools, systemContext = "" }: RegisterTools): void {
		this.#requireOwn().register({ source, tools: decodeTools(tools), systemContext });
	}

	/** See `ToolConnection.offerInstead`. */
	offerInstead(run: string, tools: readonly ClientTool[] | undefined): void {
		this.#run = run;
		if (tools || !(this.#own instanceof ParleyError)) this.#requireOwn().offerInstead(run, tools);
	}

	/** Call it before a turn. In OODA it offers the tools of the host; throws `unavailable` if the host is not connected. */
	async beginTurn(mode: "react" | "ooda" | undefined): Promise<void> {
		const { hostId } = this.#options;
		if (mode !== "ooda" || hostId === undefined || (await this.#connectHost(this.#run))) return;
		const how = "connect its client with the metadata parley-host-id";
		throw new ParleyError(`host_id: the host ${JSON.stringify(hostId)} is not connected: ${how}`, {
			code: "unavailable",
		});
	}

	endTurn(): void {
		this.#leaveHost();
		if (!this.#hasLeft) this.offerInstead("", undefined);
	}

	/** Whether calls of the tool change nothing. */
	isPure(tool: string): boolean {
		const own = this.#own instanceof ParleyError ? [] : this.#own.offeredTo(this.#run);
		const offered = [...own, ...(this.#hosted?.connection.offeredTo(this.#run) ?? [])];
		const last = offered.findLast(({ name }) => name === tool);
		return last ? last.effect === "none" : this.#pure.has(tool);
	}

	/** Takes an answer of the client. Returns false if it answers no open call, unless the client is a host. */
	answer(given: ToolResult): boolean {
		const result = decodeResult(given);
		if (this.#asHost?.answer(given.toolCallId, result)) return true;
		if (this.#own instanceof ParleyError) return false;
		return this.#own.answer(given.toolCallId, result) || this.#asHost !== undefined;
	}

	leave(): void {
		this.#hasLeft = true;
		this.#leaveHost();
		this.#withdraw?.();
		if (!(this.#own instanceof ParleyError)) this.#own.leave();
	}

	#requireOwn(): ToolConnection {
		if (this.#own instanceof ParleyError) throw this.#own;
		return this.#own;
	}

	/** Returns false if the session has no host, or the host is not connected. */
	async #connectHost(run: string): Promise<boolean> {
		const { runtime, principal, hosts, hostId, calling } = this.#options;
		const host = hostId === undefined ? undefined : hosts.find(principal, hostId);
		if (!host) return false;
		const connection = await host.connect(runtime, { principal, sessionId: this.#sessionId, run, calling });
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

/** Connects the client of the stream. Returns the error if it may offer no tools, as in the session of a chat channel. */
async function connect(
	sessionId: string,
	{ runtime, principal, calling, request }: SessionToolsOptions,
): Promise<ToolConnection | ParleyError> {
	try {
		return await runtime.clientTools.connect(principal, sessionId, {
			request: (call) => {
				calling(call);
				request(call);
			},
		});
	} catch (reason) {
		const error = ParleyError.from(reason);
		if (error.code !== "permission_denied") throw reason;
		return error;
	}
}
