import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Logger, ParleyError, type Store } from "@parley/base";
import {
	type Keyed,
	listSessions,
	operator,
	type Runtime,
	type SessionSummary,
	type Tables,
} from "@parley/core";
import type { Models } from "../models/open-models.ts";
import { rpcTexts } from "../texts/rpc.ts";
import type { Agent } from "../wires/zot/agent.ts";

/** Maximum number of listed sessions. Killed processes leave far fewer sessions. */
const maxListed = 1_000;

interface RestoredSession {
	readonly id: string;
	readonly rootDir: string;
	/** Model that `set_model` or the command line chose. Undefined for the default model. */
	readonly model: string | undefined;
	/** Ids of the other stored sessions. A killed process has not deleted them. */
	readonly others: readonly string[];
}

/**
 * Throws if the session directory is a gateway's data directory, which contains the sessions and permissions of other
 * users.
 */
export function checkOwnPlace(directory: string, data: string): void {
	if (real(directory) !== real(data) && !existsSync(join(directory, "tokens"))) return;
	const message = rpcTexts.dataDirectoryAsSession({ directory });
	throw new ParleyError(message, { code: "invalid_argument" });
}

/**
 * Returns the session that was created last, or undefined if there are no sessions. `clear` creates a session before
 * it removes the previous session, and the previous session may have a later event. Compares positions in the
 * journal, because a clock can be set back.
 */
export async function findRestorable(store: Store<Tables>): Promise<RestoredSession | undefined> {
	const all = await listSessions(store, operator, { limit: maxListed });
	const ids = all.map(({ id }) => id);
	const firstEvents = await store.read((db) =>
		db
			.selectFrom("events")
			.select(["session_id", "position"])
			.where("session_id", "in", ids)
			.where("seq", "=", 1)
			.execute(),
	);
	const places = new Map(firstEvents.map(({ session_id, position }) => [session_id, Number(position)]));
	const placeOf = ({ id }: SessionSummary): number => places.get(id) ?? 0;
	const [last, ...others] = all.sort((one, other) => placeOf(other) - placeOf(one));
	return last && { ...last, others: others.map(({ id }) => id) };
}

/**
 * Returns the working directory of a stored session. Throws if the directory no longer exists. Also throws if
 * `requested` is another directory, because the session's statements about files would be false in another directory.
 */
export function workingDirectory({ rootDir }: RestoredSession, requested: string | undefined): string {
	if (requested !== undefined && real(requested) !== real(rootDir)) {
		throw refused(rpcTexts.otherWorkingDirectory({ requested, rootDir }));
	}
	if (statSync(rootDir, { throwIfNoEntry: false })?.isDirectory()) return requested ?? rootDir;
	throw refused(rpcTexts.workingDirectoryMissing({ rootDir }));
}

/**
 * Prepares a stored session for a new process. Cancels unfinished work of the earlier process, and deletes the other
 * sessions of that process. Ends `accept_all_tools`, because the client is a different one.
 */
export async function prepareSession(runtime: Runtime, { id, others }: RestoredSession): Promise<void> {
	await runtime.cancel(rpcRequest, id, { queued: true });
	await runtime.trust.endAcceptAll(operator, id);
	for (const other of others) await runtime.remove(rpcRequest, other, true);
}

/**
 * Returns `models`. If the default model is undecided, the stored model becomes the default model. Throws if the
 * default model is undecided and no model is stored, or the stored model is unknown.
 */
export function decideModel(models: Models, restored: RestoredSession | undefined): Models {
	const { undecided } = models;
	if (!undecided) return models;
	const before = restored?.model;
	if (before === undefined || !isKnown(models, before)) throw undecided;
	return { ...models, modelName: before };
}

function isKnown({ model, table }: Models, name: string): boolean {
	// The table of another provider may be incomplete, so the prefix of the provider suffices.
	return table.find(name, model.provider) !== undefined || table.admits(name);
}

interface RestoredModel {
	readonly models: Models;
	readonly restored: RestoredSession | undefined;
	/** Real name of the model on the command line. */
	readonly requested: string | undefined;
	readonly log: Logger;
}

/**
 * Sets the model on the command line, if any. Otherwise, a restored session keeps its stored model. If the provider
 * does not have the stored model, sets the default model.
 */
export async function settleModel(
	agent: Agent,
	{ models, restored, requested, log }: RestoredModel,
): Promise<void> {
	if (requested !== undefined) {
		await agent.restoreModel(requested);
		return;
	}
	const before = restored?.model;
	if (before === undefined || has(models, before)) return;
	const model = await agent.restoreModel("default");
	log.warn("the provider does not have the stored model of the conversation", { before, model });
}

function has(models: Models, name: string): boolean {
	const { model, table, anyModel } = models;
	if (name === model.defaultModel || isKnown(models, name)) return true;
	// Other servers have their own models, but none has the built-in offline model.
	return anyModel && !table.find(name, "offline");
}

const rpcRequest: Keyed = { principal: operator, key: undefined, method: "rpc", params: {} };

function real(path: string): string {
	return existsSync(path) ? realpathSync(path) : path;
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
