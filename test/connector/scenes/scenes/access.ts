import type { DiscordSite } from "../discord-site.ts";
import type { Scene, Step } from "../step.ts";

export const trusted: Step[] = [
	{ commands: "/trust on", with: { reason: "release", minutes: 60 }, by: "Olga" },
	{ told: "Asked: an owner or the operator" },
	{ shows: ["Trust request", "release", "[Approve] [Deny]"] },
	{ clicks: "Approve", by: "Olga" },
	{ shows: ["✅ **Approved** by @Olga"] },
	{ shows: ["🔓 **This channel is trusted**", "[End trust]"] },
];

/** Access, roles and trusted channels. */
export const access: readonly Scene<DiscordSite>[] = [
	{
		name: "a stranger is told how to come in, once an hour",
		steps: [
			{ says: "@Parley say: hello", by: "Sam" },
			{ shows: ["(to Sam)", "I do not know you yet", /`\/(?:parley )?pair`/] },
			{ says: "@Parley say: hello?", by: "Sam" },
			{ shows: "I do not know you yet", times: 1 },
			{ passes: 3_600_000 },
			{ says: "@Parley say: hello!", by: "Sam" },
			{ shows: "I do not know you yet", times: 2 },
		],
	},
	{
		name: "a stranger gets a code, and the operator lets them in with it",
		steps: [
			{ says: "@Parley !pair", by: "Sam" },
			{ notes: /Your code is `(\S+)`/ },
			{ operator: "approve_person", asks: { code: "{1}", role: "member" } },
			{ says: "@Parley say: thank you", by: "Sam" },
			{ shows: ["(to Sam)", "[offline] thank you"] },
		],
	},
	{
		name: "who has a code of the operator comes in with it, in private",
		steps: [
			{ operator: "invite_person", asks: { role: "approver" }, notes: "code" },
			{ commands: "/pair", with: { code: "{1}" }, by: "Sam" },
			{ told: "Welcome! You are approver here" },
			{ commands: "/whoami", by: "Sam" },
			{ told: "**approver**" },
		],
	},
	{
		name: "a code that lets nobody in is refused with its own reason, in private, each time",
		steps: [
			{ commands: "/pair", with: { code: "AAAA-AAAA" }, by: "Sam" },
			{ told: ["This code is wrong", "ask the operator for another code (parley people pair)"] },
			{ commands: "/pair", with: { code: "CODE" }, by: "Sam" },
			{ told: ["This is not a pairing code", "8 letters and digits"] },
			{ operator: "invite_person", asks: { role: "approver" }, notes: "code" },
			{ commands: "/pair", with: { code: "{1}" }, by: "Max" },
			{ told: "Welcome!" },
			{ commands: "/pair", with: { code: "{1}" }, by: "Sam" },
			{ told: ["This code was already used or withdrawn", "another code"] },
			{ operator: "invite_person", asks: { role: "approver" }, notes: "code" },
			{ passes: 3_600_000 },
			{ commands: "/pair", with: { code: "{1}" }, by: "Sam" },
			{ told: ["This code has expired", "another code"] },
			{ commands: "/whoami", by: "Sam" },
			{ told: "stranger" },
			{ hides: "I do not know you yet" },
		],
	},
	{
		name: "in a direct message a wrong code is refused each time, and without a code there is one to send on",
		steps: [
			{ says: "!pair AAAA-AAAA", in: "dm", by: "Sam" },
			{ says: "!pair AAAA-AAAA", in: "dm", by: "Sam" },
			{ shows: "This code is wrong", in: "dm", to: "Sam", times: 2 },
			{ says: "!pair", in: "dm", by: "Sam" },
			{
				shows: ["Your code is", "Send it to the operator", /`\/(?:parley )?pair CODE`/],
				...{ in: "dm", to: "Sam" },
			},
			{ notes: /Your code is `(\S+)`/, in: "dm", to: "Sam" },
			{ says: "!pair {1}", in: "dm", by: "Sam" },
			{ shows: ["of your own access request", "parley people approve"], in: "dm", to: "Sam" },
			{ operator: "approve_person", asks: { code: "{1}", role: "member" } },
			{ says: "!pair", in: "dm", by: "Sam" },
			{ shows: "You already have access here: you are member", in: "dm", to: "Sam" },
			{ hides: "I do not know you yet", in: "dm", to: "Sam" },
		],
	},
	{
		name: "everybody can see what they are and may do",
		steps: [
			{ commands: "/whoami", by: "Olga" },
			{ told: "**owner**" },
			{ commands: "/whoami", by: "Gus" },
			{ told: "**guest**" },
			{ commands: "/whoami", by: "Sam" },
			{ told: ["**stranger**", "request a code with pair"] },
		],
	},
	{
		name: "a guest is answered, and told what a guest may not do",
		steps: [
			{ says: "@Parley say: hello", by: "Gus" },
			{ shows: ["(to Gus)", "[offline] hello"] },
			{ commands: "/task new", with: { text: "say: hello" }, by: "Gus" },
			{ told: /member/ },
		],
	},
	{
		name: "who has no place in direct messages is told how to get one",
		only: "discord",
		steps: [
			{ says: "hello", in: "dm", by: "Max" },
			{ shows: "I do not know you yet", in: "dm", to: "Max" },
		],
	},
	{
		name: "a member is not offered to trust a channel, and a text does not help",
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
			{ shows: /Asked: an owner or the operator|[Oo]wner/ },
			{ hides: "🔓" },
		],
	},
	{
		name: "in a trusted channel calls run unasked, and everybody sees the badge",
		sandbox: true,
		steps: [
			...trusted,
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: ["write_file returned", "trusted channel: ran without asking"] },
			{ file: "notes.txt", has: "hello" },
			{ hides: "[Approve once]" },
		],
	},
	{
		name: "what is always asked about is asked about in a trusted channel, too",
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
		name: "anybody's press on End trust ends it where they may, and tools ask again",
		sandbox: true,
		steps: [
			...trusted,
			{ clicks: "End trust", by: "Olga" },
			{ shows: "🔒 **This channel is trusted no more**" },
			{ shows: "🔒 Tools ask here again: @Olga ended it", times: 1 },
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: "[Approve once]" },
			{ says: "@Parley stop" },
		],
	},
	{
		name: "trust ends by itself when its time is over",
		sandbox: true,
		steps: [
			...trusted,
			{ passes: 61 * 60_000 },
			{ shows: "🔒 Tools ask here again: its time is over", times: 1 },
		],
	},
	{
		name: "trust ends when others may read the channel",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{ opensTo: "Sam" },
			{ shows: /🔒 Tools ask here again: who may read or write here has changed/ },
		],
	},
	{
		name: "trust ends when a role lets others read the channel, and not when it lets them do something else",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{
				what: "visitors may react",
				does: ({
					site: {
						world: { home },
					},
				}) => home.permits(home.role("visitors"), ["AddReactions"]),
			},
			{ hides: "🔒" },
			{
				what: "visitors may everything",
				does: ({
					site: {
						world: { home },
					},
				}) => home.permits(home.role("visitors"), ["Administrator"]),
			},
			{
				shows:
					/🔒 Tools ask here again: who may read or write here has changed: the rights of the role visitors/,
			},
		],
	},
	{
		name: "trust ends when others were let in while nobody was there to see it",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{ stops: "connector" },
			{ what: "Discord forgets the session", does: ({ site: { world } }) => world.gateway.forgetSessions() },
			{ opensTo: "Sam" },
			{ starts: "connector" },
			{ shows: /🔒 Tools ask here again: who may read or write here has changed/ },
		],
	},
	{
		name: "trust goes on over a restart after which nobody else may read",
		only: "discord",
		sandbox: true,
		steps: [
			...trusted,
			{ stops: "connector" },
			{ what: "Discord forgets the session", does: ({ site: { world } }) => world.gateway.forgetSessions() },
			{ starts: "connector" },
			{ says: "@Parley write: notes.txt <<< hello" },
			{ shows: ["write_file returned", "trusted channel: ran without asking"] },
			{ hides: "🔒" },
		],
	},
	{
		name: "trust ends in a server that Parley is removed from",
		only: "discord",
		sandbox: true,
		errors: [/a post was given up/],
		steps: [
			...trusted,
			{ what: "Parley is removed", does: ({ site: { world } }) => world.home.removesApp() },
			{
				what: "nothing is trusted there",
				does: ({ city, operator, site }) =>
					city.until(async () => {
						const { grants } = await operator.request("list_grants", {});
						return !grants.some(({ place }) => place === site.place[0]);
					}, "the grant is over"),
			},
		],
	},
	{
		name: "trust ends when somebody speaks there who was not let in",
		sandbox: true,
		steps: [...trusted, { says: "@Parley say: hello", by: "Sam" }, { shows: "🔒 Tools ask here again" }],
	},
	{
		name: "the status of trust is told to who asks",
		sandbox: true,
		steps: [
			{ commands: "/trust status", by: "Olga" },
			{ told: "not trusted" },
			...trusted,
			{ commands: "/trust status", by: "Olga" },
			{ told: ["trusted", "release"] },
			{ commands: "/trust off", by: "Olga" },
			{ told: "Ended: tools ask here again." },
		],
	},
];
