import type { DiscordSite } from "../discord-site.ts";
import type { Scene } from "../step.ts";

/** What a connector without its database knows from the gateway alone. */
export const lostDatabase: readonly Scene<DiscordSite>[] = [
	{
		name: "who wrote in private before the database was lost is heard after Discord has forgotten the session, too",
		steps: [
			{ says: "say: before", in: "dm" },
			{ shows: "[offline] before", in: "dm" },
			{ losesDatabase: true },
			// It is there for so long that it counts as well, and nothing is said.
			{ passes: 61_000 },
			{ stops: "connector" },
			{ what: "Discord forgets the session", does: ({ site: { world } }) => world.gateway.forgetSessions() },
			{ says: "say: meanwhile", in: "dm" },
			{ starts: "connector" },
			{ showsOnly: ["[offline] before", "[offline] meanwhile"], in: "dm" },
		],
	},
];
