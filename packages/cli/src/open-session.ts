import { ParleyError } from "@parley/base";
import type { Client, OpenSession } from "@parley/protocol";

export interface SessionChoice {
	/** The session to go on with; a new one where absent. */
	readonly sessionId: string | undefined;
	/** Where a new session works; the gateway's own choice where absent. */
	readonly rootDir: string | undefined;
	/** Told when the gateway does not allow `rootDir` and the session works elsewhere; where absent, that is an error. */
	onOtherDirectory?(reason: string): void;
}

/** Opens a session for a person: the one that is named, or a new one in the person's directory. */
export async function openSession(client: Client, choice: SessionChoice): Promise<OpenSession> {
	const { sessionId, rootDir, onOtherDirectory } = choice;
	if (sessionId !== undefined) return client.open({ session_id: sessionId });
	if (rootDir === undefined) return client.open({});
	try {
		return await client.open({ root_dir: rootDir });
	} catch (reason) {
		const error = ParleyError.from(reason);
		const isRefused = error.code === "invalid_argument" && error.message.includes("root_dir");
		if (!isRefused || !onOtherDirectory) throw error;
		onOtherDirectory(error.message);
		return client.open({});
	}
}
