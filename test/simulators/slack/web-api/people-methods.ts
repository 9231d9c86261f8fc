import { Refusal } from "../platform/refusal.ts";
import { botShape, teamShape, userShape } from "../shapes/people.ts";
import { type Method, method } from "./method.ts";

export const peopleMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/users.info
	method(
		"users.info",
		{ tier: 4, scope: "users:read" },
		({ state, args: { user, include_locale: locale } }) => {
			const { locale: own, ...shape } = userShape(state, state.user(user));
			return { user: { ...shape, ...(locale && { locale: own }) } };
		},
	),
	// Documentation: https://docs.slack.dev/reference/methods/bots.info
	method("bots.info", { tier: 3, scope: "users:read" }, ({ state, args }) => {
		const bot = [...state.users.values()].find(({ botId }) => botId !== undefined && botId === args?.bot);
		if (!bot) throw new Refusal("bot_not_found");
		return { bot: botShape(bot) };
	}),
	// Documentation: https://docs.slack.dev/reference/methods/team.info
	method("team.info", { tier: 3, scope: "team:read" }, ({ state: { team } }) => ({ team: teamShape(team) })),
];
