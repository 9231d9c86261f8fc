import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { binary } from "../gateway-process.ts";
import { Managers } from "./managers.ts";

test("a service is installed, updated, shown and removed", async () => {
	await using managers = await Managers.open();
	const url = `http://127.0.0.1:${managers.port}`;
	const installed = await managers.succeeds(["service", "install"]);
	expect(installed).toContain(`installed: ${managers.unit}\nrunning: ${url}\nlogs: parley service logs -f\n`);
	expect(installed).toContain("turned on lingering");
	expect(managers.calls()).toEqual([
		"systemctl --user daemon-reload",
		"systemctl --user reset-failed parley.service",
		"systemctl --user enable parley.service",
		"systemctl --user restart parley.service",
		expect.stringMatching(/^loginctl --no-ask-password enable-linger \S+$/),
	]);
	const before = await managers.json(["service", "status"]);
	expect(before).toMatchObject({
		installed: true,
		manager: "systemd",
		scope: "user",
		state: "running",
		enabled: true,
	});
	expect(before).toMatchObject({ health: "ok", urls: [url], data: managers.data });

	// A second installation must not restart the same service.
	expect(await managers.succeeds(["service", "install"])).toContain("unchanged: ");
	expect(await managers.json(["service", "status"])).toMatchObject({ pid: before["pid"] });
	// The service answers a message, and runs commands in the directory from which it was installed.
	const reply = JSON.parse(await managers.succeeds(["ask", "--output-format", "json", "say: hello"]));
	expect(JSON.stringify(reply)).toContain("hello");
	await managers.succeeds(["ask", "--yes", "run: pwd >where.txt"]);
	expect(await readFile(join(managers.work, "where.txt"), "utf8")).toBe(`${managers.work}\n`);

	expect(await managers.succeeds(["service", "install", "--log-level", "debug"])).toContain("updated: ");
	const after = await managers.json(["service", "status"]);
	expect(after["pid"]).not.toBe(before["pid"]);

	const removed = await managers.succeeds(["service", "uninstall"]);
	expect(removed).toContain(`stopped and removed: ${managers.unit}\nkept: the data in ${managers.data}\n`);
	expect(await managers.run(["service", "status"])).toMatchObject({
		code: 1,
		error: expect.stringContaining("no service"),
	});
	expect(await managers.run(["service", "status", "--name", "other"])).toMatchObject({
		code: 1,
		error: expect.stringContaining(
			"no service other is installed; install it with `parley service install --name other`",
		),
	});
	expect(await managers.run(["status"])).toMatchObject({ code: 1 });
	expect(await managers.succeeds(["service", "uninstall"])).toBe("no service parley is installed\n");
});

test("a service gets the keys that the operator stores, and no other key of the shell", async () => {
	await using managers = await Managers.open();
	const keys = {
		BRAVE_API_KEY: "brave-1",
		GROQ_API_KEY: "groq-1",
		MISTRAL_API_KEY: "mistral-1",
		HTTPS_PROXY: "http://me:pw@proxy:1",
	};
	// `parley setup` stores keys in this format.
	await mkdir(managers.data, { mode: 0o700 });
	const stored = JSON.stringify({ GROQ_API_KEY: keys.GROQ_API_KEY });
	await writeFile(join(managers.data, "api-keys.json"), stored, { mode: 0o600 });
	const file = join(managers.data, "service.env");
	const out = await managers.succeeds(["service", "install", "--env", "BRAVE_API_KEY"], keys);
	expect(out).toContain(
		`note: the service does not get these environment variables of this shell: MISTRAL_API_KEY, HTTPS_PROXY. \`parley service install --env MISTRAL_API_KEY --env HTTPS_PROXY\`, with the other flags of the service, stores them in ${file}`,
	);
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	expect(await readFile(file, "utf8")).toMatch(/^BRAVE_API_KEY=brave-1$/m);
	const unit = await readFile(managers.unit, "utf8");
	expect(unit).not.toMatch(/brave-1|mistral-1|me:pw/);
	const { pid } = await managers.json(["service", "status"]);
	const environment = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
	expect(environment).toContain("BRAVE_API_KEY=brave-1");
	expect(environment.filter((line) => line.startsWith("MISTRAL"))).toEqual([]);
	const removed = await managers.succeeds(["service", "uninstall"]);
	expect(removed).toContain(`kept: the keys in ${file}`);
});

test("a file with keys that other users can read is refused", async () => {
	await using managers = await Managers.open();
	const file = join(managers.home, "keys.env");
	await writeFile(file, "BRAVE_API_KEY=brave-1\n", { mode: 0o644 });
	const { code, error } = await managers.run(["service", "install", "--env-file", file]);
	expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining(`chmod 600 '${file}'`) });
	await expect(stat(managers.unit)).rejects.toThrow("ENOENT");
});

test("a unit of another program is neither replaced nor removed", async () => {
	await using managers = await Managers.open();
	await mkdir(dirname(managers.unit), { recursive: true });
	await writeFile(managers.unit, "[Service]\nExecStart=/bin/true\n");
	for (const command of ["install", "uninstall", "status"]) {
		const { code, error } = await managers.run(["service", command]);
		expect({ code, error }).toEqual({
			code: 1,
			error: expect.stringContaining("was not written by `parley service install`"),
		});
	}
	expect(await readFile(managers.unit, "utf8")).toBe("[Service]\nExecStart=/bin/true\n");
	expect(managers.calls()).toEqual([]);
});

