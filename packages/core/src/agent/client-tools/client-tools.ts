import { createHash } from "node:crypto";
import { type Clock, type Ids, type Logger, ParleyError } from "@parley/base";
import * as z from "zod";
import type { TextRedactor } from "../../text/session-redactor.ts";
import { visible } from "../../text/visible.ts";
import type { Action } from "../../vocabulary/authorize.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { clientRuleName, defineTool, type Tool } from "../../vocabulary/tool.ts";
import { type ClientCall, ClientCalls, type ClientResult } from "./client-calls.ts";
import {
	type CheckedTool,
	type ClientTool,
	clientToolLimits,
	invalidRegistration,
	loadToolCheck,
	type ToolCheck,
	type ToolRegistration,
} from "./registration.ts";
import { clientCallTexts, registrationTexts, toolClientTexts } from "./texts.ts";

/** Port to a client that runs tools for a session. Each wire implements this interface. */
export interface ToolClient {
	/** Host id, if the client is connected to run tools for other clients' sessions. Approvers see the id. */
	readonly host?: string;
	/** Sends the call to the client and returns immediately. `ToolConnection.answer` receives the answer. */
	request(call: ClientCall): void;
}

/** Tools and guidance that the clients of a session offer to a run. */
export interface OfferedTools {
	/** Same array object until the tools change. */
	readonly tools: readonly Tool[];
	/** Text that the clients add to the system prompt. */
	readonly guidance: readonly Guidance[];
}

/** System prompt text from one source of a client. `tools`: names of the tools that the text describes. */
export interface Guidance {
	readonly text: string;
	readonly tools: readonly string[];
}

interface ToolSession {
	readonly id: string;
	readonly place: string | undefined;
	readonly removed: boolean;
}

interface ClientToolsDeps extends ConnectionServices {
	/** Leases a session for the principal: see `Sessions.lease`. */
	readonly lease: (
		principal: Principal,
		sessionId: string,
		action: Action,
	) => Promise<Disposable & { readonly session: ToolSession }>;
}

/** Maximum clients of one session at a time. */
const maxClients = 16;

/**
 * Manages the tools that connected clients run. Each connection belongs to one session. A client's tool hides a gateway
 * tool of the same name. Policy rules name a client's tool `client:NAME`. A run gets the tools that are offered when
 * the run starts to work. Registrations are in memory only: after a restart, clients must register again.
 */
export class ClientTools {
	readonly #deps: ClientToolsDeps;
	readonly #connections = new Map<string, ToolConnection[]>();
	/** Outer key: session. Inner key: correlation of a run that has its own tools, or "" for all other runs. */
	readonly #offered = new Map<string, Map<string, OfferedTools | undefined>>();
	#check: Promise<ToolCheck> | undefined;

	constructor(deps: ClientToolsDeps) {
		this.#deps = deps;
	}

	/**
	 * Connects a client that runs tools in a session. The client offers no tools before its first registration. Throws
	 * `not_found` or `permission_denied` for a session that the principal may not use, and `permission_denied` in a
	 * session of a chat channel. Throws `resource_exhausted` if the session has too many clients.
	 */
	async connect(principal: Principal, sessionId: string, client: ToolClient): Promise<ToolConnection> {
		this.#check ??= loadToolCheck();
		const check = await this.#check;
		const lease = await this.#deps.lease(principal, sessionId, "client_tools.register");
		try {
			const { place } = lease.session;
			if (place !== undefined) {
				const message = toolClientTexts.operatorChooses(sessionId, place);
				throw new ParleyError(message, { code: "permission_denied" });
			}
			const others = this.#connections.get(sessionId) ?? [];
			if (others.length >= maxClients) {
				const message = toolClientTexts.tooManyClients(maxClients, sessionId);
				throw new ParleyError(message, { code: "resource_exhausted" });
			}
			const connection = new ToolConnection({ ...this.#deps, check }, client, {
				changed: () => this.#offered.delete(sessionId),
				left: () => {
					this.#remove(sessionId, connection);
					lease[Symbol.dispose]();
				},
			});
			this.#connections.set(sessionId, [...others, connection]);
			return connection;
		} catch (reason) {
			lease[Symbol.dispose]();
			throw reason;
		}
	}

	/**
	 * Returns the tools and guidance that all clients of a session offer to the run with `correlation`. Returns undefined
	 * if no client offers a tool to that run. If two clients offer tools with the same name, the client that connected
	 * later provides the tool.
	 */
	of(sessionId: string, correlation = ""): OfferedTools | undefined {
		const connections = this.#connections.get(sessionId);
		if (!connections) return undefined;
		const run = connections.some((one) => one.offersInstead(correlation)) ? correlation : "";
		const known = this.#offered.get(sessionId) ?? new Map<string, OfferedTools | undefined>();
		this.#offered.set(sessionId, known);
		if (!known.has(run)) known.set(run, offeredBy(connections, run));
		return known.get(run);
	}

