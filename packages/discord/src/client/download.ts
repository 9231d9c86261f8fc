import { ParleyError } from "@parley/base";
import { downloadTexts, mayPass, readBounded } from "@parley/connector";

const platform = "Discord";

/** Origins of attachments: https://docs.discord.com/developers/reference#signed-attachment-cdn-urls */
const origins = ["https://cdn.discordapp.com", "https://media.discordapp.net"];

export interface Download {
	readonly url: string;
	/** Maximum size of the file in bytes. */
	readonly maximum: number;
	readonly signal: AbortSignal;
	/** URL with a further origin from which downloads are allowed, in addition to Discord's CDN. */
	readonly cdnUrl?: string | undefined;
}

/**
 * Downloads an attachment. Only Discord's CDN and the origin of `cdnUrl` are allowed, because a message can name
 * any URL, for example on a private network.
 */
export async function download({ url, maximum, signal, cdnUrl }: Download): Promise<Uint8Array> {
	const allowed = cdnUrl === undefined ? origins : [...origins, new URL(cdnUrl).origin];
	const origin = URL.canParse(url) ? new URL(url).origin : downloadTexts.invalidAddress;
	if (!allowed.includes(origin)) {
		throw new ParleyError(downloadTexts.foreign({ origin, platform }), {
			code: "permission_denied",
		});
	}
	const over = new AbortController();
	try {
		return await read(url, maximum, AbortSignal.any([signal, over.signal]));
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		if (signal.aborted) throw ParleyError.from(signal.reason);
		throw new ParleyError(downloadTexts.unavailable({ platform }), {
			code: "unavailable",
			cause,
		});
	} finally {
		// If the response was not read to its end, its connection is closed.
		over.abort();
	}
}

async function read(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array> {
	const { status, headers, body } = await fetch(url, { redirect: "manual", signal });
	if (status !== 200 || body === null) throw refused(status);
	if (Number(headers.get("content-length") ?? 0) > maximum) {
		throw new ParleyError(downloadTexts.tooLarge({ maximum }), { code: "resource_exhausted" });
	}
	return readBounded(body, maximum, downloadTexts.name, downloadTexts.smaller);
}

function refused(status: number): ParleyError {
	if (status === 404 || status === 403 || status === 410) {
		return new ParleyError(downloadTexts.gone({ platform }), { code: "not_found" });
	}
	const code = mayPass(status) ? "unavailable" : "failed_precondition";
	return new ParleyError(downloadTexts.status({ status, platform }), { code });
}
