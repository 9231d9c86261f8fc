import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventNames, methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { messageNames } from "../proto/message-names.ts";
import { citationsIn } from "./citations.ts";
import type { Wire } from "./requirement.ts";
import { type RequirementId, requirements } from "./requirements.ts";
import {
	kontekstCommands,
	kontekstEvents,
	ozzieEvents,
	ozzieMethods,
	rozRequests,
	rozResponses,
	rozTeamEvents,
	zotCommands,
	zotEvents,
} from "./surface.ts";

type Table = Readonly<Record<string, RequirementId>>;

const tables: readonly { readonly wire: Wire; readonly name: string; readonly table: Table }[] = [
	{ wire: "ozzie", name: "methods", table: ozzieMethods },
	{ wire: "ozzie", name: "events", table: ozzieEvents },
	{ wire: "zot", name: "commands", table: zotCommands },
	{ wire: "zot", name: "events", table: zotEvents },
	{ wire: "kontekst", name: "commands", table: kontekstCommands },
	{ wire: "kontekst", name: "events", table: kontekstEvents },
	{ wire: "roz", name: "requests", table: rozRequests },
	{ wire: "roz", name: "responses", table: rozResponses },
	{ wire: "roz", name: "team events", table: rozTeamEvents },
];

const folder = fileURLToPath(new URL("./", import.meta.url));

const scenarios = new Map(
	readdirSync(folder)
		.filter((name) => name.endsWith(".test.ts"))
		.map((name) => [name, readFileSync(`${folder}${name}`, "utf8")]),
);

function withDrivers(source: string): string {
	// A message name may occur only in a driver.
	const drivers = [...source.matchAll(/from "\.\/(drivers\/[a-z-]+\.ts)"/g)];
	return [source, ...drivers.map(([, path]) => readFileSync(`${folder}${path}`, "utf8"))].join("\n");
}

function mentions(source: string, name: string): boolean {
	return new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?![\\w.])`).test(source);
}

/** Returns the problem of `name` on `wire`, or undefined if a scenario tests the name on this wire. */
function problem(wire: Wire, name: string, id: RequirementId): string | undefined {
	if (requirements[id].wires[wire] !== "kept") return `${name}: ${wire} does not keep ${id}`;
	const isTested = [...scenarios.values()].some(
		(source) =>
			citationsIn(source).some(
				(cited) => (cited.wire === undefined || cited.wire === wire) && cited.ids.includes(id),
			) && mentions(withDrivers(source), name),
	);
	return isTested ? undefined : `${name}: no file with a scenario for ${id} mentions it`;
}

test.each(tables)("$wire: each of the $name has a requirement and a scenario", ({ wire, table }) => {
	const problems = Object.entries(table).flatMap(([name, id]) => problem(wire, name, id) ?? []);
	expect(problems).toEqual([]);
});

test("a name that no scenario mentions is reported", () => {
	expect(problem("ozzie", "fly_away", "session.list")).toBe(
		"fly_away: no file with a scenario for session.list mentions it",
	);
	expect(problem("zot", "list_sessions", "session.list")).toBe(
		"list_sessions: zot does not keep session.list",
	);
});

test.each([
	["kontekst.RunCommand", "kontekst.proto", kontekstCommands],
	["kontekst.RunEvent", "kontekst.proto", kontekstEvents],
	["roz.v1.SessionRequest", "roz/v1/agent.proto", rozRequests],
	["roz.v1.SessionResponse", "roz/v1/agent.proto", rozResponses],
	["roz.v1.TeamEvent", "roz/v1/agent.proto", rozTeamEvents],
] as const)("the table has the messages of %s", (message, file, table) => {
	expect(Object.keys(table).sort()).toEqual(messageNames(file, message).sort());
});

test("the tables of Ozzie have its methods and events", () => {
	expect(Object.keys(ozzieMethods).sort()).toEqual(Object.keys(methods).sort());
	expect(Object.keys(ozzieEvents).sort()).toEqual([...eventNames].sort());
});
