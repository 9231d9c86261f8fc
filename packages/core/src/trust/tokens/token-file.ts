/** Where the operator's own token is kept in clear, for the operator alone. */
export interface OperatorTokenFile {
	/** Rejects with `failed_precondition` where others could read it too, or where it holds something else. */
	read(): Promise<string>;
	/** Puts another in its place, whole or not at all. */
	replace(text: string): Promise<void>;
}

/**
 * Writes the text before `work` and takes that back where it fails. What the file holds at the next start is in force,
 * so whoever is cut off in between has lost nothing.
 */
export async function replacing<T>(
	file: OperatorTokenFile,
	text: string,
	work: () => Promise<T>,
): Promise<T> {
	const before = await file.read();
	await file.replace(text);
	try {
		return await work();
	} catch (reason) {
		await file.replace(before);
		throw reason;
	}
}
