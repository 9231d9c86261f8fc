import { defined } from "@parley/base";
import { clause } from "../conversation/answers/notice.ts";
import { lengthOf } from "../conversation/tasks/length-of.ts";
import { coverOf, personOf } from "../conversation/trust/grant-words.ts";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import { trustTexts } from "../texts/trust.ts";
import type { Command } from "./command.ts";

const usualMinutes = 480;
const minuteMs = 60_000;

const on: Command = {
	name: "trust on",
	description: trustTexts.on.description,
	least: "manage",
	options: [
		{ name: "reason", description: trustTexts.on.reason, type: "string", required: true, max: 500 },
		{
			name: "minutes",
			type: "integer",
			required: false,
			min: 1,
			max: 1440,
			description: trustTexts.on.minutes({ usual: usualMinutes }),
		},
		{
			name: "tools",
			description: trustTexts.on.tools,
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
			description: trustTexts.on.calls,
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
		if (answer.status === "granted") return { text: trustTexts.on.granted };
		return { text: trustTexts.on.requested({ length: lengthOf(Number(minutes) * minuteMs) }) };
	},
};

const off: Command = {
	name: "trust off",
	description: trustTexts.off.description,
	least: "manage",
	options: [],
	async run(context, { event: { person, room }, key }) {
		const behalf = context.onBehalf(person, room);
		const { grants } = await context.gateway.request("list_grants", { ended: false, ...behalf });
		// A channel has at most one active grant.
		const [grant] = grants;
		if (!grant) return { text: trustTexts.off.notTrusted };
		await context.gateway.request("revoke_grant", { grant_id: grant.grant_id, key, ...behalf });
		return { text: trustTexts.off.done };
	},
};

const status: Command = {
	name: "trust status",
	description: trustTexts.status.description,
	least: "manage",
	options: [],
	async run({ gateway, platform, clock, onBehalf }, { event: { person, room } }) {
		const { grants, wishes: requests } = await gateway.request("list_grants", {
			ended: false,
			...onBehalf(person, room),
		});
		const { status: texts, card } = trustTexts;
		const rows = grants.map((grant) => {
			const { expires_at, granted_by, reason, used_actions: calls } = grant;
			const until = Date.parse(expires_at);
			return [
				texts.until({ at: platform.moment(until, clock.now()) }),
				texts.covered({ cover: coverOf(grant, platform), calls }),
				card.grantedBy({ person: personOf(granted_by, platform), reason: plainLine(reason, 300) }),
				card.stillRequired({ reads: grant.classes?.includes("outside-read") !== true }),
			].join("\n");
		});
		const requested = requests.map(({ person: by, minutes, reason }) =>
			texts.request({
				person: by === undefined ? undefined : personOf(by, platform),
				length: lengthOf(minutes * minuteMs),
				reason: clause(reason, 300),
			}),
		);
		const none = texts.none({ command: platform.command("trust on", room) });
		return { text: [...(rows.length > 0 ? rows : [none]), ...requested].join("\n\n") };
	},
};

export const trustCommands: readonly Command[] = [on, off, status];
