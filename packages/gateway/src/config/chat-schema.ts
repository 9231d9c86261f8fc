import { noticeWays } from "@parley/core";
import * as z from "zod";
import { chatSettingTexts } from "../texts/config/chat-settings.ts";
import { allowedTexts } from "../texts/config/values.ts";
import { choice, dollars, integer, list, string } from "./setting-types.ts";

const assignableRoles = ["guest", "member", "approver", "owner"] as const;
const gibibyte = 1024 * 1024 * 1024;

const platform = () =>
	string(allowedTexts.platformName).regex(/^[a-z][a-z0-9-]{0,39}$/, { error: allowedTexts.platformName });

/**
 * Returns the schema of a platform id. An id is a string, because Discord ids exceed the exact range of JSON numbers.
 */
function id(noun: string): z.ZodString {
	const allowed = allowedTexts.platformId({ noun });
	return string(allowed).regex(/^[^\s:]{1,128}$/u, { error: allowed });
}

const rule = () => ({
	platform: z.exactOptional(platform().describe(chatSettingTexts.rulePlatform)),
	tenant: z.exactOptional(id(allowedTexts.tenant).describe(chatSettingTexts.ruleTenant)),
	channel: z.exactOptional(id(allowedTexts.channel).describe(chatSettingTexts.ruleChannel)),
	platformRole: z.exactOptional(id(allowedTexts.role).describe(chatSettingTexts.rulePlatformRole)),
	user: z.exactOptional(id(allowedTexts.user).describe(chatSettingTexts.ruleUser)),
});

const messageSettings = () => ({
	mention: z.exactOptional(choice(["required", "always"]).describe(chatSettingTexts.mention)),
	sessions: z.exactOptional(choice(["shared", "person"]).describe(chatSettingTexts.sessions)),
	live: z.exactOptional(choice(["off", "text", "tools", "everything"]).describe(chatSettingTexts.live)),
	answers: z.exactOptional(choice(["channel", "thread"]).describe(chatSettingTexts.answers)),
	status: z.exactOptional(choice(["posts", "reactions"]).describe(chatSettingTexts.status)),
	busy: z.exactOptional(choice(["queue", "offer"]).describe(chatSettingTexts.busy)),
	context: z.exactOptional(integer(0, 50).describe(chatSettingTexts.context)),
});

const channelSettings = () =>
	z.strictObject({
		agent: z.exactOptional(string(allowedTexts.agentName).describe(chatSettingTexts.agent)),
		model: z.exactOptional(string(allowedTexts.modelName).describe(chatSettingTexts.model)),
		tools: z.exactOptional(list(allowedTexts.toolName).describe(chatSettingTexts.tools)),
		root: z.exactOptional(string(allowedTexts.directory).describe(chatSettingTexts.root)),
		approvers: z.exactOptional(list(allowedTexts.personId).describe(chatSettingTexts.approvers)),
		approveIn: z.exactOptional(list(allowedTexts.channelId).describe(chatSettingTexts.approveIn)),
		budgetUsd: z.exactOptional(dollars().describe(chatSettingTexts.budgetUsd)),
		quotaBytes: z.exactOptional(integer(1, 1024 * gibibyte).describe(chatSettingTexts.quotaBytes)),
		...messageSettings(),
		approvalHours: z.exactOptional(
			z
				.number({ error: allowedTexts.hours })
				.min(0.1, { error: allowedTexts.hours })
				.max(720, { error: allowedTexts.hours })
				.describe(chatSettingTexts.approvalHours),
		),
	});

const channels = () =>
	z.record(z.string(), channelSettings(), { error: allowedTexts.channelSettings }).superRefine(namesChannels);

function namesChannels(given: object, context: z.RefinementCtx): void {
	const wrong = Object.keys(given).find((name) => !/^[^\s:]+:[^\s:]+(?::[^\s:]+)?$/u.test(name));
	if (wrong !== undefined)
		context.addIssue({ code: "custom", path: [wrong], message: allowedTexts.channelName });
}

