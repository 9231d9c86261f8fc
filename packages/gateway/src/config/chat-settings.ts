import { statSync } from "node:fs";
import { defined } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { billionths, type ChatSettings, type PlaceProfile } from "@parley/core";
import type { Settings } from "./schema.ts";

type Chat = NonNullable<Settings["chat"]>;
type Place = NonNullable<Chat["places"]>[string];

const hourMs = 60 * 60 * 1000;

/** The settings with absolute directories. */
export function withAbsoluteRoots(chat: Chat, absolute: (path: string) => string): Chat {
	const { places } = chat;
	if (!places) return chat;
	const moved = Object.entries(places).map(([name, { root, ...place }]): [string, Place] => [
		name,
		root === undefined ? place : { ...place, root: absolute(root) },
	]);
	return { ...chat, places: Object.fromEntries(moved) };
}

/** A root that is not a directory, with its position. */
export function findLostRoot({ places = {} }: Chat): { value: string; path: JsonPath } | undefined {
	const [lost] = Object.entries(places).flatMap(([name, { root }]) => {
		if (root === undefined || statSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
		return [{ value: root, path: ["chat", "places", name, "root"] }];
	});
	return lost;
}

/** Configuration of chat platforms in the runtime's units. */
export function readChat({ people = {}, tenants = {}, places = {}, trust = {} }: Chat): ChatSettings {
	const profiles = Object.entries(places).map(([name, place]) => [name, readPlace(place)] as const);
	const { allow = [], deny = [] } = people;
	return {
		allow,
		deny,
		tenants,
		places: Object.fromEntries(profiles),
		...defined({ endTrustOnStranger: trust.endOnStranger }),
	};
}

function readPlace({ budgetUsd, approvalHours, ...same }: Place): PlaceProfile {
	return {
		...same,
		...defined({
			budget: budgetUsd === undefined ? undefined : billionths(budgetUsd),
			approvalMs: approvalHours === undefined ? undefined : approvalHours * hourMs,
		}),
	};
}
