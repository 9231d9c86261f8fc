import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ParleyError } from "@parley/base";
import type { Client } from "@parley/protocol";

/** Who may ask for a connector's token: a connection of the operator. */
export interface TokenQuestion {
	/** The chat platform, which names the token as well. */
	readonly platform: string;
	readonly data: string;
	readonly gateway: Pick<Client, "request">;
}

/**
 * The token with which a connector on this machine comes to the gateway: kept in the data directory, where only this
 * user reads it, and made where there is none that the gateway knows. Rejects with `failed_precondition` where the
 * operator has revoked it: what was taken away is not made anew unasked.
 */
export async function connectorToken({ platform, data, gateway }: TokenQuestion): Promise<string> {
	const file = tokenFileOf({ platform, data });
	const kept = await readIfThere(file);
	const { tokens } = await gateway.request("list_tokens", {});
	const [, , id = ""] = kept?.split("_") ?? [];
	const known = tokens.find((token) => token.id === id);
	if (kept !== undefined && known?.status === "active") return kept;
	if (known !== undefined) {
		const message = `the token ${known.name} of the ${platform} connector is ${known.status}; for another one type: rm '${file}'`;
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const made = await gateway.request("create_token", {
		...{ kind: "connector", platform, name: freeName(platform, tokens) },
	});
	await writePrivate(file, made.token);
	return made.token;
}

/** What to do where the gateway takes the token no more with which the connector came. */
export function revokedToken(
	{
		platform,
		data,
		given,
	}: Pick<TokenQuestion, "platform" | "data"> & { readonly given: string | undefined },
	cause: Error,
): ParleyError {
	const fix = given?.startsWith("gw_connector_")
		? `for another one type: parley token create connector NAME --platform ${platform}`
		: `for another one type: rm '${tokenFileOf({ platform, data })}'`;
	const message = `the gateway takes the ${platform} connector's token no more: it was revoked; ${fix}`;
	return new ParleyError(message, { code: "unauthenticated", cause });
}

function tokenFileOf({ platform, data }: Pick<TokenQuestion, "platform" | "data">): string {
	return join(data, "tokens", `connector-${platform}`);
}

/** The platform's own name, or the first with a number that nobody has. */
function freeName(platform: string, tokens: readonly { readonly name: string }[]): string {
	const taken = new Set(tokens.map(({ name }) => name));
	for (let number = 1; ; number++) {
		const name = number === 1 ? platform : `${platform}-${number}`;
		if (!taken.has(name)) return name;
	}
}

async function readIfThere(file: string): Promise<string | undefined> {
	try {
		return (await readFile(file, "utf8")).trim();
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

async function writePrivate(file: string, text: string): Promise<void> {
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	const draft = `${file}.draft`;
	await using handle = await open(draft, "w", 0o600);
	await handle.writeFile(`${text}\n`);
	await handle.sync();
	await rename(draft, file);
}
