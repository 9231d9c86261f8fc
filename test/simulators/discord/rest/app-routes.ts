import { ApplicationFlags, GatewayIntentBits } from "discord-api-types/v10";
import type { CommandBody } from "../platform/command-limits.ts";
import {
	type CommandScope,
	createCommand,
	deleteCommand,
	editCommand,
	findCommand,
	listCommands,
	overwriteCommands,
} from "../platform/commands.ts";
import { everyoneDefault } from "../platform/permissions.ts";
import { refusals } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { userShape } from "../shapes/people.ts";
import { type Call, created, nothing, ok, param, type Route } from "./route.ts";

function flagsOf({ app }: State): number {
	const content = app.privileged & GatewayIntentBits.MessageContent;
	return content ? ApplicationFlags.GatewayMessageContentLimited : 0;
}

/** Returns the application object: https://discord.com/developers/docs/resources/application#application-object */
function applicationShape(state: State) {
	const { app } = state;
	return {
		...{ id: app.id, name: app.name, icon: null, description: "", type: null, verify_key: "0".repeat(64) },
		...{ bot: userShape(app.user), bot_public: false, bot_require_code_grant: false },
		...{ flags: flagsOf(state), flags_new: String(flagsOf(state)) },
		...{ redirect_uris: [], interactions_endpoint_url: null, role_connections_verification_url: null },
		...{ owner: userShape(state.user(app.ownerId)), team: null, explicit_content_filter: 0 },
		...{ approximate_guild_count: state.guilds.size, approximate_user_install_count: 0 },
		...{ approximate_user_authorization_count: 0, eligible_oauth2_scopes: [] },
	};
}

function guildsOf(state: State): object[] {
	const guilds = [...state.guilds.values()].filter(({ members }) => members.has(state.app.user.id));
	return guilds.map(({ id, name, ownerId }) => ({
		...{ id, name, icon: null, banner: null, owner: ownerId === state.app.user.id, features: [] },
		permissions: String(everyoneDefault),
	}));
}

function scopeOf(call: Call): CommandScope {
	if (param(call, "application_id") !== call.state.app.id) throw refusals.missingAccess();
	const guildId = call.params["guild_id"];
	if (guildId === undefined) return {};
	if (!call.state.guild(guildId).members.has(call.state.app.user.id)) throw refusals.missingAccess();
	return { guildId };
}

function commandRoutes(path: string): readonly Route[] {
	const one = `${path}/{command_id}`;
	// The contract, if loaded, has checked each body. Otherwise, the casts trust the app.
	return [
		{ method: "GET", path, handle: (call) => ok(listCommands(call.state, scopeOf(call))) },
		{
			...{ method: "POST", path },
			handle(call) {
				const command = createCommand(call.state, scopeOf(call), call.body as CommandBody);
				return command.created ? created(command.command) : ok(command.command);
			},
		},
		{
			...{ method: "PUT", path },
			handle: (call) => ok(overwriteCommands(call.state, scopeOf(call), (call.body ?? []) as CommandBody[])),
		},
		{
			...{ method: "GET", path: one },
			handle: (call) => ok(findCommand(call.state, scopeOf(call), param(call, "command_id"))),
		},
		{
			...{ method: "PATCH", path: one },
			handle(call) {
				const change = call.body as Partial<CommandBody>;
				return ok(editCommand(call.state, scopeOf(call), param(call, "command_id"), change));
			},
		},
		{
			...{ method: "DELETE", path: one },
			handle(call) {
				deleteCommand(call.state, scopeOf(call), param(call, "command_id"));
				return nothing;
			},
		},
	];
}

export const appRoutes: readonly Route[] = [
	{
		...{ method: "GET", path: "/users/@me" },
		handle({ state }) {
			const { name: _name, ...user } = { ...userShape(state.app.user), name: "" };
			return ok({ ...user, mfa_enabled: true, locale: "en-US", verified: true, email: null });
		},
	},
	{ method: "GET", path: "/users/@me/guilds", handle: ({ state }) => ok(guildsOf(state)) },
	{
		...{ method: "GET", path: "/users/{user_id}" },
		handle: (call) => ok(userShape(call.state.user(param(call, "user_id")))),
	},
	{ method: "GET", path: "/applications/@me", handle: ({ state }) => ok(applicationShape(state)) },
	{ method: "GET", path: "/oauth2/applications/@me", handle: ({ state }) => ok(applicationShape(state)) },
	...commandRoutes("/applications/{application_id}/commands"),
	...commandRoutes("/applications/{application_id}/guilds/{guild_id}/commands"),
];
