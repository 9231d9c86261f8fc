import { ParleyError } from "@parley/base";
import { type Client, isOzzieEvent, type OpenSession } from "@parley/protocol";
import { interruptedCode } from "../ask/interrupt.ts";
import { connect } from "../connect.ts";
import { type AddressFlags, findGateway } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { outputLook, printRows } from "../with-gateway.ts";
import { findTask, readWorkers } from "./find-task.ts";
import { LiveRows } from "./live-rows.ts";
import { shortId } from "./short-id.ts";
import { hasEnded, type Task, type TaskStatus } from "./task.ts";
import { replyRows, suspensionRows } from "./task-event-rows.ts";
import { WatchedTask, watchHeadRows } from "./watched-task.ts";

export interface WatchFlags extends AddressFlags {
	readonly json?: boolean;
}

/** How a task that ended is told to who waits for it. */
const exitCodes: Readonly<Partial<Record<TaskStatus, number>>> = { completed: 0, failed: 1, cancelled: 3 };

/** Shows what happens to a task until it ends or Ctrl-C is pressed; returns the exit code. */
export async function watchTask(id: string, flags: WatchFlags, io: Io): Promise<number> {
	const watching: { watch?: Watch; isLost?: boolean } = {};
	const client = connect(await findGateway(flags, io), (state) => {
		const { watch, isLost = false } = watching;
		if (state === "lost" && !isLost) watch?.note("the connection is lost, trying again …");
		if (state === "open" && isLost) watch?.note("connected again");
		watching.isLost = state === "lost" || (isLost && state === "connecting");
	});
	try {
		const { id: whole, session_id } = await findTask(client, id);
		const session = await client.open({ session_id });
		const task = await client.request("check_task", { task_id: whole });
		watching.watch = new Watch(new WatchedTask(task, await readWorkers(client, whole)), flags, io);
		return await watching.watch.follow(client, session, task);
	} finally {
		await client.close();
	}
}

class Watch {
	readonly #watched: WatchedTask;
	readonly #asJson: boolean;
	readonly #io: Io;
	readonly #live: LiveRows | undefined;

	constructor(watched: WatchedTask, { json }: WatchFlags, io: Io) {
		this.#watched = watched;
		this.#asJson = json === true;
		this.#io = io;
		const canDraw = io.stdout.isTTY && io.environment["TERM"] !== "dumb";
		this.#live = canDraw && !this.#asJson ? new LiveRows(io.stdout) : undefined;
	}

	async follow(client: Client, session: OpenSession, task: Task): Promise<number> {
		let isInterrupted = false;
		const interrupt = (): void => {
			isInterrupted = true;
			session.close();
		};
		const redraw = (): void => this.#show([]);
		process.once("SIGINT", interrupt);
		this.#io.stdout.on("resize", redraw);
		try {
			this.#begin(task);
			await this.#read(session);
		} finally {
			process.off("SIGINT", interrupt);
			this.#io.stdout.off("resize", redraw);
			this.#live?.close();
		}
		if (isInterrupted) {
			this.#io.stderr.write(`the task goes on; \`parley task watch ${shortId(task.id)}\` comes back to it\n`);
			return interruptedCode;
		}
		return this.#end(await client.request("check_task", { task_id: task.id }));
	}

	/** Something that is not the task's. */
	note(words: string): void {
		const look = outputLook(this.#io);
		if (this.#live) this.#show([look.styles.dim(words)]);
		else this.#io.stderr.write(`${words}\n`);
	}

	#begin(task: Task): void {
		if (this.#asJson) {
			this.#io.stdout.write(`${JSON.stringify(task)}\n`);
			return;
		}
		const look = outputLook(this.#io);
		const asked = task.suspension
			? [...suspensionRows(task.suspension, look), ...replyRows(task.id, look)]
			: [];
		const why = task.error === "" ? [] : wrapText(visibleText(task.error), look.columns);
		this.#show([...watchHeadRows(task, look), ...asked, ...why.map(look.styles.red)]);
	}

	async #read(session: OpenSession): Promise<void> {
		if (hasEnded(this.#watched.status)) return session.close();
		for await (const frame of session.events()) {
			if (!isOzzieEvent(frame)) continue;
			if (frame.event === "session.deleted") throw gone();
			const rows = this.#watched.take(frame, outputLook(this.#io), !this.#live);
			if (rows === undefined) continue;
			if (this.#asJson) this.#io.stdout.write(`${JSON.stringify(frame)}\n`);
			else this.#show(rows);
			if (hasEnded(this.#watched.status)) return;
		}
	}

	/** The whole output: its events tell no more than the beginning. */
	#end(task: Task): number {
		const look = outputLook(this.#io);
		const text = visibleText(task.output).trimEnd();
		if (this.#asJson) this.#io.stdout.write(`${JSON.stringify(task)}\n`);
		else if (text !== "") printRows(["", ...wrapText(text, look.columns)], this.#io);
		return exitCodes[task.status] ?? 1;
	}

	#show(rows: readonly string[]): void {
		const look = outputLook(this.#io);
		if (this.#live) this.#live.draw(rows, this.#watched.live(look));
		else printRows(rows, this.#io);
	}
}

function gone(): ParleyError {
	return new ParleyError("the conversation that owns the task was deleted, and the task with it", {
		code: "not_found",
	});
}
