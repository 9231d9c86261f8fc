/** What Discord needs to go on with a session that it keeps for some minutes after a connection has ended. */
export interface GatewaySession {
	readonly id: string;
	/** Up to this event all are durably taken. An older one is no harm: what comes again is known by its id. */
	readonly seq: number;
	readonly resumeUrl: string;
	/** The bot's own ids, which a resumed session does not tell again. */
	readonly user: string;
	readonly application: string;
}

/** Keeps the session from one process to the next. */
export interface SessionStore {
	load(): Promise<GatewaySession | undefined>;
	/** Undefined where Discord has ended the session. */
	save(session: GatewaySession | undefined): Promise<void>;
}
