import type { Io } from "../io.ts";
import { Terminal } from "../terminal/terminal.ts";
import { createStyles, type Look, wantsColours } from "../text/styles.ts";
import type { BeginChat } from "./chat.ts";
import { Keyboard } from "./keyboard.ts";
import { liveView } from "./live-view.ts";
import { headRow, noteRows } from "./rows.ts";

const leavingSignals = ["SIGTERM", "SIGHUP"] as const;

/** A chat with a line to type in below what is said. Returns the exit code. */
export async function talkAtTerminal(io: Io, begin: BeginChat): Promise<number> {
	const styles = createStyles(wantsColours(io.stdout, io.environment));
	const look = (): Look => ({ columns: terminal.columns, styles });
	const draw = (rows: readonly string[] = []): void => {
		keyboard.focus();
		const { message, answer, notice } = keyboard;
		const state = { conversation: chat.conversation, message, answer, notice };
		terminal.draw(rows, liveView(state, look(), terminal.rows));
	};
	const leave = (): void => chat.leave();
	const terminal = new Terminal({
		input: io.stdin,
		output: io.stdout,
		onKey: (key) => {
			// Shows its own errors.
			void keyboard.press(key);
			if (!keyboard.isPasting) draw();
		},
		onRedraw: draw,
		onEnd: leave,
	});
	const chat = begin({ look, show: draw, asksForTasks: true });
	const keyboard = new Keyboard(chat);
	for (const signal of leavingSignals) process.once(signal, leave);
	try {
		draw([headRow(chat.sessionId, look())]);
		await chat.read();
	} finally {
		for (const signal of leavingSignals) process.off(signal, leave);
		terminal.close();
	}
	const goesOn = chat.conversation.idle ? "" : "; what runs goes on";
	const farewell = `parley chat --session ${chat.sessionId} comes back${goesOn}`;
	io.stdout.write(
		noteRows(farewell, look())
			.map((row) => `${row}\n`)
			.join(""),
	);
	return 0;
}
