import { defined, ParleyError } from "@parley/base";
import type { ClientCall, HistoryMessage, Keyed, Principal, Runtime, SessionEvent } from "@parley/core";
import type { PermissionRule, StartSession } from "../../../gen/roz/v1/agent.ts";
import { rozErrorTexts } from "../../../texts/wires/grpc.ts";
import { SessionView } from "../../view/session-view.ts";
import { decode, decodeHistory, decodeTools } from "../codec.ts";
import { maxInstructions, SessionStart } from "../schema.ts";
import type { Hosts } from "./hosts.ts";
import { SessionTools } from "./session-tools.ts";

export interface CurrentModel {
	readonly name: string;
	/** Whether the model reads images. True for an unlisted model. */
	readonly readsImages: boolean;
}

export interface StartedSession {
	readonly view: SessionView;
	readonly tools: SessionTools;
	/** Real name of the model at the start. */
	readonly model: string;
	/** Returns the model of the next run. Other clients of the session can change this model. */
	readonly currentModel: () => CurrentModel;
	readonly system: readonly string[];
	readonly contextTokens: number | undefined;
	readonly permissions: readonly PermissionRule[];
	/** Leaves the session. Also removes the session if it is new. */
	readonly discard: () => Promise<void>;
}

export interface StartParts {
	readonly runtime: Runtime;
	readonly principal: Principal;
	readonly newId: () => string;
	/** Id of the session to continue, from the metadata `parley-session-id`. */
	readonly resumed: string | undefined;
	readonly deliver: (event: SessionEvent) => void;
	readonly hosts: Hosts;
	/** Id of the host that the client provides for other sessions, from the metadata `parley-host-id`. */
	readonly ownHostId: string | undefined;
	/** Receives each client tool call of the session. */
	readonly calling: (call: ClientCall) => void;
	readonly request: (call: ClientCall) => void;
}

/**
 * Opens the session of a stream: a new session, or the session that the client continues. Rejects with
 * `invalid_argument` or `not_found` for a request that the client can correct. After a rejection, no new session
 * remains.
 */
export async function startSession(command: StartSession, parts: StartParts): Promise<StartedSession> {
	const { runtime, principal, resumed, deliver } = parts;
	const start = decode(SessionStart, command);
	const { messages, system } = decodeHistory(command.history);
	const instructions = [...start.projectContext, ...system];
	checkInstructions(instructions);
	const id = resumed ?? (await create(start, messages, parts));
	await using undo = new AsyncDisposableStack();
	if (resumed === undefined) undo.defer(() => runtime.remove(keyed(principal), id, false));
	const view = await SessionView.join(runtime, id, {
		principal,
		deliver,
		drained: () => Promise.resolve(),
	});
	undo.defer(() => view.leave());
	const tools = await SessionTools.open(id, decodeTools(command.tools), {
		...parts,
		hostId: start.hostId || undefined,
	});
	undo.defer(() => tools.leave());
	const permissions = await tools.permissions();
	const model = await view.setModel(keyed(principal), start.model || view.model || "default");
	const defaultModel = await runtime.modelOf(principal, { profile: view.profile });
	await view.begin();
	const opened = undo.move();
	return {
		view,
		tools,
		model,
		permissions,
		discard: () => opened.disposeAsync(),
		currentModel: () => {
			const name = view.model ?? defaultModel;
			const known = runtime.models(principal).find(({ id }) => id === name);
			return { name, readsImages: known?.images ?? true };
		},
		system: instructions,
		contextTokens: start.maxContextTokens,
	};
}

function checkInstructions(texts: readonly string[]): void {
	const { length } = texts.join("\n\n");
	if (length <= maxInstructions) return;
	const message = rozErrorTexts.longContext({ length, max: maxInstructions });
	throw new ParleyError(message, { code: "invalid_argument" });
}

async function create(
	start: SessionStart,
	messages: readonly HistoryMessage[],
	{ runtime, principal, newId }: StartParts,
): Promise<string> {
	const profile = await agentOf(start.environmentId, runtime, principal);
	const model = await runtime.modelOf(principal, defined({ profile, model: start.model || undefined }));
	// The protocol does not state which model wrote a thought. The model of the session is assumed, because only the
	// model that wrote a thought can use the thought.
	const history = messages.map((one) => (one.role === "assistant" ? { ...one, model } : one));
	const requested = defined({ id: newId(), history, profile });
	return (await SessionView.create(runtime, keyed(principal), requested)).id;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the name of the agent, or undefined for the default agent. Existing clients send no environment, "default",
 * or the UUID of an environment on another server.
 */
async function agentOf(
	environment: string,
	runtime: Runtime,
	principal: Principal,
): Promise<string | undefined> {
	if (["", "default"].includes(environment) || uuid.test(environment)) return undefined;
	const { profiles } = await runtime.agents(principal);
	if (profiles.some(({ name }) => name === environment)) return environment;
	const known = profiles.map(({ name }) => name).join(", ");
	throw new ParleyError(rozErrorTexts.noAgent({ agent: JSON.stringify(environment), known }), {
		code: "invalid_argument",
	});
}

function keyed(principal: Principal): Keyed {
	return { principal, key: undefined, method: "StartSession", params: undefined };
}
