import * as z from "zod";
import { choice, dollars, list, string, wholeNumber } from "./setting-types.ts";

const givenRoles = ["guest", "member", "approver", "owner"] as const;
const gibibyte = 1024 * 1024 * 1024;

const platformName = "the name of a chat platform, such as discord or slack";
const platform = () => string(platformName).regex(/^[a-z][a-z0-9-]{0,39}$/, { error: platformName });

/** Ids are longer than numbers of JSON can be. */
function id(what: string): z.ZodString {
	const allowed = `the platform's id of ${what}, in quotes`;
	return string(allowed).regex(/^[^\s:]{1,128}$/u, { error: allowed });
}

const rule = () => ({
	platform: z.exactOptional(platform().describe("People of this platform, such as discord.")),
	tenant: z.exactOptional(id("a guild or team").describe("People of this guild or team.")),
	channel: z.exactOptional(id("a channel").describe("People who speak in this channel.")),
	platformRole: z.exactOptional(id("a role").describe("People who hold this role of the platform.")),
	user: z.exactOptional(id("a user").describe("This one person.")),
});

const hours = "a number of hours from 0.1 to 720";

const place = () =>
	z.strictObject({
		agent: z.exactOptional(
			string("the name of an agent profile").describe("The agent profile of its conversations."),
		),
		model: z.exactOptional(
			string("the name of a model").describe("The model that answers there: a name or a tier."),
		),
		tools: z.exactOptional(
			list("the name of a tool").describe("The only tools that there are. All unless told."),
		),
		root: z.exactOptional(
			string("a directory").describe(
				"Where its tools work, relative to this file. Each conversation has a workspace of its own unless told.",
			),
		),
		approvers: z.exactOptional(
			list("the id of a person: PLATFORM:TENANT:USER").describe(
				"Who may approve what tools want to do: they alone. Whoever has the role approver unless told.",
			),
		),
		approveIn: z.exactOptional(
			list("the name of a channel: PLATFORM:TENANT:CHANNEL").describe(
				"Channels in which its approvals may be answered, too, by who may approve there.",
			),
		),
		budgetUsd: z.exactOptional(
			dollars().describe("US dollars in one UTC day, for each of its conversations."),
		),
		quotaBytes: z.exactOptional(
			wholeNumber(1, 1024 * gibibyte).describe(
				"Bytes that the workspace of a conversation may hold. 1 GiB unless told.",
			),
		),
		mention: z.exactOptional(
			choice(["required", "always"]).describe(
				"When a message is for the agent: when it is named, or always. required unless told.",
			),
		),
		sessions: z.exactOptional(
			choice(["shared", "person"]).describe(
				"Whose the conversation there is: of all people together, or each has one of their own. shared unless told.",
			),
		),
		approvalHours: z.exactOptional(
			z
				.number({ error: hours })
				.min(0.1, { error: hours })
				.max(720, { error: hours })
				.describe("Hours that its questions wait for an answer. 24 unless told."),
		),
	});

const placeName = "PLATFORM:TENANT:CHANNEL as its name, or PLATFORM:TENANT for all of a guild or team";

const places = () =>
	z.record(z.string(), place(), { error: `an object with ${placeName}` }).superRefine(namesPlaces);

function namesPlaces(given: object, context: z.RefinementCtx): void {
	const wrong = Object.keys(given).find((name) => !/^[^\s:]+:[^\s:]+(?::[^\s:]+)?$/u.test(name));
	if (wrong !== undefined) context.addIssue({ code: "custom", path: [wrong], message: placeName });
}

const somebody = "a rule that names a platform, tenant, channel, platformRole or user";

/** What stands under `chat`: who of chat platforms may come in, and how channels work. */
export const chatSchema = () =>
	z
		.strictObject({
			people: z
				.strictObject({
					allow: z
						.array(
							z.strictObject({
								...rule(),
								platform: platform().describe("People of this platform: all other ids are its own."),
								as: choice(givenRoles).describe("What they may be: their role."),
							}),
							{ error: "a list of rules" },
						)
						.describe(
							"Who comes in without a code. All that a rule names has to fit; the highest role counts.",
						),
					deny: z
						.array(z.strictObject(rule()).refine(namesSomebody, { error: somebody }), {
							error: "a list of rules",
						})
						.describe("Who never comes in, whatever else is said of them."),
				})
				.partial()
				.describe("Who of chat platforms may come in, beside those whom the operator has let in."),
			tenants: z
				.record(platform(), list("the platform's id of a guild or team, in quotes"), {
					error: "a list of guilds or teams under the name of each platform, such as discord",
				})
				.describe("Guilds and teams that connectors may speak for, by platform."),
			trust: z
				.strictObject({
					endOnStranger: z
						.boolean({ error: "true or false" })
						.describe("Whether that ends when somebody speaks there who was not let in. true unless told."),
				})
				.partial()
				.describe("How long channels stay trusted whose calls run unasked (parley trust)."),
			places: places().describe("How channels work: by PLATFORM:TENANT:CHANNEL, or PLATFORM:TENANT."),
		})
		.partial();

function namesSomebody(given: object): boolean {
	return ["platform", "tenant", "channel", "platformRole", "user"].some((name) => Object.hasOwn(given, name));
}
