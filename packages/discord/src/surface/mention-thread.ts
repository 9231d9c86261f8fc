import { type Logger, ParleyError } from "@parley/base";
import type { Room } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import type { DiscordRequest, DiscordRest } from "../vocabulary/discord-port.ts";
import { cutTo, errorCodes, limits } from "../vocabulary/limits.ts";
import { refusalOf } from "./refused.ts";
import type { ThreadNameStore } from "./thread-names.ts";

const [, dayOfMinutes] = limits.threadArchives;

/**
 * Opens a thread from a message, and returns the reason if Discord refuses:
 * resources/channel#start-thread-from-message. The thread has the id of the message, so a repeated request finds it.
 * Only a request in the thread shows whether the bot may write there.
 */
export async function openMentionThread(
	parts: { readonly port: DiscordRest; readonly names: ThreadNameStore; readonly log: Logger },
	{ channel }: Room,
	{ message, name }: { readonly message: string; readonly name: string },
): Promise<{ readonly refused?: string }> {
	const body = { name: cutTo(name, limits.threadName), auto_archive_duration: dayOfMinutes };
	// The name is saved before the request. A repetition after a crash then does not mistake a name from a person for the
	// connector's own.
	if ((await parts.names.load(message)) === undefined)
		await parts.names.save(message, { given: [body.name], changedAt: [] });
	const path = `/channels/${channel}/messages/${message}/threads`;
	const opened = await ask(parts, { method: "POST", path, body });
	if (opened !== undefined && opened !== errorCodes.threadExists)
		return { refused: deliveryTexts.noMentionThread };
	const typing = await ask(parts, { method: "POST", path: `/channels/${message}/typing` });
	return typing === undefined ? {} : { refused: deliveryTexts.noMentionThread };
}

/**
 * Sends a request. Returns undefined for success, the error code of a refusal, or 0 for a refusal without a code.
 * Rejects with `unavailable` after a rate limit, or if the result is unknown.
 */
async function ask(
	{ port, log }: { readonly port: DiscordRest; readonly log: Logger },
	request: DiscordRequest,
): Promise<number | undefined> {
	const response = await port.request(request);
	if (response.status < 300) return undefined;
	const { kind, fault, message } = refusalOf(response, "threads");
	if (kind === "unknown" || kind === "rate-limited") throw new ParleyError(message, { code: "unavailable" });
	log.debug("a thread for a mention was refused", { path: request.path, reason: message });
	return fault ?? 0;
}
