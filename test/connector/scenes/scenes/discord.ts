import { isDeepStrictEqual } from "node:util";
import { ComponentType, MessageFlags } from "discord-api-types/v10";
import type { Shown } from "../../../simulators/discord/people/shown.ts";
import { textsOf } from "../../../simulators/discord/platform/mentions.ts";
import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

const slow = "long: 60 tokens at 2 per second";

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
	{
		name: "a copy of a conversation continues in its own thread, also after a restart",
		steps: [
			{ says: "@Parley say: hello" },
			{ shows: "[offline] hello" },
			{ commands: "/session fork" },
			{ answered: "The copy continues in" },
			{ says: "say: another way", in: "thread" },
			{ shows: "[offline] another way", in: "thread", times: 1 },
			{ restarts: "both" },
			{ says: "say: further", in: "thread" },
			{ shows: "[offline] further", in: "thread", times: 1 },
			{ hides: "[offline] hello", in: "thread" },
			{ commands: "/session export", in: "thread" },
			{ answered: ["This conversation as a file", "file: "] },
		],
	},
	{
		name: "a card that an earlier version posted as text becomes a card with a color when it changes",
		steps: [
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: ["wants to use `write_file`", "color: #f0b232", "[Approve once]"] },
			{ what: "the card is one of an earlier version", does: ({ site }) => makeText(site) },
			{ hides: "color:" },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: ["Approved once", "color: #23a55a"], times: 1 },
		],
	},
	{
		name: "with reactions, a message shows its state, and no notice about the queue is posted",
		place: { status: "reactions" },
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ says: "@Parley say: second", by: "Max" },
			reactions("60 tokens", { "👀": 1 }),
			reactions("say: second", { "⏳": 1 }),
			{ passes: 40_000 },
			{ shows: "[offline] second" },
			reactions("60 tokens", { "✅": 1 }),
			reactions("say: second", { "✅": 1 }),
			{ hides: "Your message is next" },
			{ says: "@Parley long: 50 tokens at 2 per second", as: "stopped" },
			{ typing: true },
			{ reacts: "❌", on: "stopped" },
			reactions("50 tokens", { "❌": 1 }),
		],
	},
	{
		name: "if Parley may not react, notices about the queue are posted as usual",
		place: { status: "reactions" },
		errors: [/Discord refused a reaction/u],
		steps: [
			{ forbids: ["AddReactions"] },
			{ says: `@Parley ${slow}` },
			{ typing: true },
			{ says: "@Parley say: second", by: "Max" },
			{ shows: ["(to Max)", "I am working on another message. Your message is next.", "[Stop]"] },
			{ passes: 40_000 },
			{ showsOnly: ["t60", "[offline] second"] },
			reactions("60 tokens", {}),
			reactions("say: second", {}),
		],
	},
	{
		name: "a mention is answered in a new thread with the words of the message as its title",
		place: { answers: "thread", status: "reactions" },
		steps: [
			{ says: "before" },
			{ says: "@Parley say: one", as: "m" },
			{ shows: ["[offline] one", "[Good] [Bad] [Again]"], in: "say: one" },
			{ showsOnly: [] },
			reactions("say: one", { "✅": 1 }),
			{ commands: "/why", in: "say: one" },
			{ answered: "I also read 1 message: Mia" },
			{ says: "say: two", in: "say: one" },
			{ shows: "[offline] two", in: "say: one" },
			{ says: "@Parley say: three" },
			{ shows: "[offline] three", in: "say: three" },
			{ showsOnly: ["[offline] one", "[offline] two"], in: "say: one" },
			{ replies: "say: in the channel", to: "m" },
			{ showsOnly: [] },
		],
	},
	{
		name: "the thread of a mention gets the title of its conversation, at most twice in ten minutes, and finally the last title",
		place: { answers: "thread" },
		steps: [
			{ says: "@Parley say: one" },
			{ shows: "[offline] one", in: "say: one" },
			{ commands: "/session rename", with: { title: "First" }, in: "say: one" },
			threads("First"),
			{ restarts: "connector" },
			{ commands: "/session rename", with: { title: "Second" }, in: "First" },
			threads("Second"),
			{ commands: "/session rename", with: { title: "Third" }, in: "Second" },
			{ commands: "/session rename", with: { title: "Fourth" }, in: "Second" },
			threads("Second"),
			{ restarts: "connector" },
			{ passes: 60_000 },
			threads("Second"),
			{ passes: 540_000 },
			threads("Fourth"),
		],
	},
	{
		name: "a person renames a thread: it keeps this name, which becomes the title of the conversation",
		place: { answers: "thread" },
		steps: [
			{ says: "@Parley say: one" },
			{ shows: "[offline] one", in: "say: one" },
			{ commands: "/session rename", with: { title: "First" }, in: "say: one" },
			threads("First"),
			{ what: "Mia renames the thread", does: ({ site }) => rename(site, "Hers") },
			{ passes: 2000 },
			{ commands: "/session info", in: "Hers" },
			{ answered: "**Hers**" },
			{ commands: "/session rename", with: { title: "Other" }, in: "Hers" },
			{ shows: "renamed to “Other”", in: "Hers" },
			{ passes: 2000 },
			threads("Hers"),
		],
	},
	{
		name: "a person without the right to rename the conversation changes only the name of the thread",
		place: { answers: "thread" },
		steps: [
			{ says: "@Parley say: one" },
			{ shows: "[offline] one", in: "say: one" },
			{ what: "Sam renames the thread", does: ({ site }) => rename(site, "Theirs", "Sam") },
			{ passes: 2000 },
			{ commands: "/session rename", with: { title: "Other" }, in: "Theirs" },
			{ shows: "renamed to “Other”", in: "Theirs" },
			{ passes: 2000 },
			threads("Theirs"),
		],
	},
	{
		name: "a message that is answered in its thread can be stopped, edited and deleted in the channel",
		place: { answers: "thread" },
		steps: [
			{ says: `@Parley ${slow}`, as: "stopped" },
			{ shows: "t1", in: slow },
			{ reacts: "❌", on: "stopped" },
			{ shows: "stopped by @", in: slow },
			{ edits: "stopped", into: "@Parley say: edited" },
			{ shows: "[Answer the edited message]", in: slow },
			{ clicks: "Answer the edited message", in: slow },
			{ shows: "[offline] edited", in: slow },
			{ restarts: "connector" },
			{ says: "@Parley long: 50 tokens at 2 per second", as: "deleted" },
			{ shows: "t1", in: "long: 50 tokens at 2 per second" },
			{ deletes: "deleted" },
			{ shows: "stopped by @", in: "long: 50 tokens at 2 per second" },
			{ showsOnly: [] },
		],
	},
	{
		name: "if Parley may not open threads, a mention is answered in the channel",
		place: { answers: "thread" },
		errors: [/cannot answer in a thread/u],
		steps: [
			{ forbids: ["CreatePublicThreads"] },
			{ says: "@Parley say: one" },
			{ shows: ["(to Mia)", "[offline] one"] },
		],
	},
	{
		name: "the presence shows that the gateway is unreachable, and that the model fails",
		errors: [/out of ideas/u],
		steps: [
			presence("online"),
			{ stops: "gateway" },
			{ passes: 60_000 },
			presence("idle", "Not connected to the gateway"),
			{ starts: "gateway" },
			presence("online"),
			{ says: "@Parley fail: out of ideas" },
			{ shows: "Your request failed" },
			presence("dnd", "The model is not answering"),
			{ cuts: "socket" },
			{ says: "@Parley say: again" },
			{ shows: "[offline] again" },
			presence("online"),
		],
	},
	{
		name: "after the loss of the database, the state of a message is still replaced",
		place: { status: "reactions" },
		steps: [
			{ says: `@Parley ${slow}` },
			{ typing: true },
			reactions("60 tokens", { "👀": 1 }),
			{ losesDatabase: true },
			{ passes: 60_000 },
			{ shows: "t60" },
			reactions("60 tokens", { "✅": 1 }),
		],
	},
];

