import { PassThrough, Writable } from "node:stream";
import { setImmediate as tick } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import { ZotSetup } from "../../testing/zot-setup.ts";
import { serveZot } from "./server.ts";

/** Stream that accepts data only while `reading` is true. */
class Reader extends Writable {
	readonly writes: string[] = [];
	text = "";
	reading = true;

	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.writes.push(chunk.toString());
		this.text += chunk.toString();
		if (this.reading) done();
	}

	get lines(): string[] {
		return this.text.split("\n").slice(0, -1);
	}

	async waitFor(inner: string): Promise<void> {
		while (!this.text.includes(inner)) await tick();
	}
}

async function serve(token: string | undefined, ...script: readonly ScriptedReply[]) {
	const setup = await ZotSetup.open({ model: new ScriptedModel(...script) });
	const input = new PassThrough();
	const output = new Reader();
	const clock = new ManualClock();
	const stop = new AbortController();
	const code = serveZot({
		agent: setup.agent,
		input,
		output,
		clock,
		log: setup.t.log,
		version: "1",
		token,
		approvals: false,
		stop: stop.signal,
	});
	const send = (...commands: readonly object[]): void => {
		input.write(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
	};
	return { setup, input, output, clock, stop, code, send };
}

const prompt = (id: string) => ({ id, type: "prompt", message: id });

test("at the end of the input all commands run, also an unterminated line, and the exit code is 0", async () => {
	const { setup, input, output, code, send } = await serve(undefined, [says("1")], [says("2")]);
	await using _setup = setup;
	send(prompt("p1"));
	input.end(JSON.stringify(prompt("p2")));
	expect(await code).toBe(0);
	expect(output.lines.at(-1)).toBe('{"type":"done","request_id":"p2"}');
});

test("a client without the token gets an error, and its later lines are not read", async () => {
	const { setup, output, code, send } = await serve("s3cret");
	await using _setup = setup;
	send({ id: "1", type: "hello", token: "wrong" }, { id: "2", type: "hello", token: "s3cret" }, prompt("p"));
	expect(await code).toBe(1);
	expect(setup.t.log.records.at(-1)?.message).toMatch(/^the client was refused/);
	expect(output.lines).toHaveLength(1);
});

test("a client that does not read for 30 s ends the process and its runs with 74", async () => {
	const { setup, output, clock, code, send } = await serve(undefined, stuck("x".repeat(100_000)));
	await using _setup = setup;
	output.reading = false;
	send(prompt("p"));
	await output.waitFor("response");
	while (clock.pending === 0) await tick();
	clock.advance(29_999);
	await setup.t.settle();
	expect(clock.pending).toBe(1);
	clock.advance(1);
	expect(await code).toBe(74);
	expect(setup.t.log.records.at(-1)?.message).toMatch(/^the client has disconnected or does not read/);
	expect(await setup.agent.transcript()).toHaveLength(2);
	expect(output.text).not.toContain("done");
});

test("a client that disconnects or does not read at the end is not a success", async () => {
	const { setup, input, output, clock, code, send } = await serve(undefined, [says("1")]);
	await using _setup = setup;
	output.reading = false;
	send({ id: "1", type: "ping" });
	await output.waitFor("pong");
	input.end(`${JSON.stringify(prompt("p"))}\n`);
	while ((await setup.agent.transcript()).length < 2) await tick();
	while (clock.pending === 0) await tick();
	clock.advance(30_000);
	expect(await code).toBe(74);
});

test.each(["closed", "broken"])("an output that is %s ends the process with 74", async (how) => {
	const { setup, output, code, send } = await serve(undefined, stuck("…"));
	await using _setup = setup;
	send(prompt("p"));
	await output.waitFor("text_delta");
	output.destroy(how === "broken" ? new Error("EPIPE") : undefined);
	expect(await code).toBe(74);
	expect((await setup.agent.transcript()).length).toBe(2);
});

test("an input that cannot be read ends all runs and the process with 74", async () => {
	const { setup, input, output, code, send } = await serve(undefined, stuck("…"));
	await using _setup = setup;
	send(prompt("p"));
	await output.waitFor("text_delta");
	input.destroy(new Error("EBADF"));
	expect(await code).toBe(74);
	expect(output.lines.at(-1)).toBe('{"type":"done","request_id":"p"}');
	const lines = setup.t.log.records.filter(({ message }) => message.startsWith("the input cannot be read"));
	expect(lines).toMatchObject([{ level: "error", fields: { error: { message: "EBADF" } } }]);
});

test("a process that is stopped reports the end of each prompt and starts no later command", async () => {
	const { setup, output, stop, code, send } = await serve(
		undefined,
		[calls("c", "bash", { command: "exec sleep 100" })],
		[says("never")],
	);
	await using _setup = setup;
	send(prompt("p1"), prompt("p2"));
	await output.waitFor('"tool_use"');
	stop.abort();
	send(prompt("p3"), { id: "late", type: "ping" });
	expect(await code).toBe(0);
	expect(output.text).toContain("cancelled before it started");
	expect(output.lines.at(-1)).toBe('{"type":"done","request_id":"p1"}');
	expect(output.text).not.toContain("p3");
	expect(output.text).not.toContain("late");
});

test("while the client does not read, its input is not read", async () => {
	const { setup, input, output, code, send } = await serve(undefined, stuck("x".repeat(100_000)));
	await using _setup = setup;
	output.reading = false;
	send(prompt("p"));
	while (!output.writableNeedDrain) await tick();
	send({ id: "1", type: "ping" });
	await setup.t.settle();
	expect(input.isPaused()).toBe(true);
	output.destroy();
	expect(await code).toBe(74);
});

test("the responses to the lines of one read are sent together, before the events of their prompts", async () => {
	const { setup, input, output, code, send } = await serve(undefined, [says("1")], [says("2")]);
	await using _setup = setup;
	const lineCounts: number[] = [];
	input.on("data", () => lineCounts.push(output.lines.length));
	send({ id: "1", type: "ping" }, { id: "2", type: "hello" });
	await output.waitFor('"hello"');
	send(prompt("p1"), { id: "3", type: "ping" });
	await output.waitFor('"done"');
	expect(lineCounts).toEqual([2, 4]);
	expect(output.lines.slice(2, 4).map((line) => line.slice(0, 29))).toEqual([
		'{"type":"response","id":"p1",',
		'{"type":"response","id":"3","',
	]);
	input.end();
	expect(await code).toBe(0);
});
