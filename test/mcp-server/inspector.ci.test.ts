import { expect, test } from "vitest";
import { Desk } from "./desk.ts";
import { inspect } from "./inspector.ts";

test("the official inspector lists the tools without a finding, asks, and reads the transcript", async () => {
	await using desk = await Desk.open();
	const address = [
		desk.url.href,
		"--transport",
		"http",
		"--header",
		`Authorization: Bearer ${await desk.token()}`,
	];
	const use = (...args: string[]) => inspect([...address, ...args], desk.gateway.directory);
	const listed = await use("--method", "tools/list", "--strict");
	expect(listed).toMatchObject({
		code: 0,
		result: { tools: [{ name: "ask" }, { name: "answer" }, { name: "start_task" }, { name: "task_status" }] },
	});
	const callArgs = ["--method", "tools/call", "--tool-name", "ask", "--tool-arg", "message=say: hello"];
	const { result } = await use(...callArgs);
	expect(result).toMatchObject({ structuredContent: { status: "completed", text: "[offline] hello" } });
	const uri = `parley://sessions/${Object(result["structuredContent"]).session_id}`;
	expect((await use("--method", "resources/list")).result).toMatchObject({ resources: [{ uri }] });
	const read = await use("--method", "resources/read", "--uri", uri);
	expect(JSON.stringify(read.result)).toContain("[offline] hello");
	const refused = await inspect(
		[desk.url.href, "--transport", "http", "--method", "tools/list"],
		desk.gateway.directory,
	);
	expect(refused.code).not.toBe(0);
});
