import type { SceneGateway } from "../scene-gateway.ts";
import { shownPosts } from "../shown-posts.ts";
import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";

const slow = "long: 20 tokens at 2 per second";

export const slackStreams: readonly Scene<SlackSite>[] = [
	{
		name: "a direct message is answered in its thread, in a stream that ends with the complete answer",
		steps: [
			{ says: slow, in: "dm" },
			{ shows: "[Stop]", in: "dm" },
			grew(["create"]),
			{ passes: 3000 },
			grew(["create", "append"]),
			{ passes: 15_000 },
			{ shows: "[Good]", in: "dm", times: 1 },
			grew(["create", "append", "stop", "edit"]),
			finished(),
		],
	},
	{
		name: "each direct message starts a separate conversation",
		steps: [
			{ says: "say: one", in: "dm", as: "one" },
			{ shows: "[offline] one", in: "dm" },
			{
				what: "Mia writes below the first message, and then at the top",
				does: ({ site }) => {
					const { person } = site.people.Mia;
					person.says("say: two", { in: person.dm });
				},
			},
			{ shows: "[offline] two", in: "dm" },
			{
				what: "each answer is in the thread of its message",
				does: ({ site }) => {
					const { dm } = site.people.Mia.person;
					const replies = dm.threads().map((thread) => thread.shows().length);
					if (replies.join() !== "1,1") throw new Error(`the threads have ${replies.join()} replies`);
				},
			},
		],
	},
	...(
		[
			["starts without a response", "chat.startStream", { drop: "after-commit" }],
			["cannot start", "chat.startStream", { error: "not_allowed" }],
			["grows without a response", "chat.appendStream", { drop: "after-commit" }],
			["cannot grow", "chat.appendStream", { error: "message_not_in_streaming_state" }],
			["ends without a response", "chat.stopStream", { drop: "after-commit" }],
			["cannot be completed at once", "chat.update", { status: 503, drop: "after-commit" }],
		] as const
	).map(
		([title, method, is]): Scene<SlackSite> => ({
			name: `an answer whose stream ${title} is complete in one post`,
			steps: [
				{ fault: method, is },
				{ says: slow, in: "dm" },
				{ passes: 90_000 },
				{ shows: "[Good]", in: "dm", times: 1 },
				{ hides: "[Stop]", in: "dm" },
				finished(),
			],
		}),
	),
	{
		name: "a stream that a process leaves behind is completed by the next one, also without its database",
		steps: [
			{ says: slow, in: "dm" },
			{ shows: "[Stop]", in: "dm" },
			{ restarts: "connector" },
			{ passes: 60_000 },
			{ shows: "[Good]", in: "dm", times: 1 },
			finished(),
			{ says: slow, in: "dm" },
			{ shows: "[Stop]", in: "dm" },
			{ losesDatabase: true },
			{ passes: 90_000 },
			{ shows: "[Good]", in: "dm", times: 2 },
			finished(),
		],
	},
	{
		name: "tool calls are task cards of the stream",
		steps: [
			{ says: `schedules: all\n${slow}`, in: "dm" },
			{ shows: ["✅ list_schedules\n", "t2", "[Stop]"], in: "dm" },
			grew(["create", "append"]),
			{ passes: 20_000 },
			{ shows: "[Good]", in: "dm", times: 1 },
			{ hides: "✅ list_schedules", in: "dm" },
			finished(),
		],
	},
];

const request = "read: notes.txt\nread: notes.txt\nlong: 20 tokens at 2 per second";
const inDirect = { settingsOf: "dm" } as const;
const complete: readonly Step<SlackSite>[] = [
	{ passes: 20_000 },
	{ shows: ["t20", "[Good]"], in: "dm", times: 1 },
	{ hides: "[Stop]", in: "dm" },
	finished(),
];

export const slackStreamLevels: readonly Scene<SlackSite>[] = [
	{
		name: "with the level off, a direct message is answered without a stream",
		...inDirect,
		place: { live: "off" },
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request, in: "dm" },
			{ typing: true, in: "dm" },
			{ passes: 4000 },
			{
				what: "the direct messages have no post of Parley",
				does: ({ site }) => {
					const posts = shownPosts(site, site.room("dm", site.people.Mia));
					if (posts.length > 0) throw new Error(`they have ${posts.join("\n")}`);
				},
			},
			...complete,
			grew(["create"]),
			{ typing: false, in: "dm" },
		],
	},
	{
		name: "with the level text, a stream has no cards of tool calls",
		...inDirect,
		place: { live: "text" },
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request, in: "dm" },
			{ shows: ["t3", "[Stop]", /^(?!.*✅)/s], in: "dm" },
			grew(["create", "append"]),
			...complete,
			grew(["create", "append", "stop", "edit"]),
		],
	},
	{
		name: "with the usual level, a stream has a card for each tool call without its subject",
		...inDirect,
		place: {},
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request, in: "dm" },
			{ shows: ["t3", "[Stop]", /(?:✅ read_file(?! notes).*){2}/s], in: "dm" },
			grew(["create", "append"]),
			...complete,
		],
	},
	{
		name: "with the level everything, a stream has the subjects of tool calls",
		...inDirect,
		place: { live: "everything" },
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request, in: "dm" },
			{ shows: ["t3", "[Stop]", /(?:✅ read_file notes\.txt.*){2}/s], in: "dm" },
			grew(["create", "append"]),
			...complete,
		],
	},
];

/**
 * Returns a step that waits until the last post has changed by `kinds`. Consecutive changes of one kind are one
 * item.
 */
function grew(kinds: readonly string[]): Step<SlackSite> {
	return {
		what: `the post has changed by ${kinds.join()}`,
		does: ({
			sceneGateway,
			site,
		}: {
			readonly sceneGateway: SceneGateway;
			readonly site: SlackSite;
		}): Promise<void> => {
			const changes = (): string => {
				const { dm } = site.people.Mia.person;
				const last = dm.threads().at(-1)?.shows().at(-1);
				const all = last === undefined ? [] : dm.states(last).map(({ by }) => by);
				return all.filter((kind, index) => kind !== all[index - 1]).join();
			};
			return sceneGateway.until(
				() => changes() === kinds.join(),
				`the changes are ${kinds.join()}, not ${changes()}`,
				"still",
			);
		},
	};
}

function finished(): Step<SlackSite> {
	return {
		what: "no stream is unfinished",
		does: ({ site }) => {
			const unfinished = site.simulator.unfinished().map(({ text }) => text);
			if (unfinished.length > 0) throw new Error(`unfinished: ${unfinished.join()}`);
		},
	};
}
