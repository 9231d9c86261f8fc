import type { SlackSite } from "../slack-site.ts";
import type { Name, Scene, Step } from "../step.ts";

export const slackHome: readonly Scene<SlackSite>[] = [
	{
		name: "the home page shows the welcome, and sections without entries",
		steps: [
			opens("Mia"),
			shows(
				"Mia",
				"I answer questions",
				"@Alex",
				"Start with a request",
				"No work is running.",
				"No requests are waiting for you.",
			),
			shows("Mia", "/parley schedule add", "None of your channels is trusted.", "/parley help"),
		],
	},
	{
		name: "a person without access sees how to get it, and no other content",
		steps: [
			opens("Sam"),
			shows("Sam", "/parley pair"),
			hides("Sam", "Running"),
			hides("Sam", "Start with a request"),
		],
	},
	{
		name: "the home page shows running work with a button that stops it, and changes when it ends",
		steps: [
			{ says: "@Parley long: 120 tokens at 2 per second" },
			{ typing: true },
			opens("Max"),
			shows("Max", "press a button to stop its conversation", "long: 120 tokens"),
			clicks("Max", /^1\. long/),
			shows("Max", "No work is running."),
			{ shows: "stopped by @" },
		],
	},
	{
		name: "an approver approves on the home page, and a member sees no approval there",
		steps: [
			opens("Alex"),
			shows("Alex", "No requests are waiting for you."),
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "[Approve once]" },
			shows("Alex", "write_file", "+hello", "[Approve once]"),
			opens("Max"),
			shows("Max", "No requests are waiting for you."),
			clicks("Alex", "Approve once"),
			{ file: "notes.txt", has: "hello" },
			shows("Alex", "No requests are waiting for you."),
		],
	},
	{
		name: "a denial on the home page asks for the reason",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "[Approve once]" },
			opens("Alex"),
			shows("Alex", "write_file"),
			clicks("Alex", "Deny", { "Reason (the agent reads it)": "not today" }),
			{ shows: "not today" },
			shows("Alex", "No requests are waiting for you."),
		],
	},
	{
		name: "work in private channels and other people's direct messages is hidden",
		steps: [
			{ says: "@Parley long: 60 tokens at 2 per second", in: "dm" },
			{ says: "@Parley write: notes.txt <<< secret", in: "group" },
			{ shows: "[Approve once]", in: "group" },
			opens("Alex"),
			shows("Alex", "No work is running.", "No requests are waiting for you."),
			opens("Mia"),
			shows("Mia", "long: 60 tokens", "write:"),
		],
	},
	{
		name: "the home page shows trusted channels with a button that ends the trust",
		sandbox: true,
		steps: [
			{ commands: "/trust on", with: { reason: "release", minutes: 60 }, by: "Olga" },
			{ clicks: "Approve", by: "Olga" },
			{ shows: "[End trust]" },
			opens("Olga"),
			shows("Olga", "the trust grant expires", "[End trust]"),
			clicks("Olga", "End trust"),
			{ shows: "no longer trusted" },
			shows("Olga", "None of your channels is trusted."),
		],
	},
	{
		name: "the home page shows questions and schedules of the person alone",
		steps: [
			{ commands: "/schedule add", with: { text: "say: hi", when: "every day at 9:00", title: "Morning" } },
			{ answered: "Morning" },
			{ says: "@Parley choose: tea | coffee" },
			{ shows: "<Choose one" },
			opens("Mia"),
			shows("Mia", "Morning", "Choose one"),
			opens("Max"),
			shows("Max", "No requests are waiting for you."),
			hides("Max", "Morning"),
		],
	},
	{
		name: "a direct message has the messages of the channel that its author views as context",
		steps: [
			{ says: "the build fails", by: "Max" },
			{
				what: "Mia looks at the channel",
				does: ({ site }) => site.people.Mia.person.looksAt(site.general.channel),
			},
			{ says: "say: I see it", in: "dm" },
			{ shows: "I see it", in: "dm" },
			{ says: "!why", in: "dm" },
			{ shows: "I also read 1 message: Max", in: "dm" },
		],
	},
	{
		name: "the direct messages suggest prompts, and a picked one is a request",
		steps: [
			{
				what: "Mia opens the direct messages",
				does: async ({ sceneGateway, site }) => {
					const { person } = site.people.Mia;
					person.opensHome("messages");
					await sceneGateway.until(() => person.dm.prompts.length > 1, "prompts are suggested");
					person.picks("List the files that you can read", { in: person.dm });
				},
			},
			{ shows: "I am the offline model", in: "dm" },
			{
				what: "Sam, without access, gets no suggestions",
				does: ({ site }) => {
					const { person } = site.people.Sam;
					person.opensHome("messages");
					if (person.dm.prompts.length > 0) throw new Error(person.dm.prompts.join());
				},
			},
		],
	},
	{
		name: "a suggested request on the home page starts one conversation in the direct messages, also after a double press",
		steps: [
			opens("Mia"),
			shows("Mia", "Start with a request", "[List the files that you can read]"),
			{
				what: "Mia presses a suggested request twice",
				does: ({ site }) => {
					const { person } = site.people.Mia;
					person.clicksHome("List the files that you can read");
					person.clicksHome("List the files that you can read");
				},
			},
			{ shows: "> List the files that you can read", in: "dm" },
			{ shows: "Started in our direct messages", to: "Mia", in: "dm" },
			{
				what: "the direct messages have one conversation with the request and one answer in its thread",
				does: async ({ sceneGateway, site }) => {
					const { messages } = site.people.Mia.person.dm.record;
					const isAnswered = (): boolean =>
						messages.some(({ text }) => text.includes("I am the offline model"));
					await sceneGateway.until(isAnswered, "the agent answers");
					const all = messages.filter(({ onlyFor, deleted }) => !onlyFor && !deleted);
					const roots = all.filter(({ ts }) => all.some(({ threadTs }) => threadTs === ts));
					const answers = all.filter(({ threadTs }) => threadTs !== undefined);
					if (roots.length === 1 && answers.length === 1) return;
					throw new Error(messages.map(({ text }) => text).join("\n"));
				},
			},
			{ restarts: "connector" },
			clicks("Mia", "Remind me tomorrow at 9:00 to send the report"),
			{ shows: "> Remind me tomorrow", in: "dm" },
		],
	},
	{
		name: "the home page is published again after a restart, and after an error of Slack",
		steps: [
			{ fault: "views.publish", is: { status: 503 } },
			opens("Mia"),
			{ passes: 60_000 },
			shows("Mia", "No work is running."),
			{ restarts: "connector" },
			{ says: "@Parley long: 60 tokens at 2 per second" },
			opens("Mia"),
			shows("Mia", "long: 60 tokens"),
		],
	},
];

