import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { defined, ParleyError } from "@parley/base";
import { fileFault, isNotFound } from "../filesystem/file-error.ts";
import { isWithin, type Roots } from "../filesystem/paths.ts";
import type { Profiles } from "../policy/profiles/profile.ts";
import { findNearMiss } from "../text/near-miss.ts";
import type { PlaceProfile } from "../vocabulary/chat-settings.ts";
import { isMcpToolName } from "../vocabulary/mcp/server.ts";
import type { Tool } from "../vocabulary/tool.ts";
import { channelTexts } from "./texts.ts";

/** Agents, tools and directories against which channel settings are checked. */
export interface PlaceSurroundings {
	readonly profiles: Profiles;
	readonly tools: readonly Tool[];
	readonly roots: Roots;
}

const wellFormed = /^[^\s:]+:[^\s:]+(?::[^\s:]+)?$/u;
const oneChannel = /^[^\s:]+:[^\s:]+:[^\s:]+$/u;

/** Throws `invalid_argument` if the agent in the settings cannot use the model in the settings. */
export async function checkModel(
	key: string,
	{ model, agent = "default" }: PlaceProfile,
	check: (agent: string, model: string) => Promise<void>,
): Promise<void> {
	if (model === undefined) return;
	await check(agent, model).catch((cause: unknown) => {
		throw refused(key, ParleyError.from(cause).message, cause);
	});
}

/**
 * Returns channel settings in their stored form, with the real path of the root. Throws `invalid_argument` if the key
 * or a setting is invalid.
 */
export async function checkPlace(
	key: string,
	profile: PlaceProfile,
	{ profiles, tools, roots }: PlaceSurroundings,
): Promise<PlaceProfile> {
	if (!wellFormed.test(key)) {
		throw refused(key, channelTexts.key);
	}
	checkTools(key, profile.tools ?? [], tools);
	checkApprovers(key, profile.approvers ?? []);
	checkApproveIn(key, profile.approveIn);
	if (profile.agent !== undefined) {
		await profiles.find(profile.agent).catch((cause: unknown) => {
			throw refused(key, ParleyError.from(cause).message, cause);
		});
	}
	if (profile.root === undefined) return profile;
	return { ...profile, root: await placeRoot(key, profile.root, roots) };
}

/**
 * Returns the real path of a channel's working directory. Throws `invalid_argument` if the directory cannot
 * be used.
 */
export async function placeRoot(key: string, root: string, { dataDir }: Roots): Promise<string> {
	const named = channelTexts.root(root);
	if (!isAbsolute(root)) throw refused(key, channelTexts.notAbsolute(named));
	const real = await realpath(root).catch((cause: unknown) => {
		const { missing, inaccessible } = channelTexts;
		throw refused(key, isNotFound(cause) ? missing(named) : inaccessible(named, fileFault(cause)), cause);
	});
	if (!(await stat(real)).isDirectory()) throw refused(key, channelTexts.notDirectory(named));
	if (isWithin(real, dataDir)) throw refused(key, channelTexts.inData(named));
	if (isWithin(dataDir, real)) {
		const reason = channelTexts.reason;
		throw refused(key, channelTexts.containsData(named, dataDir, reason));
	}
	return real;
}

function checkTools(key: string, requested: readonly string[], tools: PlaceSurroundings["tools"]): void {
	const names = tools.map(({ name }) => name);
	const unknown = requested.find((name) => !names.includes(name) && !isMcpToolName(name));
	if (unknown === undefined) return;
	const near = findNearMiss(unknown, names);
	const way = near === undefined ? `available: ${names.join(", ")}` : channelTexts.nearTool(near);
	throw refused(key, channelTexts.noTool(unknown, way));
}

/**
 * Throws `invalid_argument` if a channel in `approveIn` has no settings. A mistyped id would name a different channel,
 * or none.
 */
export function checkKnown(
	key: string,
	{ approveIn = [] }: PlaceProfile,
	isKnown: (key: string) => boolean,
): void {
	const unknown = approveIn.find((other) => !isKnown(other));
	if (unknown === undefined) return;
	const way = channelTexts.setFirst(unknown);
	throw refused(key, channelTexts.noSettings(unknown, way));
}

function checkApproveIn(key: string, approveIn: PlaceProfile["approveIn"]): void {
	if (!approveIn) return;
	// `approveIn` makes a channel's questions readable in other channels, so only a single channel may have it.
	if (!oneChannel.test(key)) {
		throw refused(key, channelTexts.onlySingle);
	}
	const invalidChannel = approveIn.find((other) => !oneChannel.test(other) || other === key);
	if (invalidChannel === undefined) return;
	const reason = channelTexts.nameAnother;
	throw refused(key, channelTexts.cannotAnswer(invalidChannel, reason));
}

/** Throws unless each id has the form `PLATFORM:TENANT:USER`, with the guild or team of the channel. */
function checkApprovers(key: string, approvers: readonly string[]): void {
	const [platform, tenant] = key.split(":");
	const beginning = `${platform}:${tenant}:`;
	const invalidChannel = approvers.find((id) => !id.startsWith(beginning) || id.split(":").length !== 3);
	if (invalidChannel === undefined) return;
	throw refused(key, channelTexts.otherApprover(invalidChannel, beginning));
}

function refused(key: string, reason: string, cause?: unknown): ParleyError {
	const shown = key.length > 200 ? `${key.slice(0, 200)}…` : key;
	return new ParleyError(`settings of ${shown}: ${reason}`, {
		code: "invalid_argument",
		...defined({ cause }),
	});
}
