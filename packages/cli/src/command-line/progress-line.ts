import type { Io } from "./io.ts";

/** Shows progress in one line that changes. Prints only to a terminal. */
export function progressLine(io: Io): { readonly show: (doing: string) => void; readonly end: () => void } {
	const { stderr } = io;
	const clear = (): void => {
		if (stderr.isTTY) stderr.write("\r\u001b[K");
	};
	return {
		show: (doing) => {
			clear();
			if (stderr.isTTY) stderr.write(`${doing} …`);
		},
		end: clear,
	};
}
