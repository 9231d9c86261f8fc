import { noticeWays } from "@parley/core";
import * as z from "zod";
import { choice, dollars, list, string, wholeNumber } from "./setting-types.ts";

const givenRoles = ["guest", "member", "approver", "owner"] as const;
const gibibyte = 1024 * 1024 * 1024;

const platformName = "the name of a chat platform, such as discord or slack";
const platform = () => string(platformName).regex(/^[a-z][a-z0-9-]{0,39}$/, { error: platformName });

/** Strings, because ids exceed the range of JSON numbers. */
function id(what: string): z.ZodString {
	const allowed = `the platform's id of ${what}, in quotes`;
	return string(allowed).regex(/^[^\s:]{1,128}$/u, { error: allowed });
}

const rule = () => ({
	platform: z.exactOptional(platform().describe("People of this platform, such as discord.")),
	tenant: z.exactOptional(id("a guild or team").describe("People of this guild or team.")),
	channel: z.exactOptional(id("a channel").describe("People who write in this channel.")),
	platformRole: z.exactOptional(id("a role").describe("People with this role of the platform.")),
	user: z.exactOptional(id("a user").describe("This person.")),
});

const hours = "a number of hours from 0.1 to 720";

/** Settings of connectors for the messages of a channel. */
const messageSettings = () => ({
	mention: z.exactOptional(
		choice(["required", "always"]).describe(
			"Messages that the agent answers. With required, those that mention it. With always, all. Default: required.",
		),
	),
	sessions: z.exactOptional(
		choice(["shared", "person"]).describe(
			"Sessions of the channel. With shared, all people share one. With person, each person has a separate one. Default: shared.",
		),
	),
	live: z.exactOptional(
		choice(["off", "text", "tools", "everything"]).describe(
			"Display of an answer while the agent works. With text, its text. With tools, also one line for each tool call. With everything, also the subject of each call. Default: tools.",
		),
	),
	answers: z.exactOptional(
		choice(["channel", "thread"]).describe(
			"Place of the answer to a mention. With thread, the agent opens a thread at the message, and answers in it. For Discord. Default: channel.",
		),
	),
	status: z.exactOptional(
		choice(["posts", "reactions"]).describe(
			"Display of the state of a message. With reactions, the agent adds 👀, ⏳, ✅ or ❌ to it, and posts no notice about the queue. For Discord. Default: posts.",
		),
	),
	busy: z.exactOptional(
		choice(["queue", "offer"]).describe(
			"A message while the agent works. With queue, it waits for its turn. With offer, its author can also add it to the running request, by a button. Default: queue.",
		),
	),
	context: z.exactOptional(
		wholeNumber(0, 50).describe(
			"Number of earlier messages of the channel that the agent gets with a request. 0 means none, also in threads. Default: 20.",
		),
	),
});

const channelSettings = () =>
	z.strictObject({
		agent: z.exactOptional(
			string("the name of an agent profile").describe(
				"Agent profile for the sessions of the channel. Default: default.",
			),
		),
		model: z.exactOptional(
			string("the name of a model").describe(
				"Model for the channel: a name or a tier. Default: the model of the agent profile.",
			),
		),
		tools: z.exactOptional(
			list("the name of a tool").describe("Names of the only tools in the channel. Default: all tools."),
		),
		root: z.exactOptional(
			string("a directory").describe(
				"Directory in which its tools work. Relative to this file. Default: a separate workspace for each session.",
			),
		),
		approvers: z.exactOptional(
			list("the id of a person: PLATFORM:TENANT:USER").describe(
				"The only people who may approve tool calls, as PLATFORM:TENANT:USER. Default: people with the role approver or owner.",
			),
		),
		approveIn: z.exactOptional(
			list("the name of a channel: PLATFORM:TENANT:CHANNEL").describe(
				"Channels whose approvers may also approve tool calls of this channel, as PLATFORM:TENANT:CHANNEL. Default: none.",
			),
		),
		budgetUsd: z.exactOptional(
			dollars().describe("US dollars for one UTC day, for each session of the channel. Default: no limit."),
		),
		quotaBytes: z.exactOptional(
			wholeNumber(1, 1024 * gibibyte).describe(
				"Maximum size of the workspace of a session, in bytes. Default: 1073741824 (1 GiB).",
			),
		),
		...messageSettings(),
		approvalHours: z.exactOptional(
			z
				.number({ error: hours })
				.min(0.1, { error: hours })
				.max(720, { error: hours })
				.describe("Hours until an approval or a question expires. Default: 24."),
		),
	});

const channelName = "PLATFORM:TENANT:CHANNEL as its name, or PLATFORM:TENANT for all of a guild or team";

const channels = () =>
	z
		.record(z.string(), channelSettings(), { error: `an object with ${channelName}` })
		.superRefine(namesChannels);

function namesChannels(given: object, context: z.RefinementCtx): void {
	const wrong = Object.keys(given).find((name) => !/^[^\s:]+:[^\s:]+(?::[^\s:]+)?$/u.test(name));
	if (wrong !== undefined) context.addIssue({ code: "custom", path: [wrong], message: channelName });
}

const joinTime = "a number of seconds from 0 to 10";
const aPrompt = "a request of at most 100 characters";

const identity = "a rule that names a platform, tenant, channel, platformRole or user";

const minutes = "a number of minutes from 1 to 10080";

const minutesOf = (description: string) =>
	z.exactOptional(
		z
			.number({ error: minutes })
			.min(1, { error: minutes })
			.max(10_080, { error: minutes })
			.describe(description),
	);

