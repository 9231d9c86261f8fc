import { createIds, defined, systemClock } from "@parley/base";
import { loginKey, revokeLogin } from "@parley/core";
import { type McpLoginFile, noteChange } from "@parley/gateway";
import { mcpLoginTexts } from "../texts/gateway/mcp.ts";

/** Result of a logout. Without a revocation, the token stays valid until it expires. */
interface LoginEnd {
	readonly isRevoked: boolean;
}

export interface ServerPlace {
	readonly name: string;
	/** Working directory whose `.mcp.json` names the server. Absent for servers of the operator or of an agent. */
	readonly directory?: string | undefined;
}

/**
 * Removes a login, records the change for the audit log, and tries to revoke the tokens. Resolves with whether the
 * tokens were revoked, or with undefined if the server has no login.
 */
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

/** Returns the addition to the message about a logout, or "" if the token was revoked. */
export function unrevokedNote({ isRevoked }: LoginEnd): string {
	return isRevoked ? "" : mcpLoginTexts.tokenStaysValid;
}
