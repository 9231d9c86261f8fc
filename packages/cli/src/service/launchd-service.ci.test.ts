import { chmod, mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { choosePort } from "../../../../test/gateway-process.ts";
import { printLogs } from "../logs/print-logs.ts";
import { CapturedIo } from "../testing/captured-io.ts";
import { installService } from "./install-service.ts";
import { type Machine, thisMachine } from "./machine.ts";
import { printServiceStatus } from "./service-status.ts";
import { uninstallService } from "./uninstall-service.ts";

const simulator = fileURLToPath(
	new URL("../../../../test/simulators/service-managers/launchctl.ts", import.meta.url),
);

async function makeMac(root: string): Promise<{ io: CapturedIo; machine: Machine; data: string }> {
	const bin = join(root, "bin");
	await mkdir(bin);
	await writeFile(join(bin, "launchctl"), `#!/bin/sh\nexec '${process.execPath}' '${simulator}' "$@"\n`);
	await chmod(join(bin, "launchctl"), 0o755);
	const io = new CapturedIo({
		PATH: `${bin}:${process.env["PATH"]}`,
		HOME: root,
		SIMULATED_MANAGERS: join(root, "state"),
		PARLEY_SANDBOX: "off",
		MISTRAL_API_KEY: "mistral-1",
	});
	const here = thisMachine(io);
	return { io, machine: { ...here, platform: "darwin", uid: 501 }, data: join(root, "data") };
}

test("a launch agent is installed, updated, shown and removed", async () => {
	await using root = await mkdtempDisposable(join(tmpdir(), "parley-launchd-"));
	const { io, machine, data } = await makeMac(root.path);
	const around = { io, machine, version: "1" };
	const listen = [`127.0.0.1:${await choosePort()}`];
	const flags = { name: "parley", data, listen, root: [root.path], env: ["MISTRAL_API_KEY"] };
	try {
		expect(await installService(flags, around)).toBe(0);
		const plist = join(root.path, "Library/LaunchAgents/parley.gateway.plist");
		expect(io.drainOut()).toBe(
			`installed: ${plist}\nrunning: http://${listen[0]}\nlogs: parley service logs -f\n`,
		);
		expect(await readFile(plist, "utf8")).not.toContain("mistral-1");
		await printServiceStatus({ name: "parley", json: true }, around);
		const before = parseJson(io.drainOut());
		expect(before).toMatchObject({ manager: "launchd", state: "running", health: "ok", enabled: true });
		const { pid }: { pid?: number } = Object(before);
		expect((await readFile(`/proc/${pid}/environ`, "utf8")).split("\0")).toContain(
			"MISTRAL_API_KEY=mistral-1",
		);

		expect(await installService(flags, around)).toBe(0);
		expect(io.drainOut()).toContain("unchanged: ");
		expect(await installService({ ...flags, logLevel: "debug" }, around)).toBe(0);
		expect(io.drainOut()).toContain("updated: ");
		await printServiceStatus({ name: "parley", json: true }, around);
		expect(parseJson(io.drainOut())).not.toMatchObject({ pid });
		await printLogs(data, { lines: 100, follow: false, json: false }, around);
		expect(io.drainOut()).toMatch(/^\d\d:\d\d:\d\d /m);

		await uninstallService({ name: "parley" }, around);
		expect(io.drainOut()).toContain(`stopped and removed: ${plist}\n`);
		expect(io.exitCode).toBe(0);
		await printServiceStatus({ name: "parley", json: true }, around);
		expect({ out: parseJson(io.drainOut()), code: io.exitCode }).toEqual({
			out: { name: "parley", installed: false },
			code: 1,
		});
	} finally {
		await uninstallService({ name: "parley" }, around);
	}
});

test("a session without the domain of launchd gets an explanation", async () => {
	await using root = await mkdtempDisposable(join(tmpdir(), "parley-launchd-"));
	const { io, machine, data } = await makeMac(root.path);
	const failing: Machine = {
		...machine,
		run: async () => ({ code: 113, output: "", errors: "Could not find domain for user gui: 501" }),
	};
	const installing = installService(
		{ name: "parley", data },
		{ io: Object.assign(io, { cwd: root.path }), machine: failing, version: "1" },
	);
	await expect(installing).rejects.toThrow(/no domain gui\/501.*sudo/);
});