test("a second gateway is not installed on the data of a running one", async () => {
	await using managers = await Managers.open();
	const child = spawn(process.execPath, [binary, "gateway"], {
		cwd: managers.work,
		env: managers.environment,
		stdio: ["ignore", "pipe", "ignore"],
	});
	await once(createInterface(child.stdout), "line");
	const { code, error } = await managers.run(["service", "install"]);
	expect({ code, error }).toEqual({
		code: 1,
		error: expect.stringMatching(/already running on .*`parley stop --data .*`/),
	});
	// Without a service, the gateway writes its log to the data directory.
	await managers.succeeds(["ask", "say: hello"]);
	expect(await managers.succeeds(["logs"])).toContain("info  client connected");
	child.kill();
	await once(child, "close");
});

test("a gateway that does not start is reported with its reason", async () => {
	await using managers = await Managers.open();
	// Another server uses the port, so the gateway exits.
	const { createServer } = await import("node:net");
	await using server = createServer();
	server.listen(managers.port, "127.0.0.1");
	await once(server, "listening");
	const { code, error } = await managers.run(["service", "install"]);
	expect({ code, error }).toEqual({
		code: 1,
		error: expect.stringMatching(/does not answer .*failed: exit-code, exit code 1/),
	});
	expect(await managers.succeeds(["service", "logs"])).toMatch(
		/^parley: cannot listen on 127\.0\.0\.1:\d+: /m,
	);
	expect(await managers.json(["service", "status"])).toMatchObject({ state: "failed", pid: null });
});

test("a machine without systemd gets an explanation and no files", async () => {
	await using managers = await Managers.open();
	const { code, error } = await managers.run(["service", "install"], { SIMULATED_SYSTEMD: "offline" });
	expect({ code, error }).toEqual({
		code: 1,
		error: expect.stringMatching(
			/systemd is not running on this machine.*(?:parley gateway --connectors|wsl\.conf)/s,
		),
	});
	expect(managers.calls()).toEqual([]);
	const planned = await managers.succeeds(["service", "install", "--dry-run"], {
		SIMULATED_SYSTEMD: "offline",
	});
	expect(planned).toContain("ExecStart=");
	await expect(stat(managers.unit)).rejects.toThrow("ENOENT");
});

test("a system service needs root and an account", async () => {
	await using managers = await Managers.open();
	const planned = await managers.succeeds([
		"service",
		"install",
		"--system",
		"--user",
		"daemon",
		"--root",
		managers.home,
		"--dry-run",
	]);
	expect(planned.split("\n")).toContain(`WorkingDirectory=${managers.home}`);
	expect(planned).toMatch(/^User=daemon$/m);
	expect(planned).toMatch(/^WantedBy=multi-user\.target$/m);
	expect(planned).toMatch(/^EnvironmentFile=-\/etc\/parley\.env$/m);
	const { code, error } = await managers.run([
		"service",
		"install",
		"--system",
		"--user",
		"root",
		"--dry-run",
	]);
	expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining("use `--user parley`") });
});

test("the command explains that this user may not turn on lingering", async () => {
	await using managers = await Managers.open();
	const out = await managers.succeeds(["service", "install"], { SIMULATED_POLKIT: "refuse" });
	expect(out).toContain("note: the service ends with your last login: run `sudo loginctl enable-linger");
});

test("logs of a service are filtered, followed and printed as JSON", async () => {
	await using managers = await Managers.open();
	await managers.succeeds(["service", "install"]);
	await managers.succeeds(["ask", "say: hello"]);
	const rows = (await managers.succeeds(["logs"])).trim().split("\n");
	expect(rows.length).toBeGreaterThan(3);
	expect(rows.join("\n")).toMatch(/^\d\d:\d\d:\d\d info {2}run ended /m);
	expect(rows.join("\n")).not.toContain("\u001b");
	const json = (await managers.succeeds(["logs", "--json", "-n", "2"])).trim().split("\n");
	expect(json.map((line) => Object.keys(JSON.parse(line)).slice(0, 2))).toEqual([
		["level", "time"],
		["level", "time"],
	]);
	expect(await managers.succeeds(["logs", "--level", "error"])).toBe("");
	expect(await managers.succeeds(["logs", "--since", "2000-01-01"])).toContain("run ended");
	expect(await managers.succeeds(["logs", "--since", "2100-01-01"])).toBe("");

	const following = spawn(process.execPath, [binary, "logs", "-f", "-n", "1"], {
		cwd: managers.work,
		env: managers.environment,
		stdio: ["ignore", "pipe", "inherit"],
	});
	let answering: Promise<string> | undefined;
	for await (const line of createInterface(following.stdout)) {
		// The first line is an older log entry. It shows that `logs -f` has started, so later entries arrive after it.
		answering ??= managers.succeeds(["ask", "say: again"]);
		if (line.includes("model called") && (await answering)) break;
	}
	following.kill("SIGINT");
	expect(await once(following, "close")).toEqual([0, null]);
});