	#remove(sessionId: string, connection: ToolConnection): void {
		const others = (this.#connections.get(sessionId) ?? []).filter((one) => one !== connection);
		if (others.length > 0) this.#connections.set(sessionId, others);
		else this.#connections.delete(sessionId);
		this.#offered.delete(sessionId);
	}
}

function offeredBy(connections: readonly ToolConnection[], run: string): OfferedTools | undefined {
	const tools = connections.flatMap((connection) => connection.offeredTo(run));
	if (tools.length === 0) return undefined;
	const byName = new Map(tools.map((tool) => [tool.name, tool]));
	const guidance = connections.flatMap((connection) => connection.guidanceFor(run));
	return { tools: [...byName.values()], guidance };
}

/** A tool, its registration, and the source that owns the tool. `source` is "" if the registration names no source. */
interface Owned {
	readonly source: string;
	readonly checked: CheckedTool;
	readonly tool: Tool;
}

interface ConnectionServices {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly redactor: TextRedactor;
}

interface ConnectionDeps extends ConnectionServices {
	readonly check: ToolCheck;
}

interface Listener {
	/** Handles each change of the offered tools. */
	changed(): void;
	/** Handles the end of the connection. Called once. */
	left(): void;
}

/** Connection between one session and a client that runs tools for this session. Ends when the client leaves. */
export class ToolConnection {
	readonly #deps: ConnectionDeps;
	readonly #client: ToolClient;
	readonly #listener: Listener;
	readonly #id: string;
	readonly #calls: ClientCalls;
	#tools: readonly Owned[] = [];
	readonly #contexts = new Map<string, string>();
	/** Tools that replace the client's registered tools in one run. */
	#instead: (OfferedTools & { readonly run: string }) | undefined;

	constructor(deps: ConnectionDeps, client: ToolClient, listener: Listener) {
		this.#deps = deps;
		this.#client = client;
		this.#listener = listener;
		this.#id = deps.ids.create("client");
		this.#calls = new ClientCalls(deps.clock);
	}

	offeredTo(run: string): readonly Tool[] {
		return this.#insteadFor(run)?.tools ?? this.#tools.map(({ tool }) => tool);
	}

	offersInstead(run: string): boolean {
		return this.#insteadFor(run) !== undefined;
	}

