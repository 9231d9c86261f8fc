import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";

const words = ["one", "two", "three", "four"];

function tells(what: string, without: readonly string[]): Step<SlackSite> {
	return {
		what: `Slack tells the app ${what}`,
		does: ({ site: { world } }) => {
			const { app } = world.state;
			app.subscriptions = app.subscriptions.difference(new Set(without));
		},
	};
}

/** Facts that Slack does not push and that must be requested. */
export const slackAsked: readonly Scene<SlackSite>[] = [
	{
		name: "a file comes along although only the mention is told of, which may come without it",
		steps: [
			tells("mentions alone", ["message.channels"]),
			...words.flatMap((word): Step<SlackSite>[] => [
				{
					says: `@Parley read: attachments/${word}.txt`,
					in: "top",
					attaches: [{ name: `${word}.txt`, content: `the word is ${word}-heron\n` }],
				},
				{ shows: ["read_file returned", `the word is ${word}-heron`] },
			]),
		],
	},
	{
		name: "what is said in our thread is heard although Slack does not say for a moment whose thread it is",
		steps: [
			tells("nothing of channels", ["app_mention", "message.channels"]),
			{ says: "@Parley say: first", in: "top", as: "root" },
			{
				what: "Slack tells the app everything again",
				does: ({ site: { world } }) => {
					const { app } = world.state;
					app.subscriptions = app.subscriptions.union(new Set(["app_mention", "message.channels"]));
				},
			},
			{ fault: "conversations.replies", is: { status: 429, retryAfter: 1000 } },
			{ replies: "say: second", to: "root" },
			{ passes: 70_000 },
			{ shows: "[offline] second", times: 1 },
		],
	},
];