function opens(name: Name): Step<SlackSite> {
	return { what: `${name} opens the home page`, does: ({ site }) => site.people[name].person.opensHome() };
}

function pageOf(site: SlackSite, name: Name): string {
	const { home } = site.people[name].person;
	return home === undefined ? "" : [home.text, ...home.buttons.map((label) => `[${label}]`)].join("\n");
}

function shows(name: Name, ...words: readonly string[]): Step<SlackSite> {
	return {
		what: `the home page of ${name} shows ${words.join(", ")}`,
		does: async ({ sceneGateway, site }) => {
			const isSo = (): boolean => words.every((word) => pageOf(site, name).includes(word));
			await sceneGateway.until(isSo, "the home page shows it").catch((cause: unknown) => {
				throw new Error(`the home page is:\n${pageOf(site, name)}`, { cause });
			});
		},
	};
}

function hides(name: Name, word: string): Step<SlackSite> {
	return {
		what: `the home page of ${name} hides ${word}`,
		does: ({ site }) => {
			if (pageOf(site, name).includes(word)) throw new Error(`the home page is:\n${pageOf(site, name)}`);
		},
	};
}

function clicks(
	name: Name,
	label: string | RegExp,
	fills?: Readonly<Record<string, string>>,
): Step<SlackSite> {
	return {
		what: `${name} presses ${label}`,
		does: async ({ sceneGateway, site }) => {
			const { person } = site.people[name];
			const button = person.home?.buttons.find((one) =>
				typeof label === "string" ? one === label : label.test(one),
			);
			const pressed = person.clicksHome(button ?? String(label));
			if (fills === undefined) return;
			await sceneGateway.until(() => pressed.form !== undefined, "a form opens");
			person.submits(pressed, fills);
		},
	};
}
