import { defined } from "@parley/base";
import { lengthOf } from "../conversation/tasks/task-words.ts";
import { approvalStillRequired, coverOf, personOf } from "../conversation/trust/grant-words.ts";
import { plain } from "../conversation/vocabulary/plain.ts";
import type { Command } from "./command.ts";

const usualMinutes = 480;
const minuteMs = 60_000;

const on: Command = {
	name: "trust on",
	description: "Ask that tools run in this channel without asking, for a while",
	least: "manage",
	options: [
		{ name: "reason", description: "Why, for who confirms it", type: "string", required: true, max: 500 },
		{
			name: "minutes",
			type: "integer",
			required: false,
			min: 1,
			max: 1440,
			description: `For how long; ${usualMinutes} unless told`,
		},
		{
			name: "tools",
			description: "Only these, with commas between",
			type: "string",
			required: false,
			max: 1000,
		},
		{
			name: "max_actions",
			type: "integer",
			required: false,
			min: 1,
			max: 10_000,
			description: "After so many calls it ends",
		},
	],
	async run(context, { event: { person, room, options }, key }) {
		const { reason, minutes = usualMinutes, max_actions, tools = "" } = options;
		const names = String(tools)
			.split(/[\s,]+/u)
			.filter((name) => name !== "");
		const { session } = await context.sessionOf(person, room, key);
		const answer = await context.gateway.request("request_grant", {
			session_id: session,
			minutes: Number(minutes),
			reason: String(reason),
			key: `${key}/trust`,
			...defined({
				max_actions: max_actions === undefined ? undefined : Number(max_actions),
				tools: names.length > 0 ? names : undefined,
			}),
			...context.onBehalf(person, room),
		});
		if (answer.status === "granted") return { text: "This channel is trusted: its card says until when." };
		return {
			text: `Asked: an owner or the operator of the gateway confirms it. Until then everything is asked about as before; then it holds for ${lengthOf(Number(minutes) * minuteMs)}.`,
		};
	},
};

const off: Command = {
	name: "trust off",
	description: "Let tools in this channel ask again",
	least: "manage",
	options: [],
	async run(context, { event: { person, room }, key }) {
		const behalf = context.onBehalf(person, room);
		const { grants } = await context.gateway.request("list_grants", { ended: false, ...behalf });
		// A channel has at most one grant.
		const [grant] = grants;
		if (!grant) return { text: "This channel is not trusted: tools ask here as it is." };
		await context.gateway.request("revoke_grant", { grant_id: grant.grant_id, key, ...behalf });
		return { text: "Ended: tools ask here again." };
	},
};

const status: Command = {
	name: "trust status",
	description: "Whether tools run in this channel without asking, and until when",
	least: "manage",
	options: [],
	async run({ gateway, platform, onBehalf }, { event: { person, room } }) {
		const { grants, wishes: requests } = await gateway.request("list_grants", {
			ended: false,
			...onBehalf(person, room),
		});
		const held = grants.map((grant) => {
			const { expires_at, granted_by, reason, used_actions } = grant;
			const until = Date.parse(expires_at);
			return [
				`🔓 **This channel is trusted** until ${platform.moment(until, "exact")}, ${platform.moment(until, "relative")}.`,
				`- Covered: ${coverOf(grant, platform)}; ${used_actions} were made`,
				`- Granted by ${personOf(granted_by, platform)}: ${plain(reason, 300)}`,
				`- Still asked about: ${approvalStillRequired}`,
			].join("\n");
		});
		const requested = requests.map(({ person: by, minutes, reason }) => {
			const who = by === undefined ? "Somebody" : personOf(by, platform);
			return `❓ ${who} asks for trust for ${lengthOf(minutes * minuteMs)}: ${plain(reason, 300)}. An owner or the operator answers it.`;
		});
		const ask = platform.command("trust on", room);
		const none = `🔒 This channel is not trusted: tools ask here. \`${ask}\` asks for a change.`;
		return { text: [...(held.length > 0 ? held : [none]), ...requested].join("\n\n") };
	},
};

/** Commands for trusted channels. */
export const trustCommands: readonly Command[] = [on, off, status];