	/** Returns the client's registered tools and guidance, for another connection to the same client. */
	get registered(): { readonly tools: readonly ClientTool[]; readonly guidance: readonly Guidance[] } {
		const tools = this.#tools.map(({ checked: { name, description, schema, timeoutMs, isPure } }) => {
			const category: ClientTool["category"] = isPure ? "pure" : "physical";
			return { name, description, parameters: schema, timeoutMs, category };
		});
		return { tools, guidance: this.guidanceFor("") };
	}

	/**
	 * Returns the guidance of all sources for the run with the correlation `run`. Each text is a part of the system
	 * prompt.
	 */
	guidanceFor(run: string): readonly Guidance[] {
		const instead = this.#insteadFor(run);
		const own = [...this.#contexts].map(([source, context]) => {
			const tools =
				instead?.tools ?? this.#tools.filter((one) => one.source === source).map(({ tool }) => tool);
			const text = `${openTag(source)}\n${context}\n${closeTag}`;
			return { text, tools: tools.map(({ name }) => name) };
		});
		return [...own, ...(instead?.guidance ?? [])];
	}

	/**
	 * Returns the number of answers that named no open call: late, repeated or unknown. Such answers have no
	 * effect.
	 */
	get ignored(): number {
		return this.#calls.ignored;
	}

	/**
	 * Changes the tools that the client offers to later runs. Throws `invalid_argument` with the reason and changes
	 * nothing if the source or a tool is invalid, or a limit is exceeded. Throws `failed_precondition` after the client
	 * has left.
	 */
	register({ source: named = "", tools, systemContext = "" }: ToolRegistration): void {
		this.#requireOpen();
		const { check } = this.#deps;
		const source = check.source(named);
		const added = check.tools(tools).map((checked) => this.#own(source, checked));
		const names = new Set(added.map(({ checked }) => checked.name));
		const others = this.#tools.filter((one) => !names.has(one.checked.name) && !isOwnedBy(one, source));
		const all = [...others, ...added];
		requireRoom(all);
		const context = this.#context(source, systemContext);
		this.#tools = all;
		if (context !== "") this.#contexts.set(source, context);
		else if (source !== "" || systemContext !== "") this.#contexts.delete(source);
		const owners = new Set(all.map((one) => one.source));
		for (const owner of [...this.#contexts.keys()]) if (!owners.has(owner)) this.#contexts.delete(owner);
		this.#listener.changed();
	}

	/**
	 * Offers only `tools` to the run with the correlation `run`, until this method is called again. If `tools` is
	 * undefined, that run gets the registered tools again. Other runs always get the registered tools. `guidance` is from
	 * another connection to the same client. Throws in the same cases as `register`.
	 */
	offerInstead(
		run: string,
		tools: readonly ClientTool[] | undefined,
		guidance: readonly Guidance[] = [],
	): void {
		this.#requireOpen();
		const checked = tools && this.#deps.check.tools(tools).map((one) => this.#own("", one));
		if (checked) requireRoom(checked);
		this.#instead = checked && { run, tools: checked.map(({ tool }) => tool), guidance };
		this.#listener.changed();
	}

	/** Answers an open call. Returns false, and counts the answer as ignored, if the call is not open. */
	answer(callId: string, result: ClientResult): boolean {
		const accepted = this.#calls.answer(callId, result);
		if (!accepted) this.#deps.log.debug(toolClientTexts.answerIgnored, { callId, client: this.#id });
		return accepted;
	}

	/** Ends the open calls as interrupted and withdraws the tools. Called when the client disconnects. */
	leave(): void {
		if (this.#calls.isClosed) return;
		this.#calls.close();
		this.#tools = [];
		this.#instead = undefined;
		this.#contexts.clear();
		const { ignored } = this;
		if (ignored > 0) this.#deps.log.info(toolClientTexts.answersIgnored, { client: this.#id, ignored });
		this.#listener.left();
	}

	#insteadFor(run: string): OfferedTools | undefined {
		return this.#instead?.run === run ? this.#instead : undefined;
	}

	#requireOpen(): void {
		if (!this.#calls.isClosed) return;
		throw new ParleyError(toolClientTexts.clientDisconnected, { code: "failed_precondition" });
	}

	#context(source: string, text: string): string {
		const { contextLength } = clientToolLimits;
		if (text.length > contextLength) {
			throw invalidRegistration(registrationTexts.longContext(source, text.length, contextLength));
		}
		// The text must not contain the tag that ends the client's part of the prompt.
		const clean = this.#deps.redactor.into("instructions").redact(text.toWellFormed()).trim();
		return clean.replaceAll(closeTag, "");
	}

	#own(source: string, checked: CheckedTool): Owned {
		const sink = this.#deps.redactor.into("instructions");
		const description = sink.redact(checked.description);
		// The cast is safe because the redaction of an object returns an object.
		const schema = sink.redactFields(checked.schema) as CheckedTool["schema"];
		const tool = this.#toolOf({ ...checked, description, schema });
		return { source, checked, tool };
	}

	#toolOf(checked: CheckedTool): Tool {
		const { name, description, schema, timeoutMs, isPure } = checked;
		const { host } = this.#client;
		const where = host === undefined ? toolClientTexts.onClient : toolClientTexts.onHost(visible(host));
		const facts = JSON.stringify([description, schema, timeoutMs, isPure]);
		const binding = { client: this.#id, tool: createHash("sha256").update(facts).digest("hex") };
		return defineTool({
			name,
			ruleName: clientRuleName(name),
			// The description does not tell the model that a client runs the tool.
			description,
			parameters: () => z.record(z.string(), z.unknown()),
			schema: () => schema,
			effect: isPure ? "none" : "effectful",
			usual: ["client"],
			plan: async (args) => {
				this.#requireOffered(name);
				const label = `${name} ${visible(JSON.stringify(args))}`;
				return { label, classes: ["client"], preview: "", binding, notes: [where] };
			},
			run: (args, _plan, { callId, signal }) => {
				const call = { callId, name, arguments: args, timeoutMs };
				return this.#calls.run(call, (one) => this.#client.request(one), signal);
			},
		});
	}

	#requireOffered(name: string): void {
		if (!this.#calls.isClosed) return;
		throw new ParleyError(clientCallTexts.disconnected(name), { code: "unavailable" });
	}
}

function isOwnedBy({ source: owner, checked: { name } }: Owned, source: string): boolean {
	return source !== "" && (owner === source || name.startsWith(`${source}__`));
}

function requireRoom(all: readonly Owned[]): void {
	const { tools, allSchemaBytes } = clientToolLimits;
	if (all.length > tools) {
		throw invalidRegistration(registrationTexts.tooManyOfClient(all.length, tools));
	}
	const bytes = all.reduce((sum, { checked }) => sum + Buffer.byteLength(JSON.stringify(checked.schema)), 0);
	if (bytes > allSchemaBytes) {
		throw invalidRegistration(registrationTexts.largeSchemas(bytes, allSchemaBytes));
	}
}

const closeTag = "</client-tools>";

function openTag(source: string): string {
	return source === "" ? "<client-tools>" : `<client-tools source="${source}">`;
}
