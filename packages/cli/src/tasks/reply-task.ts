import { text } from "node:stream/consumers";
import { defined, ParleyError } from "@parley/base";
import type { MethodInput, PromptRequestPayload } from "@parley/protocol";
import { withGateway } from "../client/with-gateway.ts";
import { shortId } from "../command-line/ids.ts";
import { interruptedCode } from "../command-line/interrupt.ts";
import type { Io } from "../command-line/io.ts";
import { errorFormat, printJson, printRows } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { askPerson } from "../questions/ask-person.ts";
import { visibleLine } from "../text/visible.ts";
import { taskTexts } from "../texts/tasks.ts";
import type { Task } from "../wordings/task.ts";
import { findTask, type ReplyFlags } from "./find-task.ts";
import { nameTask, suspensionRows } from "./task-board.ts";

interface Reply {
	readonly status: MethodInput<"reply_task">["status"];
	readonly feedback?: string;
}

/** Sends a person's reply to a suspended task. Returns the exit code. */
export async function replyTask(id: string, words: string, flags: ReplyFlags, io: Io): Promise<number> {
	const given = await givenReply(words, flags, io);
	if (!given && !hasPerson(io)) {
		throw new UsageError(taskTexts.noTerminal);
	}
	return withGateway(flags, io, async (client) => {
		const { id: task_id } = await findTask(client, id);
		const task = await client.request("check_task", { task_id });
		const { suspension } = task;
		if (!suspension) throw notSuspended(task);
		const reply = given ?? (await askReply(task, io));
		if (typeof reply === "number") {
			io.stderr.write(`${taskTexts.notAnswered}\n`);
			return reply;
		}
		const { token } = suspension;
		const answer = await client.request("reply_task", {
			task_id,
			...reply,
			...defined({ token }),
		});
		if (flags.json) printJson(answer, io);
		else printRows([repliedWords(task, reply)], io);
		return 0;
	});
}

async function givenReply(
	words: string,
	{ approve, revise }: ReplyFlags,
	io: Io,
): Promise<Reply | undefined> {
	if (!approve && !revise) {
		if (words === "") return undefined;
		throw new UsageError(taskTexts.decisionMissing);
	}
	const feedback = (words === "-" ? await text(io.stdin) : words).trim();
	if (revise && feedback === "") {
		throw new UsageError(taskTexts.feedbackMissing);
	}
	return defined({
		status: revise ? ("revise" as const) : ("approved" as const),
		feedback: feedback || undefined,
	});
}

/** Resolves with a person's reply at the terminal, or with the exit code if the person does not reply. */
async function askReply(task: Task, io: Io): Promise<Reply | number> {
	const format = errorFormat(io);
	const name = nameTask(task.id, { title: task.title, parentId: task.parent_id });
	const suspension = task.suspension ? suspensionRows(task.suspension, format) : [];
	io.stderr.write([name, ...suspension].map((row) => `${row}\n`).join(""));
	const choice = await askOne({ ...question, ...choices }, io);
	if (typeof choice === "number") return choice;
	if (choice === "approved") return { status: "approved" };
	const isRevision = choice === "revise";
	const label = isRevision ? taskTexts.whatToChange : taskTexts.whatFeedback;
	const feedback = await askOne({ ...question, type: "text", label }, io);
	if (typeof feedback === "number") return feedback;
	return { status: isRevision ? "revise" : "approved", feedback };
}

const question: Omit<PromptRequestPayload, "type" | "label"> = {
	token: "",
	required: true,
	options: [],
	default: null,
	placeholder: "",
	validation: "",
	context: {},
};

const choices: Pick<PromptRequestPayload, "type" | "label" | "options"> = {
	type: "select",
	label: taskTexts.whatDecision,
	options: [
		{ value: "approved", label: taskTexts.approve, description: "", disabled: false },
		{ value: "words", label: taskTexts.approveWithFeedback, description: "", disabled: false },
		{ value: "revise", label: taskTexts.revise, description: taskTexts.reviseExplained, disabled: false },
	],
};

async function askOne(prompt: PromptRequestPayload, io: Io): Promise<string | number> {
	const stop = new AbortController();
	const given = await askPerson(prompt, { io, signal: stop.signal, onInterrupt: () => stop.abort() });
	if (!given) return interruptedCode;
	const { value, text: typed } = given.response;
	const answer = value ?? typed;
	return typeof answer === "string" ? answer : 1;
}

function hasPerson({ stdin, stderr, environment }: Io): boolean {
	return stdin.isTTY && stderr.isTTY && environment["TERM"] !== "dumb";
}

function repliedWords({ id, title }: Task, { status }: Reply): string {
	const words = status === "approved" ? taskTexts.continued : taskTexts.revised;
	return words({ title: visibleLine(title), shortId: visibleLine(shortId(id)) });
}

function notSuspended({ id, title, status }: Task): ParleyError {
	const message = taskTexts.noQuestion({ id: visibleLine(shortId(id)), title: visibleLine(title), status });
	return new ParleyError(message, { code: "failed_precondition" });
}