const minutesOf = (description: string) =>
	z.exactOptional(
		z
			.number({ error: allowedTexts.minutes })
			.min(1, { error: allowedTexts.minutes })
			.max(10_080, { error: allowedTexts.minutes })
			.describe(description),
	);

const noticeGroup = () =>
	z.strictObject({
		people: z.exactOptional(list(allowedTexts.personId).describe(chatSettingTexts.noticePeople)),
		by: z.exactOptional(
			z
				.array(choice(noticeWays), { error: allowedTexts.noticeWays })
				.min(1, { error: allowedTexts.oneNoticeWay })
				.refine((ways) => ways.lastIndexOf("direct") < 1, {
					error: allowedTexts.directFirst,
				})
				.describe(chatSettingTexts.noticeWays),
		),
	});

const notices = () =>
	z
		.record(
			z.string(),
			z.strictObject({
				groups: z
					.array(noticeGroup(), { error: allowedTexts.groups })
					.min(1, { error: allowedTexts.oneGroup })
					.max(10, { error: allowedTexts.maxGroups })
					.describe(chatSettingTexts.noticeGroups),
				remindMinutes: minutesOf(chatSettingTexts.remindMinutes),
				escalateMinutes: minutesOf(chatSettingTexts.escalateMinutes),
			}),
			{ error: allowedTexts.channelSettings },
		)
		.superRefine(namesChannels)
		.superRefine(namesOwnPeople);

/**
 * Adds an issue for each group with people of another guild or team than the channel's. A connector reaches only
 * people of its own guild or team.
 */
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
			context.addIssue({ code: "custom", path, message: allowedTexts.peopleOfTenant({ tenant }) });
		}
	}
}

const connectorSettings = () => ({
	joinSeconds: z
		.number({ error: allowedTexts.joinSeconds })
		.min(0, { error: allowedTexts.joinSeconds })
		.max(10, { error: allowedTexts.joinSeconds })
		.describe(chatSettingTexts.joinSeconds),
	welcome: z
		.strictObject({
			posts: z.boolean({ error: allowedTexts.trueOrFalse }).describe(chatSettingTexts.greet),
			prompts: list(allowedTexts.prompt, (text) => text.length <= 100)
				.max(3, { error: allowedTexts.maxPrompts })
				.describe(chatSettingTexts.prompts),
		})
		.partial()
		.describe(chatSettingTexts.welcome),
});

/** Returns the schema of the setting `chat`: access of chat users, and channel settings. */
export const chatSchema = () =>
	z
		.strictObject({
			people: z
				.strictObject({
					allow: z
						.array(
							z.strictObject({
								...rule(),
								platform: platform().describe(chatSettingTexts.allowPlatform),
								as: choice(assignableRoles).describe(chatSettingTexts.allowRole),
							}),
							{ error: allowedTexts.rules },
						)
						.describe(chatSettingTexts.allow),
					deny: z
						.array(z.strictObject(rule()).refine(hasIdentity, { error: allowedTexts.identity }), {
							error: allowedTexts.rules,
						})
						.describe(chatSettingTexts.deny),
				})
				.partial()
				.describe(chatSettingTexts.people),
			tenants: z
				.record(platform(), list(allowedTexts.platformId({ noun: allowedTexts.tenant })), {
					error: allowedTexts.tenants,
				})
				.describe(chatSettingTexts.tenants),
			trust: z
				.strictObject({
					endOnStranger: z
						.boolean({ error: allowedTexts.trueOrFalse })
						.describe(chatSettingTexts.endOnStranger),
				})
				.partial()
				.describe(chatSettingTexts.trust),
			typedApprovals: z
				.boolean({ error: allowedTexts.trueOrFalse })
				.describe(chatSettingTexts.typedApprovals),
			...connectorSettings(),
			approvalNotices: notices().describe(chatSettingTexts.notices),
			channels: channels().describe(chatSettingTexts.channels),
			places: channels().meta({ deprecated: true, description: chatSettingTexts.places }),
		})
		.partial();

function hasIdentity(given: object): boolean {
	return ["platform", "tenant", "channel", "platformRole", "user"].some((name) => Object.hasOwn(given, name));
}
