import type { DiscordSite } from "../discord-site.ts";
import type { Scene } from "../step.ts";

/** Scenes that only Discord has. */
export const discord: readonly Scene<DiscordSite>[] = [
	{
		name: "reactions to an answer are feedback, of which the last one of a person is kept",
		steps: [
			{ says: "@Parley say: well" },
			{ shows: "[offline] well" },
			{ reacts: "👍", on: "[offline] well" },
			{ operator: "list_feedback", asks: {}, has: '"rating":"good"' },
			{ reacts: "👎", on: "[offline] well" },
			{ operator: "list_feedback", asks: {}, has: /^(?!.*good).*"rating":"bad"/u },
			{ reacts: "👍", on: "[offline] well", by: "Sam" },
			{ showsOnly: ["[offline] well"] },
			{ operator: "list_feedback", asks: {}, has: /^(?!.*good).*"rating":"bad"/u },
			{ reacts: "🔁", on: "[offline] well" },
			{ shows: "[offline] well", times: 2 },
		],
	},
];
