import xterm from "@xterm/headless";
import type { Screen } from "../terminal/screen.ts";
import { Setup } from "../terminal/setup.ts";
import { animation, type Frame, type Span } from "./terminal-svg.ts";

/** Size of the terminal, equal to the size of `Screen`. */
export const [columns, rows] = [80, 24];

/**
 * Plays the first conversation with the real command and the offline model, and returns the recording as an animated
 * SVG.
 */
export async function recordFirstConversation(): Promise<string> {
	const setup = await Setup.open();
	try {
		const frames: Frame[] = [];
		const chat = await setup.chat();
		// The last row shows the status after the rest of the first screen.
		await chat.shows("sandbox off");
		const record = async (seconds: number): Promise<void> => {
			frames.push({ seconds, rows: await rowsOf(screenText(chat)) });
		};
		await record(1);
		await typeSlowly(chat, "write: notes.txt <<< buy milk", () => record(0.12));
		chat.type("\r");
		await chat.shows("y yes · n no");
		await record(2.5);
		await chat.enter("y");
		await chat.rests("write_file returned:");
		await record(2.5);
		await typeSlowly(chat, "read: notes.txt", () => record(0.12));
		chat.type("\r");
		await chat.rests("read_file returned:");
		await record(4);
		return animation({ title: "First conversation with Parley in a terminal", columns, rows, frames });
	} finally {
		await setup.close();
	}
}

async function typeSlowly(screen: Screen, text: string, typed: () => Promise<void>): Promise<void> {
	for (let end = 3; end < text.length + 3; end += 3) {
		const shown = text.slice(0, end);
		screen.type(text.slice(end - 3, end));
		await screen.until(`"${shown}" is typed`, () => screen.typed.trimEnd().endsWith(shown.trimEnd()));
		await typed();
	}
}

/** Returns the output without session ids, because they differ between runs. */
function screenText({ received }: Screen): string {
	return received.replaceAll(/sess_[0-9a-z]{26}/g, `sess_${"x".repeat(26)}`);
}

/** Returns the visible rows of a terminal after the output `received`, with their styles. */
export async function rowsOf(received: string): Promise<Span[][]> {
	const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 0, allowProposedApi: true });
	await new Promise<void>((resolve) => terminal.write(received, resolve));
	const { active } = terminal.buffer;
	return Array.from({ length: rows }, (_, row) => {
		const line = active.getLine(active.viewportY + row);
		const spans: Span[] = [];
		for (let column = 0; column < columns; column++) {
			const cell = line?.getCell(column);
			if (cell === undefined || cell.getChars() === "") continue;
			const style = {
				color: cell.isFgDefault() ? undefined : cell.getFgColor(),
				isBold: cell.isBold() !== 0,
				isDim: cell.isDim() !== 0,
			};
			const last = spans.at(-1);
			const joins =
				last !== undefined &&
				last.column + last.text.length === column &&
				last.color === style.color &&
				last.isBold === style.isBold &&
				last.isDim === style.isDim;
			if (joins) last.text += cell.getChars();
			else spans.push({ column, text: cell.getChars(), ...style });
		}
		return spans.filter(({ text }) => text.trim() !== "");
	});
}
