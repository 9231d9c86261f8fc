import { createIds, defined, systemClock } from "@parley/base";
import { loginKey, revokeLogin } from "@parley/core";
import { type McpLoginFile, noteChange } from "@parley/gateway";
import { mcpLoginTexts } from "../texts/gateway/mcp.ts";

/** End of a login. Without a revocation, its token is valid until it expires. */
interface LoginEnd {
	readonly isRevoked: boolean;
}

export interface ServerPlace {
	readonly name: string;
	/** Working directory whose `.mcp.json` names the server. Absent for servers of the operator. */
	readonly directory?: string | undefined;
}

/** Removes a login, with a note for the audit, and revokes its tokens. Undefined without a login at this server. */
export async function endLogin(
	server: ServerPlace,
	allowPrivate: boolean,
	{ data, logins }: { readonly data: string; readonly logins: McpLoginFile },
): Promise<LoginEnd | undefined> {
	let end: LoginEnd | undefined;
	await logins.change(loginKey(server), async (before) => {
		if (before === undefined) return undefined;
		const { name, directory } = server;
		const note = { action: "mcp.logout", object: name, facts: defined({ directory }) } as const;
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
