import { ParleyError } from "@parley/base";
import * as z from "zod";
import { isSteering } from "../../../sandbox/commands/environment.ts";
import { visible } from "../../../text/visible.ts";
import { mcpNamePattern } from "../../../vocabulary/mcp/server.ts";
import { checkAddress, checkHeaders, referencesIn } from "./directory-address.ts";
import { directoryFileTexts, directoryTrustTexts } from "./texts.ts";

interface EntryFacts {
	readonly name: string;
	/** Names of the entry's fields without effect: at most 20 names, escaped for display. */
	readonly unused: readonly string[];
}

/** An entry that starts a program. */
export interface ProgramEntry extends EntryFacts {
	readonly command: string;
	readonly args: readonly string[];
	/** Values in the file, unchanged. The gateway's variables are not substituted. */
	readonly environment: Readonly<Record<string, string>>;
}

/** An entry for a server at a remote address. */
export interface RemoteEntry extends EntryFacts {
	/** Complete address, with its host in ASCII. */
	readonly url: string;
	/** Values in the file by lower-case names, unchanged. `${NAME}` refers to a variable of the gateway. */
	readonly headers: Readonly<Record<string, string>>;
}

export type DirectoryEntry = ProgramEntry | RemoteEntry;

const Entry = z.object({
	type: z.string().optional(),
	command: z.string().min(1).optional(),
	args: z.array(z.string()).optional(),
	env: z.record(z.string(), z.string()).optional(),
	url: z.string().min(1).optional(),
	headers: z.record(z.string(), z.string()).optional(),
});

type Written = z.output<typeof Entry>;

/** Values of `type` for remote servers in the files of other agents. */
const remoteTypes = ["http", "streamable-http"];
const programFields = ["type", "command", "args", "env"];
const remoteFields = ["type", "url", "headers"];

/**
 * Reads one entry. Throws `invalid_argument` if the entry is invalid. The caller must put the name of the entry before
 * the error text.
 */
export function readEntry(name: string, written: unknown): DirectoryEntry {
	if (!mcpNamePattern.test(name)) throw refused(directoryFileTexts.name);
	const { success, data, error } = Entry.safeParse(written);
	if (!success) {
		const [issue] = error.issues;
		const field = (issue?.path ?? []).map((part) => visible(String(part)).slice(0, longestField)).join(".");
		throw refused(directoryFileTexts.invalidEntry(field, visible(issue?.message ?? "")));
	}
	// The cast is safe because the schema accepts only objects.
	const fields = Object.keys(written as object);
	const isRemote = checkKind(data) === "remote";
	const known = isRemote ? remoteFields : programFields;
	const unused = fields.filter((field) => !known.includes(field));
	const facts = { name, unused: unused.slice(0, maxUnused).map(shown) };
	return isRemote ? remoteOf(data, facts) : programOf(data, facts);
}

/** Maximum unused fields of an entry in texts. `longestField`: maximum characters of a field's name. */
const maxUnused = 20;
const longestField = 40;

function shown(field: string): string {
	return visible(field.slice(0, longestField));
}

function checkKind({ type, command, url }: Written): "program" | "remote" {
	if (type === "sse") throw refused(directoryFileTexts.oldTransport);
	const isRemoteType = type !== undefined && remoteTypes.includes(type);
	if (type !== undefined && type !== "stdio" && !isRemoteType)
		throw refused(directoryFileTexts.otherType(shown(type)));
	if (command !== undefined && url !== undefined) throw refused(directoryFileTexts.twoPlaces);
	if (type === "stdio" && command === undefined)
		throw refused(directoryFileTexts.typeNeeds("stdio", "command"));
	if (isRemoteType && url === undefined) throw refused(directoryFileTexts.typeNeeds(type, "url"));
	if (command === undefined && url === undefined) throw refused(directoryFileTexts.noPlace);
	return url === undefined ? "program" : "remote";
}

function programOf({ command = "", args = [], env = {} }: Written, facts: EntryFacts): ProgramEntry {
	const steering = Object.keys(env).find(isSteering);
	if (steering !== undefined) throw refused(directoryFileTexts.steering(visible(steering)));
	return { ...facts, command, args, environment: env };
}

function remoteOf({ url = "", headers = {} }: Written, facts: EntryFacts): RemoteEntry {
	return { ...facts, url: checkAddress(url), headers: checkHeaders(headers) };
}

/** Returns the names of the gateway's variables to which the headers of an entry refer. */
export function variablesOf(entry: DirectoryEntry): readonly string[] {
	if (!("url" in entry)) return [];
	const all = Object.values(entry.headers).flatMap((value) => referencesIn(value).map(({ name }) => name));
	return [...new Set(all)];
}

interface Grants {
	readonly allowPrivate: boolean;
	readonly variables: readonly string[];
}

/**
 * Returns the reason why an entry is unusable with the given grants, and the option that adds the missing grant.
 * Undefined for a usable entry.
 */
export function trustNeed(entry: DirectoryEntry, { allowPrivate, variables }: Grants): string | undefined {
	if (!("url" in entry)) return undefined;
	if (new URL(entry.url).protocol !== "https:" && !allowPrivate)
		return directoryTrustTexts.needsPrivate(`--server ${entry.name} --allow-private`);
	const references = Object.values(entry.headers).flatMap(referencesIn);
	const missing = references.filter(({ name, usual }) => usual === undefined && !variables.includes(name));
	if (missing.length === 0) return undefined;
	const names = [...new Set(missing.map(({ name }) => name))];
	return directoryTrustTexts.needsVariables(names, `--server ${entry.name} --env-from ${names[0]}`);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
