import type { SceneGateway } from "../scene-gateway.ts";
import type { SlackSite } from "../slack-site.ts";
import type { Scene } from "../step.ts";

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
	{
		name: "a session is suspended while an approval waits, and works again after it",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello", in: "top" },
			{ shows: "[Approve once]", in: "thread" },
			session("suspended"),
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "[Again]", in: "thread" },
			session("active"),
		],
	},
	{
		name: "a session is suspended while a question waits, and active after the run was stopped",
		steps: [
			{ says: "@Parley choose: tea | coffee", in: "dm" },
			{ shows: "<Choose one", in: "dm" },
			session("suspended"),
			{ says: "stop", in: "dm" },
			session("active"),
		],
	},
	{
		name: "titles are shown at the thread, and a title that a person gives in Slack renames the conversation",
		steps: [
			{ says: "@Parley say: hello", in: "top" },
			{ shows: "[Again]", in: "thread" },
			{ says: "@Parley !session rename title:Greetings", in: "thread" },
			title("Greetings"),
			{
				what: "Mia changes the title in Slack",
				does: ({ site }) => {
					const thread = site.simulator.threads().at(-1);
					if (thread) site.people.Mia.person.renamesSession(thread, "Hellos");
				},
			},
			{ passes: 2000 },
			{ says: "@Parley !session info", in: "thread" },
			{ shows: "**Hellos**", in: "thread" },
			title("Hellos"),
			{ hides: "was renamed", in: "thread" },
		],
	},
	{
		name: "a restarted connector leaves a session suspended that still waits",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello", in: "top" },
			{ shows: "[Approve once]", in: "thread" },
			session("suspended"),
			{ restarts: "connector" },
			session("suspended"),
			{ clicks: "Deny", by: "Alex", fills: { "Reason (the agent reads it)": "not today" } },
			session("active"),
		],
	},
];

function session(expected: string) {
	const now = ({ simulator }: SlackSite) =>
		[...simulator.state.sessions.values()].map(({ status }) => status).join();
	return {
		what: `the session is ${expected}`,
		does: ({
			sceneGateway,
			site,
		}: {
			readonly sceneGateway: SceneGateway;
			readonly site: SlackSite;
		}): Promise<void> =>
			sceneGateway.until(() => now(site) === expected, `the session is "${expected}", not "${now(site)}"`),
	};
}

function status(...expected: readonly string[]) {
	return {
		what: `the status is ${expected.join() || "empty"}`,
		does: ({
			sceneGateway,
			site,
		}: {
			readonly sceneGateway: SceneGateway;
			readonly site: SlackSite;
		}): Promise<void> =>
			sceneGateway.until(
				() => site.general.channel.statuses().join() === expected.join(),
				`the status is "${expected.join()}", not "${site.general.channel.statuses().join()}"`,
				"still",
			),
	};
}

function title(expected: string) {
	const now = ({ simulator }: SlackSite) =>
		[...simulator.state.sessions.values()].map(({ title: each }) => each).join();
	return {
		what: `the title is ${expected}`,
		does: ({
			sceneGateway,
			site,
		}: {
			readonly sceneGateway: SceneGateway;
			readonly site: SlackSite;
		}): Promise<void> =>
			sceneGateway
				.until(() => now(site) === expected, `the title is "${expected}"`)
				.catch((cause: unknown) => {
					throw new Error(`the title is "${now(site)}"`, { cause });
				}),
	};
}