const noticeGroup = () =>
	z.strictObject({
		people: z.exactOptional(
			list("the id of a person: PLATFORM:TENANT:USER").describe(
				"People of the group, as PLATFORM:TENANT:USER. Default: the approvers of the channel, or up to five people with the role approver or owner.",
			),
		),
		by: z.exactOptional(
			z
				.array(choice(noticeWays), { error: "a list of mention, channel and direct" })
				.min(1, { error: "a list with mention, channel or direct" })
				.refine((ways) => ways.lastIndexOf("direct") < 1, {
					error: "a list with direct only as its first way",
				})
				.describe(
					"Ways to notify the group. A later one is tried if an earlier one does not reach a person. With mention, by a mention in the conversation. With channel, by a post in the channels of approveIn. With direct, by a direct message. Default: mention.",
				),
		),
	});

/** Notices about approvals. */
const notices = () =>
	z
		.record(
			z.string(),
			z.strictObject({
				groups: z
					.array(noticeGroup(), { error: "a list of groups" })
					.min(1, { error: "a list with at least one group" })
					.max(10, { error: "a list of at most 10 groups" })
					.describe("Groups of approvers. The first is notified at once, each other one at an escalation."),
				remindMinutes: minutesOf("Minutes until the only reminder of the first group. Default: 60."),
				escalateMinutes: minutesOf(
					"Minutes until the next group is notified, from the reminder or from the notice of the group before. Default: 60.",
				),
			}),
			{ error: `an object with ${channelName}` },
		)
		.superRefine(namesChannels)
		.superRefine(namesOwnPeople);

/** A connector reaches only people of its own guild or team. */
function namesOwnPeople(
	given: Readonly<Record<string, { readonly groups: readonly { readonly people?: readonly string[] }[] }>>,
	context: z.RefinementCtx,
): void {
	for (const [name, { groups }] of Object.entries(given)) {
		const tenant = name.split(":").slice(0, 2).join(":");
		const isOwn = (id: string): boolean => id.startsWith(`${tenant}:`) && id.split(":").length === 3;
		for (const [index, { people = [] }] of groups.entries()) {
			if (people.every(isOwn)) continue;
			const path = [name, "groups", index, "people"];
			context.addIssue({ code: "custom", path, message: `people of ${tenant}, as ${tenant}:USER` });
		}
	}
}

/** Settings of connectors for all channels. */
const connectorSettings = () => ({
	joinSeconds: z
		.number({ error: joinTime })
		.min(0, { error: joinTime })
		.max(10, { error: joinTime })
		.describe(
			"Seconds in which the messages of a person in a conversation become one request. 0 sends each message alone and at once. Default: 2.",
		),
	welcome: z
		.strictObject({
			posts: z
				.boolean({ error: "true or false" })
				.describe("Post a welcome in a channel and to a person at the first contact. Default: true."),
			prompts: list(aPrompt, (text) => text.length <= 100)
				.max(3, { error: `at most three, each ${aPrompt}` })
				.describe(
					"Requests that the welcome suggests, at most three. Default: skills of the data directory, and general requests.",
				),
		})
		.partial()
		.describe("Welcome of connectors: the work of the agent, the approvers, and suggested requests."),
});

/** Schema of `chat`: access of chat users, and channel settings. */
export const chatSchema = () =>
	z
		.strictObject({
			people: z
				.strictObject({
					allow: z
						.array(
							z.strictObject({
								...rule(),
								platform: platform().describe(
									"Platform of the people. All other ids of the rule are ids of this platform.",
								),
								as: choice(givenRoles).describe("Role of the people."),
							}),
							{ error: "a list of rules" },
						)
						.describe(
							"People who have access without a code. A rule matches if all its ids match. If several rules match, the highest role applies.",
						),
					deny: z
						.array(z.strictObject(rule()).refine(hasIdentity, { error: identity }), {
							error: "a list of rules",
						})
						.describe("People who never have access, whatever other rules or pairings say."),
				})
				.partial()
				.describe("Chat users with access, in addition to those whom the operator approved."),
			tenants: z
				.record(platform(), list("the platform's id of a guild or team, in quotes"), {
					error: "a list of guilds or teams under the name of each platform, such as discord",
				})
				.describe("Ids of the guilds or teams that connectors may serve, by platform."),
			trust: z
				.strictObject({
					endOnStranger: z
						.boolean({ error: "true or false" })
						.describe(
							"End the trust grant of a channel when a person without access writes in it. Default: true.",
						),
				})
				.partial()
				.describe("Conditions that end the trust grant of a channel (parley trust)."),
			typedApprovals: z
				.boolean({ error: "true or false" })
				.describe(
					"Allow approvers to answer an approval by typing approve or deny as a message. Default: true.",
				),
			...connectorSettings(),
			approvalNotices: notices().describe(
				"Notices to approvers, by PLATFORM:TENANT:CHANNEL, or by PLATFORM:TENANT for all channels of a guild or team.",
			),
			channels: channels().describe(
				"Channel settings, by PLATFORM:TENANT:CHANNEL, or by PLATFORM:TENANT for all channels of a guild or team.",
			),
			places: channels().meta({ deprecated: true, description: "Old name of channels." }),
		})
		.partial();

function hasIdentity(given: object): boolean {
	return ["platform", "tenant", "channel", "platformRole", "user"].some((name) => Object.hasOwn(given, name));
}
