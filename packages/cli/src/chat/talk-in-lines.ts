import { createInterface } from "node:readline";
import type { Io } from "../io.ts";
import { retryWords } from "../model-rows.ts";
import { questionPrompt } from "../questions/question-rows.ts";
import { createStyles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import type { BeginChat, Chat } from "./chat.ts";

/**
 * A chat without a terminal to draw on: every line of the input is a message, or the answer to the question that the
 * message before has led to. At the end of the input the work that was begun is waited for. Returns the exit code.
 */
export async function talkInLines(io: Io, begin: BeginChat): Promise<number> {
	const look = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };
	let notice = "";
	const chat = begin({
		look: () => look,
		// The lines of a pipe were written for the conversation.
		asksForTasks: io.stdin.isTTY,
		show: (rows) => {
			io.stdout.write(rows.map((row) => `${row}\n`).join(""));
			const { retrying } = chat.conversation;
			const told = chat.notice || (retrying ? retryWords(retrying) : "");
			if (told !== notice && told !== "") io.stderr.write(`parley: ${told}\n`);
			notice = told;
		},
	});
	io.stderr.write(`session: ${visibleLine(chat.sessionId)}\n`);
	const lines = createInterface({ input: io.stdin });
	const reading = chat.read();
	try {
		await Promise.race([reading, talk(chat, lines, io)]);
	} finally {
		chat.leave();
		lines.close();
	}
	await reading;
	return 0;
}

async function talk(chat: Chat, lines: AsyncIterable<string>, io: Io): Promise<void> {
	await untilReady(chat, io);
	const entered: Promise<void>[] = [];
	for await (const line of lines) {
		const entering = chat.enter(line);
		const { question } = chat.conversation;
		// The next question is asked before the gateway has confirmed the last answer.
		if (question && !question.given) entered.push(entering);
		else await entering;
		await untilReady(chat, io);
	}
	await Promise.all(entered);
	while (chat.conversation.question) {
		io.stderr.write("parley: the input has ended, so nobody answers\n");
		await chat.decline();
		await chat.ready();
	}
}

/** Waits for the next thing to say; a terminal that would show a password is not asked for one. */
async function untilReady(chat: Chat, io: Io): Promise<void> {
	await chat.ready();
	const question = chat.conversation.question?.question;
	if (!question) return;
	if (question.type !== "password" || !io.stdin.isTTY) {
		io.stdout.write(`${questionPrompt(question)}\n`);
		return;
	}
	io.stderr.write("parley: this terminal cannot hide what is typed, so no password is asked for\n");
	await chat.decline();
	await untilReady(chat, io);
}
