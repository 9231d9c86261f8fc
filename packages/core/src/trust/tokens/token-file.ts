import type { OperatorTokenFile } from "../shared/trust-options.ts";

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
