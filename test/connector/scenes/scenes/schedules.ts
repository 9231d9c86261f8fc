import type { DiscordSite } from "../discord-site.ts";
import type { SlackSite } from "../slack-site.ts";
import type { Scene, Step } from "../step.ts";

const hour = 3_600_000;
const [text, when, title] = ["say: all is well", "every hour", "Report"];

const hourly: readonly Step[] = [
	{ commands: "/schedule add", with: { text, when, title } },
	{ answered: ["Scheduled:", "**Report**: every hour"] },
	{ passes: hour },
	{ shows: ["[offline] all is well", "⏰ Report"], times: 1 },
];

/** Returns the steps after the owner of the schedule has lost a permission. */
const refused = (reason: string | RegExp): readonly Step[] => [
	{ passes: hour },
	{ shows: ["⏰ **Report** did not run:", reason], times: 1 },
	{ passes: hour },
	{ shows: ["⏰ **Report** did not run:", reason], times: 1 },
	{ shows: "[offline] all is well", times: 1 },
	{ operator: "list_schedules", asks: {}, has: reason },
];

export const schedules: readonly Scene[] = [
	{
		name: "a schedule posts its answer with its name, and is listed",
		steps: [...hourly, { commands: "/schedule list" }, { answered: ["**Report**: every hour", "next"] }],
	},
	{
		name: "a schedule is listed in answer to a message, and only its owner can remove it",
		steps: [
			...hourly,
			{ says: "@Parley !schedules" },
			{ shows: "**Report**: every hour" },
			{ commands: "/schedule remove", with: { id: "1" }, by: "Max" },
			{ answered: "There is no schedule “1” here" },
			{ commands: "/schedule remove", with: { id: "1" } },
			// In a thread on Slack, the answer to a typed command has no title.
			{ answered: "Removed" },
			{ shows: "⏰ **Report** is no longer scheduled." },
			{ passes: hour },
			{ shows: ["[offline] all is well"], times: 1 },
		],
	},
	{
		name: "a schedule answers in a separate thread",
		steps: [
			{ commands: "/schedule add", with: { text, when, title, show: "thread" } },
			{ answered: "**Report**" },
			{ passes: hour },
			{ shows: ["[offline] all is well", "⏰ Report"], in: "thread" },
		],
	},
	{
		name: "a silent schedule shows only that it failed",
		steps: [
			{ commands: "/schedule add", with: { text, when: "in 30 minutes", title, show: "silent" } },
			{ answered: "**Report**" },
			{ passes: hour },
			{ hides: "[offline] all is well" },
			{
				commands: "/schedule add",
				with: { text: "fail: no coal", when: "in 30 minutes", title, show: "silent" },
			},
			{ answered: "**Report**" },
			{ passes: hour },
			{ shows: "⏰ Report" },
		],
	},
	{
		name: "a schedule waits while its connector is away, and fires late",
		steps: [
			...hourly,
			{ stops: "connector" },
			{ passes: 1.5 * hour },
			{ operator: "list_schedules", asks: {}, has: "is not connected, or cannot confirm" },
			{ starts: "connector" },
			{ shows: ["[offline] all is well", "⏰ Report · late, was due"], times: 1 },
		],
	},
	{
		name: "a schedule of a person who can no longer see the channel does not run",
		only: "discord",
		steps: [
			...hourly,
			{
				what: "Mia is shut out",
				does: ({ site }) => site.general.permit(site.people.Mia, { deny: ["ViewChannel"] }),
			},
			...refused("can no longer write in the channel"),
		],
	} satisfies Scene<DiscordSite>,
	{
		name: "a schedule of a person who lost the role does not run until the role is back",
		only: "discord",
		steps: [
			...hourly,
			{
				what: "Mia loses the role",
				does: ({ site }) => site.people.Mia.loses(site.simulator.home.role("members")),
			},
			...refused("has no access"),
			{
				what: "Mia has the role again",
				does: ({ site }) => site.people.Mia.gains(site.simulator.home.role("members")),
			},
			{ passes: hour },
			{ shows: ["[offline] all is well", "⏰ Report"], times: 2 },
		],
	} satisfies Scene<DiscordSite>,
	{
		name: "a schedule of a person who left the server does not run, with any role",
		only: "discord",
		steps: [
			...hourly,
			{
				what: "the operator names Mia approver, who then leaves",
				async does({ operator, site, sceneGateway }) {
					const person = `discord:${site.tenant}:${site.people.Mia.id}`;
					await sceneGateway.through(operator.request("set_person_role", { person, role: "approver" }));
					site.simulator.home.removes(site.people.Mia);
				},
			},
			...refused("has left the server or workspace"),
		],
	} satisfies Scene<DiscordSite>,
	{
		name: "a schedule of a person who was removed from the workspace does not run",
		only: "slack",
		steps: [
			...hourly,
			{ what: "Mia is removed", does: ({ site }) => site.people.Mia.person.deactivates() },
			...refused("has left the server or workspace"),
		],
	} satisfies Scene<SlackSite>,
	{
		name: "a schedule of a person who became a guest of the workspace does not run",
		only: "slack",
		steps: [
			...hourly,
			{ what: "Mia becomes a guest", does: ({ site }) => site.people.Mia.person.becomes("guest") },
			...refused("only members can schedule messages"),
		],
	} satisfies Scene<SlackSite>,
];
