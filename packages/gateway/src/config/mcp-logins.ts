import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, ParleyError, parseJson, type Redactor } from "@parley/base";
import { type McpLogin, type McpLoginState, type McpLogins, SecretBox } from "@parley/core";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";
import { withFileLock } from "../data-directory/file-lock.ts";
import { replacePrivateFile } from "../data-directory/private-file.ts";
import { loadOrCreateSecretKey } from "../data-directory/secret-key.ts";
import { settingRefusalTexts } from "../texts/config/refusals.ts";

const fileSchema = () =>
	z.strictObject({
		logins: z.record(
			z.string(),
			z.strictObject({
				id: z.string(),
				url: z.string(),
				hasEnded: z.boolean(),
				/** Login, encrypted with the key of the data directory. */
				sealed: z.string(),
			}),
		),
	});

type Entries = z.output<ReturnType<typeof fileSchema>>["logins"];

const loginSchema = () =>
	z.object({
		id: z.string(),
		url: z.string(),
		resource: z.string(),
		server: z.object({
			issuer: z.string(),
			authorization_endpoint: z.string(),
			token_endpoint: z.string(),
			response_types_supported: z.array(z.string()),
			token_endpoint_auth_methods_supported: z.exactOptional(z.array(z.string())),
			revocation_endpoint: z.exactOptional(z.string()),
		}),
		client: z.object({
			client_id: z.string(),
			client_secret: z.exactOptional(z.string()),
			token_endpoint_auth_method: z.exactOptional(z.string()),
		}),
		privateHosts: z.array(z.string()),
		accessToken: z.string(),
		refreshToken: z.exactOptional(z.string()),
	});

/** Returns the path of the file with the encrypted logins in a data directory. */
export function mcpLoginsIn(data: string): string {
	return join(data, "mcp-logins.json");
}

/** Reads the states of all logins by `loginKey`, each with the address of its server. Rejects if the file is invalid. */
export async function readLoginStates(
	path: string,
): Promise<ReadonlyMap<string, McpLoginState & { readonly url: string }>> {
	const entries = Object.entries(await readEntries(path));
	return new Map(entries.map(([name, { id, url, hasEnded }]) => [name, { id, url, hasEnded }]));
}

/** Maximum number of redacted secrets per login, including secrets that a refresh has replaced. */
const maxRedacted = 12;

interface LoginFileParts {
	readonly data: string;
	readonly clock: Clock;
	readonly redactor: Redactor;
}

/**
 * Encrypted logins in a file that several processes read and change. The secrets of a login are registered for
 * redaction before the login is returned.
 */
export class McpLoginFile implements McpLogins {
	readonly #parts: LoginFileParts;
	readonly #path: string;
	/** Decrypted logins by `loginKey`. */
	readonly #opened = new Map<string, { readonly sealed: string; readonly login: McpLogin }>();
	/** Registered secrets by `loginKey`, the newest last. */
	readonly #redacted = new Map<string, readonly string[]>();
	#box: Promise<SecretBox> | undefined;

	constructor(parts: LoginFileParts) {
		this.#parts = parts;
		this.#path = mcpLoginsIn(parts.data);
	}

	async find(name: string, url: string): Promise<McpLogin | undefined> {
		const login = await this.#open(name, await readEntries(this.#path));
		return login?.url === url ? login : undefined;
	}

	async change(
		name: string,
		work: (before: McpLogin | undefined) => Promise<McpLogin | undefined>,
	): Promise<McpLogin | undefined> {
		return await this.#locked(`mcp-login-${createHash("sha256").update(name).digest("hex")}`, async () => {
			const before = await this.#open(name, await readEntries(this.#path));
			const after = await work(before);
			if (after !== before) await this.#write(name, after);
			return after;
		});
	}

	/** Stores `login` under `name`. If `login` is undefined, deletes the stored login. */
	async #write(name: string, login: McpLogin | undefined): Promise<void> {
		// The lock is acquired only for the write, so that a slow authorization server does not block other logins.
		await this.#locked("mcp-logins", async () => {
			const { [name]: _, ...others } = await readEntries(this.#path);
			const logins = login ? { ...others, [name]: await this.#seal(name, login) } : others;
			await replacePrivateFile(this.#path, `${JSON.stringify({ logins }, undefined, "\t")}\n`);
		});
	}

	#locked<T>(lock: string, work: () => Promise<T>): Promise<T> {
		const { data, clock } = this.#parts;
		return withFileLock(join(data, "run", `${lock}.lock`), clock, work);
	}

	async #seal(name: string, login: McpLogin): Promise<Entries[string]> {
		this.#redact(name, login);
		const { id, url } = login;
		const hasEnded = login.accessToken === "";
		const box = await this.#openBox();
		return { id, url, hasEnded, sealed: box.seal(handleOf(name, login), JSON.stringify(login)) };
	}

	async #open(name: string, entries: Entries): Promise<McpLogin | undefined> {
		const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
		if (entry === undefined) return undefined;
		const known = this.#opened.get(name);
		if (known?.sealed === entry.sealed) return known.login;
		const text = await this.#decrypt(name, entry);
		if (text === undefined) return undefined;
		const login = loginSchema().parse(parseJson(text));
		this.#redact(name, login);
		this.#opened.set(name, { sealed: entry.sealed, login });
		return login;
	}

	/** Returns the text of a login, or undefined if the key cannot decrypt it. */
	async #decrypt(name: string, entry: Entries[string]): Promise<string | undefined> {
		const box = await this.#openBox();
		try {
			return box.open(handleOf(name, entry), entry.sealed);
		} catch (reason) {
			if (ParleyError.from(reason).code === "data_loss") return undefined;
			throw reason;
		}
	}

	/**
	 * Adds the secrets of a login to the redactor. Above `maxRedacted` secrets for a name, removes the oldest secrets.
	 */
	#redact(name: string, { accessToken, refreshToken = "", client: { client_secret = "" } }: McpLogin): void {
		const { redactor } = this.#parts;
		const before = this.#redacted.get(name) ?? [];
		const all = new Set([...before, accessToken, refreshToken, client_secret].reverse());
		const remaining = [...all].slice(0, maxRedacted);
		for (const secret of before) if (!remaining.includes(secret)) redactor.remove(secret);
		for (const secret of remaining) redactor.add(secret);
		this.#redacted.set(name, remaining.reverse());
	}

	#openBox(): Promise<SecretBox> {
		this.#box ??= loadOrCreateSecretKey(this.#parts.data).then((key) => new SecretBox(key));
		return this.#box;
	}
}

/**
 * Returns the context for the encryption of a login. Because of this context, the login can be decrypted only for the
 * same server.
 */
function handleOf(name: string, { id, url }: { readonly id: string; readonly url: string }): string {
	return JSON.stringify(["mcp-login", name, id, url]);
}

async function readEntries(path: string): Promise<Entries> {
	const text = await readFile(path, "utf8").catch((reason: unknown) => {
		if (errno(reason) === "ENOENT") return '{ "logins": {} }';
		throw reason;
	});
	try {
		return fileSchema().parse(parseJson(text, { uniqueKeys: true })).logins;
	} catch (cause) {
		throw new ParleyError(settingRefusalTexts.invalidLogins({ path }), { code: "data_loss", cause });
	}
}
