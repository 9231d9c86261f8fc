import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";

const words = ["one", "two", "three", "four"];

function shows(title: string, without: readonly string[]): Step<SlackSite> {
	return {
		what: `Slack tells the app ${title}`,
		does: ({ site: { simulator } }) => {
			const { app } = simulator.state;
			app.subscriptions = app.subscriptions.difference(new Set(without));
		},
	};
}

/** Scenes in which the connector must request state, because Slack does not push that state. */
export const slackQuestions: readonly Scene<SlackSite>[] = [
	{
		name: "a file is read although Slack reports only the mention, which may lack the file",
		steps: [
			shows("mentions alone", ["message.channels"]),
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
		name: "a message in Parley's thread is read although Slack cannot name the owner of the thread for a moment",
		steps: [
			shows("nothing of channels", ["app_mention", "message.channels"]),
			{ says: "@Parley say: first", in: "top", as: "root" },
			{
				what: "Slack tells the app everything again",
				does: ({ site: { simulator } }) => {
					const { app } = simulator.state;
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
