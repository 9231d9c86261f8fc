import { ParleyError } from "@parley/base";
import type {
	HistoryMessage,
	Keyed,
	Principal,
	Runtime,
	SessionEvent,
	ToolClient,
	ToolConnection,
} from "@parley/core";
import type { PermissionRule, StartSession } from "../../../gen/roz/v1/agent.ts";
import { SessionView } from "../../view/session-view.ts";
import { decode, decodeHistory, decodeTools } from "../codec.ts";
import { Start } from "../schema.ts";

/** A session of a stream, ready for messages. */
export interface StartedSession {
	readonly view: SessionView;
	readonly tools: ToolConnection;
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
	/** Runs the tools that the client registers. */
	readonly client: ToolClient;
}

/**
 * Opens the session of a stream: a new one, or that which the client continues. Throws `invalid_argument` or `not_found`
 * for what a client can correct; then no session is left behind.
 */
export async function startSession(command: StartSession, parts: StartParts): Promise<StartedSession> {
	const { runtime, principal, resumed, deliver, client } = parts;
	const start = decode(Start, command);
	const { messages, system } = decodeHistory(command.history);
	const tools = decodeTools(command.tools);
	const id = resumed ?? (await create(start, messages, parts));
	const view = await SessionView.join(runtime, id, {
		...{ principal, deliver, drained: () => Promise.resolve() },
	});
	let connection: ToolConnection | undefined;
	try {
		connection = await runtime.clientTools.connect(principal, id, client);
		if (tools.length > 0) connection.register({ tools });
		const wanted = start.model || view.model;
		const model = await view.setModel(asked(principal), wanted ?? "default");
		await view.begin();
		return {
			...{ view, tools: connection, model },
			seesPictures: runtime.models(principal).find(({ id }) => id === model)?.images ?? true,
			system: [...start.projectContext, ...system],
			contextTokens: start.maxContextTokens,
		};
	} catch (reason) {
		connection?.leave();
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

/** One rule for each tool of the session. */
export async function permissionsOf(
	{ view }: Pick<StartedSession, "view">,
	{ runtime, principal }: Pick<StartParts, "runtime" | "principal">,
): Promise<readonly PermissionRule[]> {
	const tools = await runtime.toolPermissions(principal, view.id);
	return tools.map(({ tool, effect, isPure, reason }) => ({
		...{ toolPattern: tool, policy: policies[effect], category: isPure ? "pure" : "physical", reason },
	}));
}

const policies = { allow: "allow", ask: "require_confirmation", deny: "block" } as const;

function asked(principal: Principal): Keyed {
	return { principal, key: undefined, method: "StartSession", params: undefined };
}
