import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

export const trusted: Step[] = [
	{ commands: "/trust on", with: { reason: "release", minutes: 60 }, by: "Olga" },
	{ answered: "An owner or the operator must confirm it" },
	{ shows: ["Trust request", "release", "[Approve] [Deny]"] },
	{ clicks: "Approve", by: "Olga" },
	{ shows: ["✅ **Approved** by @Olga"] },
	{ shows: ["🔓 **This channel is trusted**", "[End trust]"] },
];

export const access: readonly Scene<DiscordSite>[] = [
	{
		name: "a person without access gets instructions, once a day",
		steps: [
			{ says: "@Parley say: hello", by: "Sam" },
			{ shows: ["You do not have access yet", /`\/(?:parley )?pair`/], to: "Sam" },
			{ hides: "You do not have access yet" },
			{ says: "@Parley say: hello?", by: "Sam" },
			{ shows: "You do not have access yet", to: "Sam", times: 1 },
			{ passes: 86_400_000 },
			{ says: "@Parley say: hello!", by: "Sam" },
			{ shows: "You do not have access yet", to: "Sam", times: 2 },
		],
	},
	{
		name: "a person without access gets a code, and the operator pairs them with it",
		steps: [
			{ says: "@Parley !pair", by: "Sam" },
			{ notes: /Your code is `(\S+)`/ },
			{ operator: "approve_person", asks: { code: "{1}", role: "member" } },
			{ says: "@Parley say: thank you", by: "Sam" },
			{ shows: ["(to Sam)", "[offline] thank you"] },
		],
	},
	{
		name: "a person pairs with a code of the operator, in private",
		steps: [
			{ operator: "invite_person", asks: { role: "approver" }, notes: "code" },
			{ commands: "/pair", with: { code: "{1}" }, by: "Sam" },
			{ answered: "Welcome! Your role here is approver" },
			{ commands: "/whoami", by: "Sam" },
			{ answered: "**approver**" },
		],
	},
	{
		name: "an invalid code is refused with its reason, in private, each time",
		steps: [
			{ commands: "/pair", with: { code: "AAAA-AAAA" }, by: "Sam" },
			{ answered: ["This code is wrong", "ask the operator for another code (parley people pair)"] },
			{ commands: "/pair", with: { code: "CODE" }, by: "Sam" },
			{ answered: ["This is not a pairing code", "8 letters and digits"] },
			{ operator: "invite_person", asks: { role: "approver" }, notes: "code" },
			{ commands: "/pair", with: { code: "{1}" }, by: "Max" },
			{ answered: "Welcome!" },
			{ commands: "/pair", with: { code: "{1}" }, by: "Sam" },
			{ answered: ["This code was already used or withdrawn", "another code"] },
			{ operator: "invite_person", asks: { role: "approver" }, notes: "code" },
			{ passes: 3_600_000 },
			{ commands: "/pair", with: { code: "{1}" }, by: "Sam" },
			{ answered: ["This code has expired", "another code"] },
			{ commands: "/whoami", by: "Sam" },
			{ answered: "stranger" },
			{ hides: "You do not have access yet" },
		],
	},
	{
		name: "in a direct message a wrong code is refused each time, and a message without a code gets a code for the operator",
		steps: [
			{ says: "!pair AAAA-AAAA", in: "dm", by: "Sam" },
			{ says: "!pair AAAA-AAAA", in: "dm", by: "Sam" },
			{ shows: "This code is wrong", in: "dm", to: "Sam", times: 2 },
			{ says: "!pair", in: "dm", by: "Sam" },
			{
				shows: ["Your code is", "Ask the operator to run", /`(?:\/|\/parley |!)pair CODE`/],
				...{ in: "dm", to: "Sam" },
			},
			{ notes: /Your code is `(\S+)`/, in: "dm", to: "Sam" },
			{ says: "!pair {1}", in: "dm", by: "Sam" },
			{ shows: ["your own access request", "parley people approve"], in: "dm", to: "Sam" },
			{ operator: "approve_person", asks: { code: "{1}", role: "member" } },
			{ says: "!pair", in: "dm", by: "Sam" },
			{ shows: "You already have access. Your role is member", in: "dm", to: "Sam" },
			{ hides: "You do not have access yet", in: "dm", to: "Sam" },
		],
	},
	{
		name: "each person can see their role and rights",
		steps: [
			{ commands: "/whoami", by: "Olga" },
			{ answered: "**owner**" },
			{ commands: "/whoami", by: "Gus" },
			{ answered: "**guest**" },
			{ commands: "/whoami", by: "Sam" },
			{ answered: ["**stranger**", "request a code with pair"] },
		],
	},
	{
		name: "a guest gets answers, and a list of missing rights",
		steps: [
			{ says: "@Parley say: hello", by: "Gus" },
			{ shows: ["(to Gus)", "[offline] hello"] },
			{ commands: "/task new", with: { text: "say: hello" }, by: "Gus" },
			{ answered: /member/ },
		],
	},
	{
		name: "a person without access to direct messages gets instructions",
		only: "discord",
		steps: [
			{ says: "hello", in: "dm", by: "Max" },
			{ shows: "You do not have access yet", in: "dm", to: "Max" },
		],
	},
	{
		name: "a member is not offered trust, and the text command gives no trust",
		only: "discord",
		sandbox: true,
		steps: [
			{
				what: "Discord does not offer the command",
				does: ({ site }) => {
					try {
						site.people.Mia.commands("/trust on", { reason: "please" }, { in: site.general });
					} catch {
						return;
					}
					throw new Error("it was offered");
				},
			},
			{ says: "@Parley !trust on reason:please" },
			{ shows: /Requested trust|[Oo]wner/ },
			{ hides: "🔓" },
		],
	},
	{
		name: "in a trusted channel calls run without approval, and all members see the badge",
		sandbox: true,
		steps: [
			...trusted,
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: ["write_file returned", "trusted channel; the trust grant expires"] },
			{ file: "notes.txt", has: "hello" },
			{ hides: "[Approve once]" },
		],
	},
	{
		name: "calls that always require approval also do in a trusted channel",
		sandbox: true,
		steps: [
			...trusted,
			{ says: "@Parley write: .env <<< KEY=1" },
			{ shows: ["Approval", "Risk: critical"] },
			{ file: ".env", has: null },
			{ says: "@Parley stop" },
		],
	},
	{
		name: "a press on End trust ends it if the person may, and tools require approval again",
		sandbox: true,
		steps: [
			...trusted,
			{ clicks: "End trust", by: "Olga" },
			{ shows: "🔒 **This channel is no longer trusted**" },
			{ shows: "🔒 Tools require approval here again: @Olga ended the trust", times: 1 },
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "[Approve once]" },
			{ says: "@Parley stop" },
		],
	},
	{
		name: "a second grant replaces the first one, and the channel stays trusted",
		sandbox: true,
		steps: [
			...trusted,
			...trusted,
			{ shows: "🔒 **A newer trust grant replaced this grant**", times: 1 },
			{ shows: "Tools require approval here again", times: 0 },
		],
	},
	{
		name: "trust ends when it expires",
		sandbox: true,
		steps: [
			...trusted,
			{ passes: 61 * 60_000 },
			{ shows: "🔒 Tools require approval here again: the trust grant expired", times: 1 },
		],
	},
	{
		name: "trust ends when new people can read the channel",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{ opensTo: "Sam" },
			{
				shows:
					/🔒 Tools require approval here again: the members or their permissions have changed: the permissions of the channel changed/,
			},
		],
	},
	{
		name: "trust ends when a role lets new people read the channel, but not when it gives other rights",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{
				what: "visitors may react",
				does: ({
					site: {
						simulator: { home },
					},
				}) => home.permits(home.role("visitors"), ["AddReactions"]),
			},
			{ hides: "🔒" },
			{
				what: "visitors may everything",
				does: ({
					site: {
						simulator: { home },
					},
				}) => home.permits(home.role("visitors"), ["Administrator"]),
			},
			{
				shows:
					/🔒 Tools require approval here again: the members or their permissions have changed: the permissions of the role visitors changed/,
			},
		],
	},
	{
		name: "trust ends when new people joined while the connector was stopped",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{ stops: "connector" },
			{
				what: "Discord forgets the session",
				does: ({ site: { simulator } }) => simulator.gateway.forgetSessions(),
			},
			{ opensTo: "Sam" },
			{ starts: "connector" },
			{
				shows:
					/🔒 Tools require approval here again: the members or their permissions have changed: permissions changed while I was offline/,
			},
		],
	},
	{
		name: "trust continues over a restart without new readers",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{ stops: "connector" },
			{
				what: "Discord forgets the session",
				does: ({ site: { simulator } }) => simulator.gateway.forgetSessions(),
			},
			{ starts: "connector" },
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: ["write_file returned", "trusted channel; the trust grant expires"] },
			{ hides: "🔒" },
		],
	},
	{
		name: "trust ends in a server that removes Parley",
		only: "discord",
		sandbox: true,
		errors: [/a post was given up/],
		steps: [
			...trusted,
			{ what: "Parley is removed", does: ({ site: { simulator } }) => simulator.home.removesApp() },
			{
				what: "nothing is trusted there",
				does: ({ sceneGateway, operator, site }) =>
					sceneGateway.until(async () => {
						const { grants } = await operator.request("list_grants", {});
						return !grants.some(({ place }) => place === site.place[0]);
					}, "the grant is over"),
			},
		],
	},
	{
		name: "trust ends when a person without access writes in the channel",
		sandbox: true,
		steps: [
			...trusted,
			{ says: "@Parley say: hello", by: "Sam" },
			{ shows: "🔒 Tools require approval here again" },
		],
	},
	{
		name: "the status of trust is shown to the person who requests it",
		sandbox: true,
		steps: [
			{ commands: "/trust status", by: "Olga" },
			{ answered: "not trusted" },
			...trusted,
			{ commands: "/trust status", by: "Olga" },
			{ answered: ["trusted", "release"] },
			{ commands: "/trust off", by: "Olga" },
			{ answered: "Ended: tools require approval here again." },
		],
	},
];
