import { isOzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { chatScene, reduceTimedEvents, type TimedEvent, written } from "../../testing/chat-scene.ts";
import { type TrustSlice, trust } from "./trust.ts";

const grant = {
	grant_id: "grant_1dddddd",
	place: "discord:1:2",
	people: null,
	tools: null,
	classes: null,
	max_actions: 200,
	used_actions: 0,
	reason: "tonight's *release*",
	granted_by: "operator",
	created_at: "1970-01-01T00:00:10.000Z",
	expires_at: "1970-01-01T01:00:00.000Z",
};
const created: TimedEvent = [10, "grant.created", grant];

function ended(reason: string, grant_id = grant.grant_id): TimedEvent {
	return [70, "grant.ended", { grant_id, reason }];
}

function open(cover: string, by: string): string {
	return [
		"milestone room grant:grant_1dddddd: 🔓 **This channel is trusted**: tools run here without approval.",
		`- Covered: ${cover}`,
		"- Expires {until 3600 s}",
		`- Granted by ${by}: tonight's \\*release\\*`,
		"- Still requires approval: reads and writes outside the working directory, secrets, changes to the gateway, commands without a sandbox, and irreversible actions",
		"[End trust]",
	].join("\n");
}

function closed(why: string): string[] {
	return [
		`milestone room grant:grant_1dddddd: 🔒 **This channel is no longer trusted**, {70 s}: ${why}.`,
		`milestone room grant-end:grant_1dddddd: 🔒 Tools require approval here again: ${why}.`,
	];
}

interface Scenario {
	readonly name: string;
	readonly events: readonly TimedEvent[];
	readonly sees: readonly string[];
	readonly open?: string;
}

const everything = "all tools, for all members here, at most 200 calls";

const scenarios: readonly Scenario[] = [
	{
		name: "a trusted channel shows what runs unasked, who said so, and until when",
		events: [created],
		sees: [open(everything, "the operator")],
		open: "grant_1dddddd",
	},
	{
		name: "a grant of some tools for some people says which, and an owner has a name",
		events: [
			[
				10,
				"grant.created",
				{
					...grant,
					tools: ["git", "run_command"],
					people: ["discord:1:42"],
					classes: ["read", "write"],
					granted_by: "discord:1:7",
				},
			],
		],
		sees: [
			open("the tools `git`, `run_command`, only the classes read, write, for @42, at most 200 calls", "@7"),
		],
		open: "grant_1dddddd",
	},
	{
		name: "a long list of tools is cut",
		events: [
			[10, "grant.created", { ...grant, tools: Array.from({ length: 12 }, (_, index) => `t${index}`) }],
		],
		sees: [
			open(
				"the tools `t0`, `t1`, `t2`, `t3`, `t4`, `t5`, `t6`, `t7`, `t8`, `t9`, 2 more, for all members here, at most 200 calls",
				"the operator",
			),
		],
		open: "grant_1dddddd",
	},
	{
		name: "when it expired the card says so, and everybody notices",
		events: [created, ended("expired")],
		sees: closed("the trust grant expired"),
	},
	{
		name: "who ends it has a name",
		events: [created, ended("revoked by discord:1:42")],
		sees: closed("@42 ended the trust"),
	},
	{
		name: "who ends it may say why",
		events: [created, ended("revoked by operator: the release *is* out")],
		sees: closed("the operator ended the trust: the release \\*is\\* out"),
	},
	{
		name: "a final full stop of a reason is not repeated",
		events: [created, ended("revoked by operator: the release is out.")],
		sees: closed("the operator ended the trust: the release is out"),
	},
	{
		name: "a grant for reads outside the working directory shows that writes still require approval",
		events: [[10, "grant.created", { ...grant, classes: ["outside-read"] }]],
		sees: [
			open(
				"all tools, only the class outside-read, for all members here, at most 200 calls",
				"the operator",
			).replace("reads and writes", "writes"),
		],
		open: "grant_1dddddd",
	},
	{
		name: "where others may read the channel, that is the reason and not who noticed",
		events: [created, ended("revoked by connector_1: others may read this channel now: a guest joined")],
		sees: closed("others may read this channel now: a guest joined"),
	},
	{
		name: "what the gateway says of the end is told in its words",
		events: [created, ended("3 calls were denied")],
		sees: closed("3 calls were denied"),
	},
	{
		name: "the card of a replaced grant does not report the end of trust",
		events: [created, ended("a newer grant replaces it")],
		sees: ["milestone room grant:grant_1dddddd: 🔒 **A newer trust grant replaced this grant**, {70 s}."],
	},
	{
		name: "a grant that is replaced ends, and the next one has a card of its own",
		events: [
			created,
			ended("a newer grant replaces it"),
			[71, "grant.created", { ...grant, grant_id: "grant_2eeeeee" }],
		],
		sees: [open(everything, "the operator").replaceAll("1dddddd", "2eeeeee").replace("dddddd", "eeeeee")],
		open: "grant_2eeeeee",
	},
	{
		name: "the end of a grant that this room was not told of is not shown",
		events: [created, ended("expired", "grant_9")],
		sees: [],
		open: "grant_1dddddd",
	},
	{
		name: "an end that is told twice is shown once",
		events: [created, ended("expired"), ended("expired")],
		sees: [],
	},
];

test.each(scenarios)("$name", ({ events, sees, open: id }) => {
	for (const [, event, payload] of events) {
		expect(isOzzieEvent({ type: "event", event, payload, session_id: "sess_1", seq: 1 })).toBe(true);
	}
	const { slice, shown } = reduceTimedEvents(trust, events);
	expect(shown.at(-1)?.map(written)).toEqual(sees);
	expect(slice).toEqual<TrustSlice>(id === undefined ? {} : { open: { id } });
});

test("a channel and each of its threads have their own card, because a post is visible in only one of them", () => {
	const [, [card, notice] = []] = reduceTimedEvents(trust, [created, ended("expired")], {
		scene: { ...chatScene, thread: "9" },
	}).shown;
	expect([card, notice]).toMatchObject([
		{ card: "grant:grant_1dddddd:9" },
		{ card: "grant-end:grant_1dddddd:9" },
	]);
});
