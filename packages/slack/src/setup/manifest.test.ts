import { commandTable } from "@parley/connector";
import { expect, test } from "vitest";
import { audienceChanges, channelChanges } from "../intake/audience.ts";
import { type Manifest, manifestOf } from "./manifest.ts";
import { differenceWords, manifestDiff, readManifest } from "./manifest-diff.ts";

const shapes = commandTable;
const wanted = manifestOf({ shapes });

function changed(change: (manifest: Record<string, never>) => void): unknown {
	// The cast lets `change` use each section of the copy.
	const copy = structuredClone(wanted) as Record<string, never>;
	change(copy);
	return copy;
}

const lines = (installed: unknown, of: Manifest = wanted): string[] =>
	manifestDiff(installed, of).map(differenceWords);

test("every command of the table is in the hint, once", () => {
	const [command] = Object(wanted["features"]).slash_commands;
	const words = command.usage_hint.split(" | ");
	expect(words).toEqual([...new Set(commandTable.map(({ name }) => name.split(" ")[0]))]);
	for (const word of [
		"ask",
		"task",
		"session",
		"stop",
		"model",
		"trust",
		"usage",
		"pair",
		"whoami",
		"why",
		"help",
	]) {
		expect(words).toContain(word);
	}
});

test("the app subscribes to every change of a channel that is handled, once each", () => {
	const events: readonly string[] = Object(wanted["settings"]).event_subscriptions.bot_events;
	// Slack reports conversions of channels as messages.
	const known = [...audienceChanges.keys(), ...channelChanges].filter(
		(name) => !name.includes("_convert_to_"),
	);
	expect(events).toEqual(expect.arrayContaining([...known, "channel_id_changed", "agent_session_stopped"]));
	expect(events).toEqual([...new Set(events)].sort());
	// Slack sends `app_rate_limited` without a subscription (https://docs.slack.dev/reference/events/app_rate_limited).
	expect(events).not.toContain("app_rate_limited");
});

test("a manifest has no URLs with sockets, and the same URL everywhere with HTTP", () => {
	expect(JSON.stringify(wanted)).not.toContain("url");
	const http = manifestOf({ shapes, publicUrl: "https://chat.example.com/" });
	const url = "https://chat.example.com/slack/events";
	expect(http).toMatchObject({
		features: { slash_commands: [{ url }] },
		settings: {
			event_subscriptions: { request_url: url },
			interactivity: { request_url: url },
			socket_mode_enabled: false,
		},
	});
});

test("the manifest is within the limits of https://docs.slack.dev/reference/app-manifest", () => {
	const { display_information, features } = Object(wanted);
	expect(display_information.name.length).toBeLessThanOrEqual(35);
	expect(display_information.description.length).toBeLessThanOrEqual(140);
	expect(features.agent_view.agent_description.length).toBeLessThanOrEqual(300);
	for (const { name, description } of features.shortcuts) {
		expect([name.length, description.length].every((length) => length <= 150)).toBe(true);
	}
	expect(features.slash_commands[0].usage_hint.length).toBeLessThanOrEqual(1000);
});

test("an app that was made from the manifest has all entries, with any name", () => {
	expect(lines(wanted)).toEqual([]);
	const renamed = changed((manifest) => {
		Object(manifest["display_information"]).name = "Robot";
		Object(manifest["features"]).bot_user.display_name = "robot";
	});
	expect(lines(renamed)).toEqual([]);
});

test("missing, additional and different entries are reported with their path", () => {
	const spoiled = changed((manifest) => {
		const { scopes } = Object(manifest["oauth_config"]);
		scopes.bot = ["admin", ...scopes.bot.filter((scope: string) => scope !== "files:read")];
		Object(manifest["settings"]).socket_mode_enabled = false;
		Object(manifest["features"]).shortcuts.pop();
		Object(manifest["features"]).slash_commands[0].should_escape = true;
	});
	expect(lines(spoiled).toSorted()).toEqual([
		"+ features.shortcuts: make_it_a_task",
		"+ oauth_config.scopes.bot: files:read",
		"- oauth_config.scopes.bot: admin",
		"~ features.slash_commands[/parley].should_escape: true → false",
		"~ settings.socket_mode_enabled: false → true",
	]);
});

test("a part that the operator must fill in is required", () => {
	const spoiled = changed((manifest) => {
		Reflect.deleteProperty(Object(manifest["features"]), "agent_view");
		Object(manifest["features"]).bot_user = null;
	});
	expect(manifestDiff(spoiled, wanted)).toEqual([
		{ path: "features.agent_view", wanted: Object(wanted["features"]).agent_view },
		{ path: "features.bot_user", wanted: Object(wanted["features"]).bot_user },
	]);
	expect(lines(spoiled)).toContain('+ features.bot_user: {"display_name":"parley","always_online":true}');
});

test("unused rights and events of any kind are reported as additional", () => {
	const spoiled = changed((manifest) => {
		Object.assign(Object(manifest["oauth_config"]).scopes, {
			user: ["chat:write"],
			bot_optional: ["pins:read"],
		});
		Object.assign(Object(manifest["settings"]).event_subscriptions, { user_events: ["message.im"] });
	});
	expect(lines(spoiled)).toEqual([
		"- oauth_config.scopes.user: chat:write",
		"- oauth_config.scopes.bot_optional: pins:read",
		"- settings.event_subscriptions.user_events: message.im",
	]);
	const none = changed((manifest) => {
		Object.assign(Object(manifest["oauth_config"]).scopes, { user: [] });
	});
	expect(lines(none)).toEqual([]);
});

test("a manifest is read directly, or from the response of apps.manifest.export; other content is not a manifest", () => {
	expect(readManifest(wanted)).toEqual(wanted);
	expect(readManifest({ ok: true, manifest: wanted })).toEqual(wanted);
	for (const other of [
		null,
		[],
		[wanted],
		"text",
		5,
		{},
		{ ok: false, error: "invalid_auth" },
		{ manifest: [] },
	]) {
		expect(readManifest(other)).toBeUndefined();
	}
});

test("a file without a manifest lacks all entries, and does not throw", () => {
	for (const installed of [null, [], "text", {}, { features: 1 }]) {
		expect(lines(installed)).toContain("+ oauth_config.scopes.bot: chat:write");
	}
});
