import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExamplesGateway, folder } from "./examples-gateway.ts";
import { testExample } from "./test-example.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isInstalled = (program: string, ...args: readonly string[]): boolean =>
	spawnSync(program, args, { stdio: "ignore" }).status === 0;
/** Whether Python has the required modules, for which Debian has a separate package. */
const hasPython = isInstalled("python3", "-c", "import ensurepip, venv");
const hasGrpcurl = isInstalled("grpcurl", "-version");

/** Environment variables that pip needs to reach its registry. */
const settings = Object.fromEntries(
	Object.entries(process.env).flatMap(([name, value]) =>
		value !== undefined && /^PIP_|_proxy$|_CERT/i.test(name) ? [[name, value]] : [],
	),
);

/**
 * Options of an installation. The limit is not scaled with `paced`, because `paced` does not measure the speed of the
 * network.
 */
const installing = { env: settings, limitMs: 240_000 };

let gateway: ExamplesGateway;
/** Copy of the examples, because the README's commands write files next to them. */
let clone: string;

beforeAll(async () => {
	gateway = await ExamplesGateway.start();
	clone = realpathSync(mkdtempSync(join(tmpdir(), "parley-examples-")));
	mkdirSync(join(clone, "examples", "kontekst"), { recursive: true });
	for (const name of ["README.md", "ask.ts", "ask.py", "requirements.txt"])
		cpSync(join(folder, name), join(clone, "examples", "kontekst", name));
	symlinkSync(join(folder, "node_modules"), join(clone, "examples", "kontekst", "node_modules"));
	for (const name of ["node_modules", "proto", "package.json"])
		symlinkSync(join(root, name), join(clone, name));
});

afterAll(async () => {
	await gateway[Symbol.asyncDispose]();
	rmSync(clone, { recursive: true });
});

describe.skipIf(!hasPython)("if python3 has venv and pip", () => {
	const python = () => join(clone, "examples", "kontekst", ".venv", "bin", "python");

	// Must run first, because it creates the Python environment for the other tests.
	test("the commands of the README have the documented results", async () => {
		const readme = readFileSync(join(folder, "README.md"), "utf8");
		const [starts = "", ...others] = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(
			([, text = ""]) => text,
		);
		const script = others.join("");
		const { code, stdout, stderr } = await gateway.run(["sh", "-euc", script], { ...installing, cwd: clone });
		expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout.match(/^\[offline\] hello\n\(completed\)$/gm)).toHaveLength(2);
		expect(stdout.match(/^run_command \{"cmd":"echo hi"\}\napprove or deny\? \nhi\n/gm)).toHaveLength(2);
		// Only checks the text of the start command, because the documented port may be in use.
		expect(starts).toBe("parley start --listen 127.0.0.1:50051 --provider offline\n");
	});

	testExample("ask.py", () => ({
		gateway,
		command: [python(), join(clone, "examples", "kontekst", "ask.py")],
	}));

	test("another implementation reads the schema by reflection and calls a method with it", async () => {
		const install = [python(), "-m", "pip", "install", "-q", "grpcio-reflection"] as const;
		expect(await gateway.run(install, installing)).toMatchObject({ code: 0 });
		const script = fileURLToPath(new URL("reflect.py", import.meta.url));
		const { code, stdout, stderr } = await gateway.run([python(), script]);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const response = JSON.parse(stdout);
		expect(response.services).toEqual(expect.arrayContaining(services));
		expect(response.events).toEqual(events);
		expect(response.status).toMatchObject({
			bind: gateway.environment.PARLEY_ADDRESS,
			data_dir: expect.any(String),
		});
	});
});

const services = ["grpc.health.v1.Health", "kontekst.AgentService", "kontekst.DaemonService"];
/** Field numbers that existing clients use. */
const events = {
	...{ started: 1, token: 2, reasoning: 3, turn_completed: 4, tools_proposed: 5, tool_started: 6 },
	...{ tool_completed: 7, tool_failed: 8, tools_completed: 9, completed: 10, cancelled: 11, failed: 12 },
	context_snapshot: 13,
};

test.skipIf(!hasGrpcurl)("grpcurl reads the schema and calls a method, if it is installed", async () => {
	const { PARLEY_ADDRESS: address, PARLEY_TOKEN: token } = gateway.environment;
	const listed = await gateway.run(["grpcurl", "-plaintext", address, "list"]);
	expect(listed.stdout.trim().split("\n")).toEqual(expect.arrayContaining(services));
	const described = await gateway.run(["grpcurl", "-plaintext", address, "describe", "kontekst.RunEvent"]);
	for (const [name, number] of Object.entries(events))
		expect(described.stdout).toContain(` ${name} = ${number};`);
	const header = `authorization: Bearer ${token}`;
	const method = "kontekst.DaemonService/GetStatus";
	const result = await gateway.run(["grpcurl", "-plaintext", "-H", header, address, method]);
	expect(JSON.parse(result.stdout)).toMatchObject({ bind: address });
});
