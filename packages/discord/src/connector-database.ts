import type { Clock, Failpoints, Store } from "@parley/base";
import { type ConnectorTables, openConnectorDatabase as openDatabase } from "@parley/connector";
import type { BirthStore } from "./catch-up/birth.ts";
import type { MarkStore, Marks } from "./catch-up/high-water.ts";
import type { AliveStore } from "./catch-up/last-alive.ts";
import type { GatewaySession, SessionStore } from "./client/session-store.ts";
import type { CommandMemory, InstalledState } from "./commands/command-memory.ts";
import type { AudienceStore, KeptAudiences } from "./intake/audiences.ts";

/** What the connector keeps: nothing that could not be found out again from the gateway and from Discord. */
export interface ConnectorDatabase {
	readonly store: Store<ConnectorTables>;
	readonly sessions: SessionStore;
	readonly marks: MarkStore;
	readonly alive: AliveStore;
	readonly birth: BirthStore;
	readonly audiences: AudienceStore;
	readonly commands: CommandMemory;
}

/** Opens `connectors/discord.sqlite` in the data directory, readable by its owner only; rejects as `openSqliteStore` does. */
export async function openConnectorDatabase(options: {
	readonly dataDir: string;
	readonly clock: Clock;
	readonly failpoints?: Failpoints;
}): Promise<ConnectorDatabase> {
	const { store, kept } = await openDatabase({ ...options, platform: "discord" });
	const audiencesOf = (guild: string) => kept<KeptAudiences>(`audiences:${guild}`);
	return {
		store,
		sessions: kept<GatewaySession>("session"),
		marks: kept<Marks>("marks"),
		alive: kept<number>("alive"),
		birth: kept<number>("birth"),
		audiences: {
			load: (guild) => audiencesOf(guild).load(),
			save: (guild, audiences) => audiencesOf(guild).save(audiences),
		},
		commands: kept<InstalledState>("commands"),
	};
}
