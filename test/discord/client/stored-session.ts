import type { GatewaySession, SessionStore } from "@parley/discord";

export class StoredSession implements SessionStore {
	session: GatewaySession | undefined;

	async load(): Promise<GatewaySession | undefined> {
		return this.session;
	}

	async save(session: GatewaySession | undefined): Promise<void> {
		this.session = session;
	}
}
