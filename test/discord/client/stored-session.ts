import type { GatewaySession, SessionStore } from "@parley/discord";

/** The stored session of a client, in memory. */
export class StoredSession implements SessionStore {
	session: GatewaySession | undefined;

	async load(): Promise<GatewaySession | undefined> {
		return this.session;
	}

	async save(session: GatewaySession | undefined): Promise<void> {
		this.session = session;
	}
}
