import type { ConnectorDatabase } from "@parley/connector";
import type { BirthStore } from "./catch-up/birth.ts";
import type { MarkStore, Marks } from "./catch-up/high-water.ts";
import type { AliveStore } from "./catch-up/last-alive.ts";
import type { GatewaySession, SessionStore } from "./client/session-keeper.ts";
import type { CommandMemory, InstalledState } from "./commands/command-memory.ts";
import type { AudienceStore, KeptAudiences } from "./intake/audiences.ts";

/** What is kept of Discord from one process to the next: nothing that could not be found out again. */
export interface KeptOfDiscord {
	readonly sessions: SessionStore;
	readonly marks: MarkStore;
	readonly alive: AliveStore;
	readonly birth: BirthStore;
	readonly audiences: AudienceStore;
	readonly commands: CommandMemory;
}

/** Each by its name in the connector's database, which stays the same over versions. */
export function keptOfDiscord(kept: ConnectorDatabase["kept"]): KeptOfDiscord {
	const audiencesOf = (guild: string) => kept<KeptAudiences>(`audiences:${guild}`);
	return {
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
