import { createIds, systemClock } from "@parley/base";
import { revokeLogin } from "@parley/core";
import { type McpLoginFile, noteChange } from "@parley/gateway";
import { mcpLoginTexts } from "../texts/gateway/mcp.ts";

/** End of a login. Without a revocation, its token is valid until it expires. */
interface LoginEnd {
	readonly isRevoked: boolean;
}

/** Removes a login, with a note for the audit, and revokes its tokens. Undefined without a login of this name. */
export async function endLogin(
	name: string,
	allowPrivate: boolean,
	{ data, logins }: { readonly data: string; readonly logins: McpLoginFile },
): Promise<LoginEnd | undefined> {
	let end: LoginEnd | undefined;
	await logins.change(name, async (before) => {
		if (before === undefined) return undefined;
		const note = { action: "mcp.logout", object: name, facts: {} } as const;
		await noteChange(data, note, { clock: systemClock, ids: createIds() });
		end = { isRevoked: await revokeLogin(before, allowPrivate, systemClock) };
		return undefined;
	});
	return end;
}

/** The end of the sentence about a login that ended. */
export function unrevokedNote({ isRevoked }: LoginEnd): string {
	return isRevoked ? "" : mcpLoginTexts.tokenStaysValid;
}
