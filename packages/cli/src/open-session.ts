import { ParleyError } from "@parley/base";
import type { Client, OpenSession } from "@parley/protocol";

export interface SessionChoice {
	/** The session to go on with; a new one where absent. */
	readonly sessionId: string | undefined;
	/** Where a new session works; the gateway's own choice where absent. */
	readonly rootDir: string | undefined;
	/** The agent of a new session; the default one where absent. */
	readonly profile?: string | undefined;
	/** The model that answers from now on; the agent's own where absent. */
	readonly model?: string | undefined;
	/** Told when the gateway does not allow `rootDir` and the session works elsewhere; where absent, that is an error. */
	onOtherDirectory?(reason: string): void;
}

/** Opens a session for a person: the one that is named, or a new one in the person's directory. */
export async function openSession(client: Client, choice: SessionChoice): Promise<OpenSession> {
	const session = await openChosen(client, choice);
	const { model } = choice;
	if (model !== undefined) await client.request("set_model", { model }, { sessionId: session.id });
	return session;
}

async function openChosen(client: Client, choice: SessionChoice): Promise<OpenSession> {
	const { sessionId, rootDir, profile, onOtherDirectory } = choice;
	if (sessionId !== undefined) return client.open({ session_id: sessionId });
	const wanted = profile === undefined ? {} : { profile };
	if (rootDir === undefined) return client.open(wanted);
	try {
		return await client.open({ ...wanted, root_dir: rootDir });
	} catch (reason) {
		const error = ParleyError.from(reason);
		const isRefused = error.code === "invalid_argument" && error.message.includes("root_dir");
		if (!isRefused || !onOtherDirectory) throw error;
		onOtherDirectory(error.message);
		return client.open(wanted);
	}
}
