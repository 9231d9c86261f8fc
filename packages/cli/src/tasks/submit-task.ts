import { text } from "node:stream/consumers";
import { defined } from "@parley/base";
import type { Client, MethodInput, MethodResult } from "@parley/protocol";
import { findSession } from "../client/find-session.ts";
import { findGateway, type GatewayAddress } from "../client/gateway-address.ts";
import { openSession } from "../client/open-session.ts";
import { withGateway } from "../client/with-gateway.ts";
import { shortId } from "../command-line/ids.ts";
import type { Io } from "../command-line/io.ts";
import { errorFormat, printJson, printRows } from "../command-line/output.ts";
import { visibleLine } from "../text/visible.ts";
import { taskTexts } from "../texts/tasks.ts";
import { otherDirectoryWords } from "../wordings/connection-words.ts";
import type { Task } from "../wordings/task.ts";
import { findTask, type SubmitFlags } from "./find-task.ts";
import { watchTask } from "./watch-task.ts";

export interface NewTask {
	readonly title: string;
	/** Description of the task. By default, the title. `-` reads the description from stdin. */
	readonly description: string | undefined;
}

/** Submits a task. Without `--session` and `--after`, creates a session. Returns the exit code. */
export async function submitTask(given: NewTask, flags: SubmitFlags, io: Io): Promise<number> {
	const description = given.description === "-" ? await text(io.stdin) : (given.description ?? given.title);
	const address = await findGateway(flags, io);
	const submitted = await withGateway(flags, io, async (client) => {
		const after: Task[] = [];
		for (const id of flags.after ?? []) after.push(await findTask(client, id));
		const params = { ...paramsOf(flags), title: given.title, description };
		const needs = after.length > 0 ? { depends_on: after.map(({ id }) => id) } : {};
		const session = { flags, address, io, known: after[0]?.session_id };
		return submitInSession(client, { ...params, ...needs }, session);
	});
	if (!flags.watch || !flags.json) printSubmitted(submitted, flags, io);
	return flags.watch ? watchTask(submitted.task_id, flags, io) : 0;
}

function paramsOf({ tool, priority, agent, model, autonomous }: SubmitFlags) {
	return defined({
		tools: tool && [...tool],
		priority,
		agent,
		model,
		autonomy: autonomous ? ("autonomous" as const) : undefined,
	});
}

interface Where {
	readonly flags: SubmitFlags;
	readonly address: GatewayAddress;
	readonly io: Io;
	/** Session of the first task in `--after`. */
	readonly known: string | undefined;
}

async function submitInSession(client: Client, task: MethodInput<"submit_task">, where: Where) {
	const { flags, address, io, known } = where;
	const sessionId = flags.session === undefined ? known : (await findSession(address, flags.session)).id;
	const { dim } = errorFormat(io).styles;
	const session = await openSession(client, {
		sessionId,
		profile: flags.agent,
		rootDir: address.isLocal ? io.cwd : undefined,
		onOtherDirectory: (reason) => io.stderr.write(`${otherDirectoryWords(io.cwd, reason)}\n`),
	});
	try {
		const submitted = await client.request("submit_task", task, { sessionId: session.id });
		io.stderr.write(`${dim(`session: ${visibleLine(session.id)}`)}\n`);
		return submitted;
	} catch (reason) {
		// Deletes a session that was created only for this task. If the deletion fails too, the original error is
		// reported.
		const undo = (): Promise<unknown> => client.request("delete_session", { session_id: session.id });
		if (sessionId === undefined) await undo().catch(() => undefined);
		throw reason;
	} finally {
		session.close();
	}
}

/**
 * Prints the id of a submitted task, and requested tools that the task cannot use. Without `watch`, also prints the
 * command that watches the task. With `json`, prints only the complete result as JSON.
 */
export function printSubmitted(
	submitted: MethodResult<"submit_task">,
	{
		json,
		watch,
		tool,
	}: { readonly json?: boolean; readonly watch?: boolean; readonly tool?: readonly string[] },
	io: Io,
): void {
	if (json) {
		printJson(submitted, io);
		return;
	}
	const { task_id, notes = [] } = submitted;
	// Notes about missing tools are shown only if the request names tools, because the default tools may be missing.
	for (const note of tool ? notes : []) io.stderr.write(`parley: ${visibleLine(note)}\n`);
	const id = visibleLine(task_id);
	const words = watch
		? taskTexts.submitted({ id })
		: taskTexts.submittedWithHint({ id, shortId: visibleLine(shortId(task_id)) });
	printRows([words], io);
}
