import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";

/**
 * Metadata of a home page. Presses on a home page name no channel, so the metadata contains the channel of the
 * direct messages.
 */
const HomeMetadata = z.object({ channel: z.string().regex(/^[A-Z0-9]{1,64}$/) });
type HomeMetadata = z.output<typeof HomeMetadata>;

export function writeHomeMetadata(metadata: HomeMetadata): string {
	return JSON.stringify(metadata);
}

/** Parses the metadata of a home page. Returns undefined for other text. */
export function readHomeMetadata(text: string): HomeMetadata | undefined {
	try {
		return HomeMetadata.safeParse(parseJson(text)).data;
	} catch (error) {
		if (error instanceof ParleyError && error.code === "invalid_argument") return undefined;
		throw error;
	}
}
