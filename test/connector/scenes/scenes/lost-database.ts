import type { DiscordSite } from "../discord-site.ts";
import type { SlackSite } from "../slack-site.ts";
import type { Scene } from "../step.ts";
import { trusted } from "./access.ts";

export const lostDatabase: readonly Scene<DiscordSite>[] = [
	{
		name: "a person with earlier direct messages is read after the database is lost and the Discord session has ended",
		steps: [
			{ says: "say: before", in: "dm" },
			{ shows: "[offline] before", in: "dm" },
			{ losesDatabase: true },
			// The connector posts no card for an event of this age.
			{ passes: 61_000 },
			{ stops: "connector" },
			{
				what: "Discord forgets the session",
				does: ({ site: { simulator } }) => simulator.gateway.forgetSessions(),
			},
			{ says: "say: meanwhile", in: "dm" },
			{ starts: "connector" },
			{ showsOnly: ["[offline] before", "[offline] meanwhile"], in: "dm" },
		],
	},
];

const unseen = /🔒 Tools require approval here again: the connector .*, so people may have joined unnoticed/;

export const unseenJoins: readonly Scene<SlackSite>[] = [
	{
		name: "the join of a guest ends trust although the database is lost before the event is handled",
		sandbox: true,
		steps: [
			guest("leaves"),
			...trusted,
			{ stops: "gateway" },
			guest("joins"),
			{ passes: 1000 },
			{ losesDatabase: true },
			{ starts: "gateway" },
			{ shows: unseen, times: 1 },
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "[Approve once]" },
		],
	},
	{
		name: "trust continues over a short stop, and ends after one that is longer than Slack's retries",
		sandbox: true,
		steps: [
			...trusted,
			{ stops: "connector" },
			{ passes: 3 * 60_000 },
			{ starts: "connector" },
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: ["write_file returned", "trusted channel; the trust grant expires"] },
			{ stops: "connector" },
			{ passes: 5 * 60_000 },
			{ starts: "connector" },
			{ shows: unseen, times: 1 },
		],
	},
];

function guest(does: "joins" | "leaves") {
	return {
		what: `a guest ${does}`,
		does({ site: { general, people } }: { readonly site: SlackSite }): void {
			if (does === "joins") general.channel.joins(people.Gus.person);
			else general.channel.loses(people.Gus.person);
		},
	};
}
