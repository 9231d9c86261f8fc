import type { Io } from "./io.ts";

/** Returns functions that show and clear a progress line on stderr. They print only to a terminal. */
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
