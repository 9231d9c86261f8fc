import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { ManualClock } from "@parley/base/testing";
import { ScriptedModel, type ScriptedReply, says, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import { ZotGround } from "../../testing/zot-ground.ts";
import type { Agent } from "./agent.ts";
import { Connection } from "./connection.ts";
import type { Frame } from "./schema.ts";
import { serveZot } from "./server.ts";

/** An agent that is there when somebody says so. */
async function coming(...script: readonly ScriptedReply[]) {
	const ground = await ZotGround.open({ model: new ScriptedModel(...script) });
	const { promise, resolve, reject } = Promise.withResolvers<Agent>();
	const opened: number[] = [];
	const agent = {
		...{ provider: "scripted", model: "coming" },
		open: () => {
			opened.push(1);
			return promise;
		},
	};
	return { ground, agent, opened, come: () => resolve(ground.agent), fail: reject };
}

async function connect(token: string | undefined, ...script: readonly ScriptedReply[]) {
	const place = await coming(...script);
	const frames: Frame[] = [];
	const connection = new Connection({
		...{ agent: place.agent, log: place.ground.t.log, version: "1", token, approvals: false },
		send: (frame) => frames.push(frame),
		drained: () => Promise.resolve(),
	});
	const send = (...commands: readonly object[]): boolean =>
		commands
			.map((command) => connection.take({ kind: "text", text: JSON.stringify(command) }))
			.every(Boolean);
	const ids = (): unknown[] =>
		frames.flatMap((frame) => (frame.type === "response" ? [[frame.id, frame.success]] : []));
	return { ...place, frames, connection, send, ids };
}

test("who is there is answered before there is an agent, and what needs one waits with all behind it", async () => {
	const { ground, connection, send, ids, frames, come } = await connect("s3cret");
	await using _ground = ground;
	expect(send({ id: "1", type: "hello", token: "s3cret" }, { id: "2", type: "ping" })).toBe(true);
	send({ id: "3", type: "fly" });
	expect(ids()).toEqual([
		["1", true],
		["2", true],
		["3", false],
	]);
	expect(frames[0]).toMatchObject({ data: { provider: "scripted", model: "coming" } });
	expect(connection.waits).toBe(false);
	const later = ["get_state", "ping", "hello", "fly", "get_models", "set_model"];
	send(...later.map((type, at) => ({ id: `${at}`, type, model: "other" })));
	expect(connection.waits).toBe(true);
	expect(frames).toHaveLength(3);
	come();
	await connection.open();
	expect(connection.waits).toBe(false);
	send({ id: "last", type: "hello" });
	await connection.end();
	expect(ids().slice(3)).toEqual([...later.map((type, at) => [`${at}`, type !== "fly"]), ["last", true]]);
	expect(frames.at(-1)).toMatchObject({ data: { model: "other" } });
});

test("who may not stay is told so before there is an agent", async () => {
	const { ground, send, ids, connection } = await connect("s3cret");
	await using _ground = ground;
	expect(send({ id: "1", type: "get_state" })).toBe(false);
	expect(ids()).toEqual([["1", false]]);
	await connection.end();
});

test("what the client has asked for is done before its end, and aborted where all is ended", async () => {
	for (const how of ["end", "terminate"] as const) {
		const { ground, send, frames, connection, come } = await connect(
			undefined,
			how === "end" ? [says("1")] : stuck("1"),
		);
		await using _ground = ground;
		send({ id: "p", type: "prompt", message: "go" }, { id: "q", type: "ping" });
		const ended = how === "end" ? connection.end() : connection.terminate("stopped");
		come();
		await connection.open();
		await ended;
		expect(frames.at(-1)).toEqual({ type: "done", request_id: "p" });
		const stops = frames.flatMap((frame) => (frame.type === "turn_end" ? [frame.stop] : []));
		expect(stops).toEqual(how === "end" ? ["end_turn"] : expect.not.arrayContaining(["end_turn"]));
	}
});

async function serve(...lines: readonly object[]) {
	return serveInto(new PassThrough(), lines);
}

async function serveInto(output: PassThrough, lines: readonly object[]) {
	const place = await coming([says("1")]);
	const input = new PassThrough();
	const stop = new AbortController();
	input.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	const code = serveZot({
		...{ agent: place.agent, input, output, clock: new ManualClock(), log: place.ground.t.log },
		...{ version: "1", token: undefined, approvals: false, stop: stop.signal },
	});
	return { ...place, input, output, stop, code };
}

test("nobody opens an agent for a client that asks for nothing and goes", async () => {
	const { ground, input, output, code, opened } = await serve({ id: "1", type: "ping" });
	await using _ground = ground;
	input.end();
	expect(await code).toBe(0);
	output.end();
	expect(await text(output)).toMatch(/^\{.*"pong":true\}\}\n$/);
	expect(opened).toEqual([]);
});

test("a client is not read any more while what it has asked for waits for the agent", async () => {
	const { ground, input, output, code, come, opened } = await serve({ id: "1", type: "get_state" });
	await using _ground = ground;
	while (opened.length === 0) await ground.t.settle();
	expect(input.isPaused()).toBe(true);
	input.end(`${JSON.stringify({ id: "2", type: "ping" })}\n`);
	come();
	expect(await code).toBe(0);
	output.end();
	expect((await text(output)).match(/"id":"."/g)).toEqual(['"id":"1"', '"id":"2"']);
});

test("a client that reads late is heard on when the agent is there", async () => {
	const hello = Array.from({ length: 20 }, (_, at) => ({ id: `${at}`, type: "hello" }));
	const small = new PassThrough({ highWaterMark: 16 });
	const { ground, input, output, code, come, opened } = await serveInto(small, [
		...hello,
		{ id: "state", type: "get_state" },
	]);
	await using _ground = ground;
	while (opened.length === 0) await ground.t.settle();
	come();
	await ground.t.settle();
	const told = text(output);
	input.end(`${JSON.stringify({ id: "last", type: "ping" })}\n`);
	expect(await code).toBe(0);
	output.end();
	expect((await told).match(/"id":"\w+"/g)).toEqual([
		...hello.map(({ id }) => `"id":"${id}"`),
		...['"id":"state"', '"id":"last"'],
	]);
});

test.each(["reads on", "has gone", "says no more"])(
	"an agent that cannot be opened ends it with the reason, behind what was answered, also where the client %s",
	async (how) => {
		const { ground, input, output, code, fail, opened } = await serve(
			{ id: "1", type: "ping" },
			{ id: "2", type: "get_state" },
		);
		await using _ground = ground;
		while (opened.length === 0) await ground.t.settle();
		const told = text(output);
		if (how === "has gone") output.destroy();
		if (how === "says no more") input.end();
		fail(new Error("no room"));
		await expect(code).rejects.toThrow("no room");
		if (how === "has gone") return void told.catch(() => undefined);
		output.end();
		expect((await told).match(/"id":"."/g)).toEqual(['"id":"1"']);
	},
);
