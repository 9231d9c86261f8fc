import { Refusal } from "../platform/refusal.ts";
import { urlOf } from "../shapes/people.ts";
import { type Method, method } from "./method.ts";

export const appMethods: readonly Method[] = [
	// Documentation: https://docs.slack.dev/reference/methods/auth.test
	method("auth.test", { tier: 4 }, ({ state: { app, team } }) => ({
		...{ url: urlOf(team), team: team.name, user: app.user.handle, team_id: team.id, user_id: app.user.id },
		...{ bot_id: app.botId, is_enterprise_install: false },
		...(team.enterpriseId !== undefined && { enterprise_id: team.enterpriseId }),
	})),
	// Documentation: https://docs.slack.dev/reference/methods/apps.connections.open
	method("apps.connections.open", { tier: 1, token: "app" }, ({ state }) => ({ url: state.socketUrl() })),
	// Documentation: https://docs.slack.dev/reference/methods/apps.manifest.export
	method("apps.manifest.export", { tier: 3, token: "configuration" }, ({ state: { app }, args }) => {
		if (args.app_id !== app.id) throw new Refusal("invalid_app_id");
		return { manifest: app.manifest };
	}),
	// `errors` is always empty, because the contract has already checked the manifest:
	// https://docs.slack.dev/reference/methods/apps.manifest.validate
	method("apps.manifest.validate", { tier: 3, token: "configuration" }, () => ({ errors: [] })),
];
