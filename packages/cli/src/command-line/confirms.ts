import { createInterface } from "node:readline/promises";
import type { Io } from "./io.ts";

/** Asks for confirmation at the terminal. Returns true only for the answers `y` and `yes`. */
export async function confirms(question: string, io: Io): Promise<boolean> {
	const lines = createInterface({ input: io.stdin, output: io.stderr });
	const closed = Promise.withResolvers<string>();
	lines.once("close", () => closed.resolve(""));
	try {
		const answer = await Promise.race([lines.question(question), closed.promise]);
		return /^y(?:es)?$/i.test(answer.trim());
	} finally {
		lines.close();
	}
}
