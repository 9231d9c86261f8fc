import { definedItems, type ErrorCode, ParleyError } from "@parley/base";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import { refusalWithoutIds } from "../conversation/vocabulary/without-ids.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { accessTexts } from "../texts/access.ts";
import type { Reply, RoomContext } from "./handler-context.ts";

/** Errors that the person's request did not cause. The request is retried, and the person gets no answer. */
const passing: ReadonlySet<ErrorCode> = new Set([
	"unavailable" as const,
	"deadline_exceeded" as const,
	"resource_exhausted" as const,
	"aborted" as const,
	"cancelled" as const,
	"unauthenticated" as const,
	"internal" as const,
]);

const maxWords = 500;

interface Refusal extends Reply {
	/** Whether the person has no access at all. */
	readonly isStranger?: true;
}

/**
 * Returns a reply to a person after the gateway refused a request of the person: the reason, and advice. Rethrows
 * temporary errors.
 */
export async function requestRefusal(
	context: { readonly whoami: RoomContext["whoami"]; readonly platform: ChatPlatform },
	{ person, room }: { readonly person: Person; readonly room: Room },
	reason: unknown,
): Promise<Refusal> {
	const { code, message } = ParleyError.from(reason);
	if (passing.has(code)) throw reason;
	if (code !== "permission_denied") return { text: sentence(message) };
	const { role, hint } = await context.whoami(person, room);
	if (role === undefined || role === "stranger")
		return { text: howToPair(context.platform), isStranger: true };
	const refusal = refusalText(message, { person, room }, context.platform);
	return { text: definedItems([refusal, hint === undefined ? undefined : sentence(hint)]).join(" ") };
}

/** Returns the gateway's message about the person, as a sentence without ids. */
export function refusalText(
	message: string,
	{ person, room: { tenant } }: { readonly person: Person; readonly room: Room },
	{ name: platform }: { readonly name: string },
): string {
	return sentence(refusalWithoutIds(message, { platform, tenant, person }));
}

function howToPair(platform: RoomContext["platform"]): string {
	return accessTexts.noAccess({ command: platform.command("pair", {}) });
}

/** Pattern of the gateway's ids, with the colon, the space and the quotation marks around an id, if present. */
const gatewayId = /:? ?"?\b(?:sess|run|task|call|prompt|grant|file|sched|mem|msg|review)_[0-9a-z]{20,}"?/gu;

/** Returns the gateway's message as a sentence in Markdown, without ids and the machine-readable prefix. */
function sentence(message: string): string {
	const reason = message
		.replace(/^(forbidden|invalid params|not available): /, "")
		.replace(gatewayId, "")
		.trim();
	const words = plainLine(reason.slice(0, 1).toUpperCase() + reason.slice(1), maxWords);
	return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** Whether the gateway refused because the key belongs to an earlier request with other parameters. */
export function isKeyOfOther(reason: unknown): boolean {
	const { code, message } = ParleyError.from(reason);
	return code === "invalid_argument" && message.includes("was used for another request");
}
