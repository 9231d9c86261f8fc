import { ParleyError } from "@parley/base";
import { visible } from "../../text/visible.ts";
import { isMcpToolName } from "../../vocabulary/mcp/server.ts";
import type { Person } from "../../vocabulary/principal.ts";
import type { PromptResponse } from "../../vocabulary/prompt.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import { ruleNameOf, type Tool } from "../../vocabulary/tool.ts";
import { grantRequestTexts } from "./texts.ts";

export interface RequestedGrant {
	/** Key of the channel, as `placeKey` returns it. */
	readonly place: string;
	readonly people: readonly string[] | null;
	readonly tools: readonly string[] | null;
	readonly classes: readonly string[] | null;
	readonly maxActions: number;
	readonly lifeMs: number;
	readonly reason: string;
}

/** Grant request as stored with its question. Requests of earlier versions have no requester. */
export type StoredGrantRequest = RequestedGrant & { readonly by?: Pick<Person, "id" | "name"> };

export interface AnsweredGrantRequest {
	readonly token: string;
	/** The `Prompt` as JSON. */
	readonly request: string;
	/** The `StoredGrantRequest` as JSON. */
	readonly wanted_grant: string;
	readonly response: PromptResponse;
}

const longestLifeMs = 24 * 60 * 60 * 1000;

/** Classes that a grant cannot name, because calls with these classes always require approval in a channel. */
const neverGranted: ReadonlySet<string> = new Set<ActionClass>([
	"outside-write",
	"secret",
	"control",
	"irreversible",
	"exec-unsandboxed",
]);

/**
 * Throws `invalid_argument` if a field of the grant request is invalid, for example a lifetime of more than 24 hours.
 */
export function checkRequested(requested: RequestedGrant, tools: readonly Tool[]): void {
	const [platform, tenant, channel, more] = requested.place.split(":");
	if (!platform || !tenant || !channel || more !== undefined) {
		throw invalid(grantRequestTexts.notChannel(visible(requested.place)));
	}
	if (!(requested.lifeMs > 0 && requested.lifeMs <= longestLifeMs)) {
		throw invalid(grantRequestTexts.minutes(Math.ceil(requested.lifeMs / 60_000)));
	}
	const known = tools.map(ruleNameOf);
	const strange = requested.tools?.find((name) => !known.includes(name) && !isMcpToolName(name));
	if (strange !== undefined) {
		throw invalid(grantRequestTexts.noTool(visible(strange), known));
	}
	const floor = requested.classes?.find((name) => neverGranted.has(name));
	if (floor !== undefined) {
		throw invalid(grantRequestTexts.alwaysApproval(floor));
	}
	const there = `${platform}:${tenant}:`;
	const elsewhere = requested.people?.find((id) => !id.startsWith(there));
	if (elsewhere !== undefined) {
		throw invalid(grantRequestTexts.elsewhere(visible(elsewhere), there));
	}
	const empty = (["people", "tools", "classes"] as const).find((list) => requested[list]?.length === 0);
	if (empty !== undefined) throw invalid(grantRequestTexts.emptyList(empty));
}

/** Returns the question whether to trust a channel, in one line. */
export function grantRequestLabel(
	requested: RequestedGrant,
	{ id, name }: Pick<Person, "id" | "name">,
): string {
	const { place, people, tools, classes, maxActions, lifeMs, reason } = requested;
	const rule = [
		people === null ? grantRequestTexts.allMembers : `only ${people.map(visible).join(", ")}`,
		tools === null ? grantRequestTexts.allTools : grantRequestTexts.tools(tools),
		classes === null ? grantRequestTexts.noFilesOutside : grantRequestTexts.classes(classes),
		grantRequestTexts.maxCalls(maxActions),
	];
	const person = name === "" ? id : `${visible(name)} (${visible(id)})`;
	return grantRequestTexts.question({
		channel: visible(place),
		time: lengthOf(lifeMs),
		limits: rule,
		people: person,
		reason: visible(reason),
	});
}

function lengthOf(ms: number): string {
	const minutes = Math.round(ms / 60_000);
	return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
