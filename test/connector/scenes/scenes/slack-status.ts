import type { City } from "../city.ts";
import type { SlackSite } from "../slack-site.ts";
import type { Scene } from "../step.ts";

/** The status line of a thread, which only Slack has. */
export const slackStatus: readonly Scene<SlackSite>[] = [
	{
		name: "the status shows that Parley is writing until the end of the reply",
		steps: [
			{ says: "@Parley long: 60 tokens at 2 per second", in: "top" },
			{ typing: true },
			status("is writing…"),
			{ passes: 10_000 },
			status("is writing…"),
			{ passes: 30_000 },
			{ shows: "[Again]", times: 1 },
			status(),
		],
	},
];

function status(...wanted: readonly string[]) {
	return {
		what: `the status is ${wanted.join() || "empty"}`,
		does: ({ city, site }: { readonly city: City; readonly site: SlackSite }): Promise<void> =>
			city.until(
				() => site.general.channel.statuses().join() === wanted.join(),
				`the status is "${wanted.join()}", not "${site.general.channel.statuses().join()}"`,
				"still",
			),
	};
}
