import { statSync } from "node:fs";
import { defined } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { billionths, type ChatSettings, type PlaceProfile } from "@parley/core";
import type { Settings } from "./schema.ts";

type Chat = NonNullable<Settings["chat"]>;
type Channel = NonNullable<Chat["channels"]>[string];

/** Names of the setting with the channels. `places` is the old name, which continues to work. */
const channelKeys = ["channels", "places"] as const;

const hourMs = 60 * 60 * 1000;

export function withAbsoluteRoots(chat: Chat, absolute: (path: string) => string): Chat {
	const moved = channelKeys.flatMap((key) => {
		const channels = chat[key];
		return channels ? [[key, channelsWithAbsoluteRoots(channels, absolute)]] : [];
	});
	return { ...chat, ...Object.fromEntries(moved) };
}

function channelsWithAbsoluteRoots(
	channels: Readonly<Record<string, Channel>>,
	absolute: (path: string) => string,
): Record<string, Channel> {
	const moved = Object.entries(channels).map(([name, { root, ...channel }]): [string, Channel] => [
		name,
		root === undefined ? channel : { ...channel, root: absolute(root) },
	]);
	return Object.fromEntries(moved);
}

export function findLostRoot(chat: Chat): { value: string; path: JsonPath } | undefined {
	const [lost] = channelKeys.flatMap((key) =>
		Object.entries(chat[key] ?? {}).flatMap(([name, { root }]) => {
			if (root === undefined || statSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
			return [{ value: root, path: ["chat", key, name, "root"] }];
		}),
	);
	return lost;
}

/**
 * Converts the configuration of chat platforms to the settings of the runtime. An entry in `channels` replaces the
 * entry of the same channel in `places`.
 */
export function readChat({
	people = {},
	tenants = {},
	channels,
	places,
	trust = {},
	typedApprovals,
	joinSeconds = 2,
	welcome: { posts = true, prompts = [] } = {},
	approvalNotices,
}: Chat): ChatSettings {
	const named = Object.entries({ ...places, ...channels });
	const profiles = named.map(([name, channel]) => [name, readChannel(channel)] as const);
	const { allow = [], deny = [] } = people;
	return {
		allow,
		deny,
		tenants,
		places: Object.fromEntries(profiles),
		joinMs: joinSeconds * 1000,
		welcome: { posts, prompts },
		...defined({
			endTrustOnStranger: trust.endOnStranger,
			typedApprovals,
			notices: approvalNotices && readNotices(approvalNotices),
		}),
	};
}

const minuteMs = 60 * 1000;

function readNotices(given: NonNullable<Chat["approvalNotices"]>): NonNullable<ChatSettings["notices"]> {
	const entries = Object.entries(given).map(
		([key, { groups, remindMinutes = 60, escalateMinutes = 60 }]) =>
			[
				key,
				{
					groups: groups.map(({ by = ["mention"], people }) => ({ by, ...defined({ people }) })),
					remindMs: remindMinutes * minuteMs,
					escalateMs: escalateMinutes * minuteMs,
				},
			] as const,
	);
	return Object.fromEntries(entries);
}

function readChannel({ budgetUsd, approvalHours, ...same }: Channel): PlaceProfile {
	return {
		...same,
		...defined({
			budget: budgetUsd === undefined ? undefined : billionths(budgetUsd),
			approvalMs: approvalHours === undefined ? undefined : approvalHours * hourMs,
		}),
	};
}
