import { ParleyError } from "@parley/base";
import type { ClientCall, HistoryMessage, Keyed, Principal, Runtime, SessionEvent } from "@parley/core";
import type { PermissionRule, StartSession } from "../../../gen/roz/v1/agent.ts";
import { SessionView } from "../../view/session-view.ts";
import { decode, decodeHistory, decodeTools } from "../codec.ts";
import { Start } from "../schema.ts";
import type { Hosts } from "./hosts.ts";
import { SessionTools } from "./session-tools.ts";

/** A session of a stream, ready for messages. */
export interface StartedSession {
	readonly view: SessionView;
	readonly tools: SessionTools;
	/** One rule for each tool. */
	readonly permissions: readonly PermissionRule[];
	/** The real name of the model that answers. */
	readonly model: string;
	/** Whether the model reads pictures. */
	readonly seesPictures: boolean;
	/** Instructions for every turn. */
	readonly system: readonly string[];
	readonly contextTokens: number | undefined;
}

export interface StartParts {
	readonly runtime: Runtime;
	readonly principal: Principal;
	/** For the id of a new session. */
	readonly newId: () => string;
	/** The session to continue, as the metadata `parley-session-id` names it. */
	readonly resumed: string | undefined;
	readonly deliver: (event: SessionEvent) => void;
	readonly hosts: Hosts;
	/** The host that the client is for other sessions, as the metadata `parley-host-id` names it. */
	readonly ownHostId: string | undefined;
	/** Called with each call of a tool of a client in the session. */
	readonly calling: (call: ClientCall) => void;
	/** Sends a call to the client. */
	readonly request: (call: ClientCall) => void;
}

/**
 * Opens the session of a stream: a new one, or that which the client continues. Throws `invalid_argument` or `not_found`
 * for what a client can correct; then no session is left behind.
 */
export async function startSession(command: StartSession, parts: StartParts): Promise<StartedSession> {
	const { runtime, principal, resumed, deliver } = parts;
	const start = decode(Start, command);
	const { messages, system } = decodeHistory(command.history);
	const id = resumed ?? (await create(start, messages, parts));
	const view = await SessionView.join(runtime, id, {
		...{ principal, deliver, drained: () => Promise.resolve() },
	});
	let tools: SessionTools | undefined;
	try {
		tools = await SessionTools.open(id, decodeTools(command.tools), {
			...parts,
			hostId: start.hostId || undefined,
		});
		const wanted = start.model || view.model;
		const model = await view.setModel(asked(principal), wanted ?? "default");
		const permissions = await tools.permissions();
		await view.begin();
		return {
			...{ view, tools, model, permissions },
			seesPictures: runtime.models(principal).find(({ id }) => id === model)?.images ?? true,
			system: [...start.projectContext, ...system],
			contextTokens: start.maxContextTokens,
		};
	} catch (reason) {
		tools?.leave();
		await view.leave();
		if (resumed === undefined) await runtime.remove(asked(principal), id, false);
		throw reason;
	}
}

async function create(
	start: Start,
	history: readonly HistoryMessage[],
	{ runtime, principal, newId }: StartParts,
): Promise<string> {
	const profile = await agentOf(start.environmentId, runtime, principal);
	const { id } = await SessionView.create(runtime, asked(principal), {
		...{ id: newId(), history },
		...(profile !== undefined && { profile }),
	});
	return id;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The agent of an environment: existing clients name none, "default", or the UUID of one elsewhere. */
async function agentOf(
	environment: string,
	runtime: Runtime,
	principal: Principal,
): Promise<string | undefined> {
	if (["", "default"].includes(environment) || uuid.test(environment)) return undefined;
	const { profiles } = await runtime.agents(principal);
	if (profiles.some(({ name }) => name === environment)) return environment;
	const known = profiles.map(({ name }) => name).join(", ");
	throw new ParleyError(
		`environment_id: there is no agent ${JSON.stringify(environment)}; there are: ${known}`,
		{ code: "invalid_argument" },
	);
}

function asked(principal: Principal): Keyed {
	return { principal, key: undefined, method: "StartSession", params: undefined };
}
