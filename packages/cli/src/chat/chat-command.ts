import { createInterface } from "node:readline";
import { defined, systemClock } from "@parley/base";
import type { OpenSession } from "@parley/protocol";
import { uploadFile } from "../ask/upload-file.ts";
import { connect } from "../client/connect.ts";
import { findSession } from "../client/find-session.ts";
import { type AddressFlags, findGateway } from "../client/gateway-address.ts";
import { readHealthReport } from "../client/gateway-health.ts";
import { lastSession, openSession } from "../client/open-session.ts";
import { HiddenInput, withoutKeys } from "../command-line/hidden-input.ts";
import type { Io } from "../command-line/io.ts";
import { printRows } from "../command-line/output.ts";
import type { SessionFlags } from "../command-line/session-flags.ts";
import { questionPrompt } from "../questions/question-rows.ts";
import { createStyles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { chatTexts, lineTexts } from "../texts/chat/lines.ts";
import { otherDirectoryWords } from "../wordings/connection-words.ts";
import { retryWords } from "../wordings/model-rows.ts";
import { type BeginChat, Chat } from "./chat.ts";
import { deleteUnused } from "./delete-unused.ts";
import { fileNames } from "./file-names.ts";
import type { Clipboard, ClipboardImage } from "./images/clipboard.ts";
import { ClipboardFiles } from "./images/paste-clipboard.ts";
import { StatusLine } from "./status-line.ts";
import { chatAtTerminal, type MakeStatusLine } from "./terminal-chat.ts";

/** Runs a chat until the person leaves or the input ends. Returns the exit code. */
export async function runChat(flags: ChatFlags, io: Io): Promise<number> {
	const address = await findGateway(flags, io);
	let current: Chat | undefined;
	let isConnected = false;
	const client = connect(address, (state) => {
		isConnected = state === "open";
		current?.connection(state);
	});
	const rootDir = address.isLocal ? io.cwd : undefined;
	const created: OpenSession[] = [];
	await using pasted = new ClipboardFiles();
	const open = async (sessionId: string | undefined): Promise<OpenSession> => {
		const session = await openSession(client, {
			sessionId,
			rootDir,
			profile: flags.profile,
			model: flags.model,
			onOtherDirectory: (reason) => io.stderr.write(`${otherDirectoryWords(io.cwd, reason)}\n`),
		});
		if (session.status === "created") created.push(session);
		return session;
	};
	try {
		const session = await open(flags.continue ? await lastSession(client, rootDir) : flags.session);
		const find = (id: string) => findSession(address, id);
		const listFiles = async (id: string, text: string) => fileNames((await find(id)).root_dir, text);
		const upload = (path: string) => uploadFile(address, path);
		const directory = async (id: string) => (address.isLocal ? (await find(id)).root_dir : io.cwd);
		const clipboard = {
			read: () => readSystemClipboard(io, pasted.signal),
			store: (image: ClipboardImage) => pasted.add(image),
		};
		// The author of piped text is unknown, so this text must not choose files to send.
		const images = io.stdin.isTTY ? { cwd: io.cwd, directory, upload, clipboard } : undefined;
		const begin: BeginChat = (display) => {
			current = new Chat({
				...display,
				client,
				session,
				clock: systemClock,
				openNew: () => open(undefined),
				openExisting: async (id) => open((await find(id)).id),
				...defined({ images, listFiles: address.isLocal ? listFiles : undefined }),
			});
			return current;
		};
		const readSandbox = async () => (await readHealthReport(flags, io))?.sandbox?.mode;
		const makeStatus: MakeStatusLine = (changed) =>
			new StatusLine({ client, find, home: io.environment["HOME"], readSandbox, changed });
		const rows =
			isInteractive(io) && !flags.plain
				? await chatAtTerminal(io, begin, makeStatus)
				: await chatInLines(io, begin);
		const deleted = isConnected ? await deleteUnused({ client, created, find }) : [];
		if (!current || !deleted.includes(current.sessionId)) printRows(rows, io);
		return 0;
	} finally {
		await client.close();
	}
}

async function readSystemClipboard({ environment }: Io, signal: AbortSignal): Promise<Clipboard> {
	// Most chats never read the clipboard, so the code is loaded at the first use.
	const [{ readClipboard }, { thisMachine }] = await Promise.all([
		import("./images/clipboard.ts"),
		import("../service/machine.ts"),
	]);
	const { platform, isWsl } = thisMachine({ environment });
	return readClipboard({ platform, isWsl, environment, signal });
}

function isInteractive({ stdin, stdout, environment }: Io): boolean {
	return stdin.isTTY && stdout.isTTY && environment["TERM"] !== "dumb";
}

/**
 * Runs a chat that prints lines and does not draw. Each line of the input is a message, a command, or the
 * answer to an open question. When the input ends, the chat waits for running work and declines open
 * questions. Resolves with an empty list, because the id of the session is printed at the start.
 */
export async function chatInLines(io: Io, begin: BeginChat): Promise<readonly string[]> {
	const format = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };
	let notice = "";
	using hidden = new HiddenInput(io.stdin, () => press());
	const chat = begin({
		format: () => format,
		// The lines from a pipe are meant for the conversation, not for questions of tasks.
		asksForTasks: io.stdin.isTTY,
		text: "plain",
		offersRules: io.stdin.isTTY,
		shellLines: io.stdin.isTTY ? "refused" : "message",
		show: (rows) => {
			// The question may have been closed or answered. The mode must change before the rows are printed,
			// because a terminal that changes its mode delivers an earlier typed line only with the next line.
			if (hidden.isHidden && !isPassword(chat)) hidden.set(false);
			io.stdout.write(rows.map((row) => `${row}\n`).join(""));
			const { retrying } = chat.conversation;
			const noticeText = chat.notice || (retrying ? retryWords(retrying) : "");
			if (noticeText !== notice && noticeText !== "") io.stderr.write(`parley: ${noticeText}\n`);
			notice = noticeText;
		},
	});
	io.stderr.write(`session: ${visibleLine(chat.sessionId)}\n`);
	const press = (): void => {
		if (chat.canCancel) void chat.cancel();
		else chat.leave();
	};
	using _ = io.stdin.isTTY ? onInterrupt(press, io) : undefined;
	const lines = createInterface({ input: io.stdin });
	// The listener must exist before the chat is ready, because a line without a listener is lost.
	const entered = lines[Symbol.asyncIterator]();
	const reading = chat.read();
	try {
		await Promise.race([reading, chatWithLines(chat, entered, { io, hidden })]);
	} finally {
		chat.leave();
		lines.close();
	}
	await reading;
	return [];
}

