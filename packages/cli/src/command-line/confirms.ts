import { createInterface } from "node:readline/promises";
import type { Io } from "./io.ts";

/** Asks for confirmation at the terminal. Returns false for any answer except yes. */
export async function confirms(question: string, io: Io): Promise<boolean> {
	const lines = createInterface({ input: io.stdin, output: io.stderr });
	try {
		return /^y(?:es)?$/i.test((await lines.question(question)).trim());
	} finally {
		lines.close();
	}
}
