import { ParleyError } from "@parley/base";
import type { Client, OpenSession } from "@parley/protocol";
import { sessionTexts } from "../texts/sessions.ts";

export interface SessionChoice {
	/** Session to continue. If undefined, the command creates a session. */
	readonly sessionId: string | undefined;
	/** Directory of a new session. If undefined, the gateway chooses a directory. */
	readonly rootDir: string | undefined;
	/** Agent profile of a new session. If absent, the default profile is used. */
	readonly profile?: string | undefined;
	/** Model for all further messages. If absent, the session's model stays. */
	readonly model?: string | undefined;
	/**
	 * Receives the reason if the gateway does not allow `rootDir` and chooses another directory. If the callback is
	 * absent, the refusal is an error.
	 */
	onOtherDirectory?(reason: string): void;
}

/** Maximum number of recent sessions to search for the last session of a directory. */
const maxSearched = 1_000;

/**
 * Returns the id of the last changed session of `directory`. Searches the 1,000 sessions that changed last, except
 * sessions with an external key, for example of chat channels. Rejects with `not_found` if no such session exists.
 * Rejects with `failed_precondition` if `directory` is undefined: a gateway on another machine has its own
 * directories.
 */
export async function lastSession(client: Client, directory: string | undefined): Promise<string> {
	if (directory === undefined) {
		throw new ParleyError(sessionTexts.continueElsewhere, { code: "failed_precondition" });
	}
	const { sessions } = await client.request("list_sessions", { limit: maxSearched });
	const last = sessions.find((one) => one.root_dir === directory && one.external_key === undefined);
	if (last) return last.session_id;
	throw new ParleyError(sessionTexts.noSessionOfDirectory({ directory }), {
		code: "not_found",
	});
}

/** Model names that need no check: tiers, which each provider has, and `default`, which selects no model. */
const alwaysKnown: readonly string[] = ["fast", "standard", "max", "default"];

/**
 * Opens a session for a person: the named session, or a new session in `rootDir`. If the model of a new
 * session is unknown, rejects with `invalid_argument` and creates no session.
 */
export async function openSession(client: Client, choice: SessionChoice): Promise<OpenSession> {
	const { model } = choice;
	if (model !== undefined && choice.sessionId === undefined) await checkModel(client, model, choice.profile);
	const session = await openChosen(client, choice);
	if (model !== undefined) await client.request("set_model", { model }, { sessionId: session.id });
	return session;
}

async function checkModel(client: Client, model: string, profile = "default"): Promise<void> {
	const name = model.trim();
	if (alwaysKnown.includes(name)) return;
	const { models, default: chosen, any_model } = await client.request("list_models", {});
	if (any_model || name === chosen || models.some((known) => known.name === name)) return;
	const { agents } = await client.request("list_agents", {});
	// A server of the profile has its own models, which the gateway does not list.
	if (agents.some((agent) => agent.name === profile && agent.server !== undefined)) return;
	throw new ParleyError(sessionTexts.unknownModel({ name: JSON.stringify(name) }), {
		code: "invalid_argument",
	});
}

async function openChosen(client: Client, choice: SessionChoice): Promise<OpenSession> {
	const { sessionId, rootDir, profile, onOtherDirectory } = choice;
	if (sessionId !== undefined) return client.open({ session_id: sessionId });
	const requested = profile === undefined ? {} : { profile };
	if (rootDir === undefined) return client.open(requested);
	try {
		return await client.open({ ...requested, root_dir: rootDir });
	} catch (reason) {
		const error = ParleyError.from(reason);
		const isRefused = error.code === "invalid_argument" && error.message.includes("root_dir");
		if (!isRefused || !onOtherDirectory) throw error;
		onOtherDirectory(error.message.replace(/^invalid params: root_dir: /, ""));
		return client.open(requested);
	}
}