function rename({ general, people }: DiscordSite, name: string, by: "Mia" | "Sam" = "Mia"): void {
	general.threads().at(-1)?.rename(name, people[by]);
}

function threads(...expected: readonly string[]): Step<DiscordSite> {
	return {
		what: `the threads are ${expected.join()}`,
		does: ({ site, sceneGateway }) => {
			const now = () => site.general.threads().map(({ name }) => name);
			return sceneGateway
				.until(() => isDeepStrictEqual(now(), expected), "the threads have their names")
				.catch((cause: unknown) => {
					throw new Error(`the threads are ${now().join()}`, { cause });
				});
		},
	};
}

/** Changes the messages to text messages with buttons, the format before Discord's components v2. */
function makeText({ general }: DiscordSite): void {
	for (const message of general.record.messages) {
		const [container] = message.components;
		if (container?.type !== ComponentType.Container) continue;
		message.content = textsOf(message.components).join("\n");
		message.components = container.components.filter(({ type }) => type === ComponentType.ActionRow);
		message.flags = MessageFlags.SuppressEmbeds;
	}
}

function presence(status: string, ...activities: readonly string[]): Step<DiscordSite> {
	return {
		what: `the bot is ${status}: ${activities.join()}`,
		does: ({ site, sceneGateway }) =>
			sceneGateway.until(
				() => isDeepStrictEqual(site.simulator.presence, { status, activities }),
				"the presence is shown",
			),
	};
}

function reactions(words: string, expected: Readonly<Record<string, number>>): Step<DiscordSite> {
	return {
		what: `the reactions to "${words}" are ${Object.entries(expected).flat().join(" ")}`,
		async does({ site, sceneGateway }) {
			const present = (): Shown["reactions"] | undefined =>
				site.general.shows().findLast(({ content }) => content.includes(words))?.reactions;
			const isSo = (): boolean => isDeepStrictEqual(present(), expected);
			await sceneGateway.until(isSo, "the reactions are there").catch((cause: unknown) => {
				throw new Error(`the reactions are ${JSON.stringify(present())}`, { cause });
			});
		},
	};
}
