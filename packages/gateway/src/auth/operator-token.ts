import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Ids, mintToken, ParleyError, type Redactor, readTokenText } from "@parley/base";
import type { OperatorTokenFile } from "@parley/core";
import { errno } from "../data-directory/errno.ts";
import { checkPermissions, createPrivateFile, replacePrivateFile } from "../data-directory/private-file.ts";
import { dataDirectoryTexts } from "../texts/data-directory.ts";

/**
 * Opens the file with the operator's token in a data directory, and creates a missing token. The returned functions
 * read and replace the token. Each token that is read or written is added to the redactor.
 */
export async function openOperatorToken(
	dataDirectory: string,
	{ ids, redactor }: { readonly ids: Ids; readonly redactor: Redactor },
): Promise<OperatorTokenFile> {
	const read = async (): Promise<string> => {
		const token = await loadOrCreateOperatorToken(dataDirectory, ids);
		redactor.add(token);
		return token;
	};
	await read();
	return {
		read,
		async replace(text) {
			redactor.add(text);
			await replacePrivateFile(pathIn(dataDirectory), `${text}\n`);
		},
	};
}

/** Reads the operator's token from the data directory. Creates a missing token. */
export async function loadOrCreateOperatorToken(dataDirectory: string, ids: Ids): Promise<string> {
	const known = await readOperatorToken(dataDirectory);
	if (known !== undefined) return known;
	await createPrivateFile(pathIn(dataDirectory), `${mintToken("operator", ids)}\n`);
	// If another process has created the file in the meantime, the token of that process is used.
	const created = await readOperatorToken(dataDirectory);
	if (created === undefined) throw new ParleyError(dataDirectoryTexts.tokenDisappeared, { code: "aborted" });
	return created;
}

/**
 * Reads the operator's token, or returns undefined if none exists. Rejects with `failed_precondition` if other users
 * have permissions on the file or its directory, or if the file contains no operator token.
 */
export async function readOperatorToken(dataDirectory: string): Promise<string | undefined> {
	const path = pathIn(dataDirectory);
	try {
		await checkPermissions(dirname(path), 0o077);
		await checkPermissions(path, 0o077);
		const token = (await readFile(path, "utf8")).trim();
		if (readTokenText(token)?.kind === "operator") return token;
	} catch (error) {
		if (errno(error) === "ENOENT" || errno(error) === "ENOTDIR") return undefined;
		throw error;
	}
	throw new ParleyError(dataDirectoryTexts.noToken({ path }), {
		code: "failed_precondition",
	});
}

function pathIn(dataDirectory: string): string {
	return join(dataDirectory, "tokens", "operator");
}