function onInterrupt(press: () => void, io: Io): Disposable {
	io.stderr.write(`parley: ${lineTexts.interrupts}\n`);
	process.on("SIGINT", press);
	return { [Symbol.dispose]: () => process.off("SIGINT", press) };
}

interface LineInput {
	readonly io: Io;
	readonly hidden: HiddenInput;
}

async function chatWithLines(
	chat: Chat,
	lines: AsyncIterable<string>,
	{ io, hidden }: LineInput,
): Promise<void> {
	await untilReady(chat, { io, hidden });
	const entered: Promise<void>[] = [];
	for await (const typed of lines) {
		const { isHidden } = hidden;
		hidden.set(false);
		// The terminal has also hidden the line break.
		if (isHidden) io.stdout.write("\n");
		const handled = chat.enter(io.stdin.isTTY ? withoutKeys(typed) : typed);
		const { question } = chat.conversation;
		// If the next question is already open, its answer can be read before the gateway confirms the last
		// answer.
		if (question && !question.given) entered.push(handled);
		else await handled;
		await untilReady(chat, { io, hidden });
	}
	await Promise.all(entered);
	while (chat.conversation.question) {
		io.stderr.write(`${chatTexts.inputEnded}\n`);
		await chat.decline();
		await chat.ready();
	}
}

async function untilReady(chat: Chat, { io, hidden }: LineInput): Promise<void> {
	await chat.ready();
	const question = chat.conversation.question?.question;
	if (!question) return;
	// The input must be hidden before the prompt appears, because a person can then start to type.
	hidden.set(isPassword(chat));
	io.stdout.write(`${questionPrompt(question, chat.conversation.offersRules)}\n`);
}

function isPassword({ conversation: { question } }: Chat): boolean {
	return question?.question.type === "password" && question.given === undefined;
}

export interface ChatFlags extends AddressFlags, SessionFlags {
	/** Whether to print lines even at a terminal that supports escape sequences. */
	readonly plain?: true;
}
