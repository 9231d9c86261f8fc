// Simulates systemctl(1) for the units of one directory. It starts their programs with the environment of
// systemd.exec(5).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readVariables, startJob, stopJob } from "./run-job.ts";
import { fail, isAlive, journalOf, readJob, recordCall, writeJob } from "./state.ts";
import { commandOf, environmentFileOf, parseUnit, specified, type Unit, wordsOf } from "./unit-file.ts";

recordCall("systemctl");
const args = process.argv.slice(2);
const isUser = args[0] === "--user";
const [verb = "", ...operands] = isUser ? args.slice(1) : args;
const now = operands.includes("--now");
const unitName = operands.find((word) => !word.startsWith("--")) ?? "";
const home = process.env["HOME"] ?? "";
const directory = isUser
	? join(process.env["XDG_CONFIG_HOME"] || join(home, ".config"), "systemd/user")
	: "/etc/systemd/system";
const file = join(directory, unitName);

function load(): Unit {
	if (!existsSync(file)) fail(`Unit ${unitName} could not be found.`, 5);
	// Before a daemon-reload, systemd may use an older version of the file.
	if (!existsSync(join(process.env["SIMULATED_MANAGERS"] ?? "", "reloaded")))
		fail("daemon-reload was not called");
	return parseUnit(readFileSync(file, "utf8"));
}

async function start(): Promise<void> {
	const unit = load();
	if (unit.get("StandardOutput")?.at(-1) !== "null") fail("only StandardOutput=null is simulated");
	writeFileSync(journalOf(unitName), `systemd: Started ${unit.get("Description")?.at(-1)}.\n`, { flag: "a" });
	const only = (key: string): string => unit.get(key)?.at(-1) ?? "";
	const variables = (unit.get("Environment") ?? []).flatMap(wordsOf);
	const files = (unit.get("EnvironmentFile") ?? []).map(environmentFileOf);
	const given = variables.map((word) => [word.split("=", 1)[0] ?? "", word.replace(/^\w+=/, "")]);
	const stored = files.filter((path) => existsSync(path)).map(readVariables);
	// See systemd.exec(5), "Environment variables in spawned processes". A unit inherits no variable from the shell.
	const base = {
		PATH: "/usr/local/bin:/usr/bin:/bin",
		HOME: home,
		USER: "user",
		LOGNAME: "user",
		SHELL: "/bin/sh",
	};
	const environment = Object.assign({}, base, Object.fromEntries(given), ...stored);
	await startJob(unitName, {
		argv: commandOf(only("ExecStart")),
		cwd: specified(only("WorkingDirectory")),
		environment,
		errorFile: journalOf(unitName),
		isJournal: true,
	});
}

async function stop(): Promise<void> {
	await stopJob(unitName, Number(load().get("TimeoutStopSec")?.at(-1) ?? 90));
}

const { pid, code = 0, enabled = false } = readJob(unitName);
const isRunning = isAlive(pid);

switch (verb) {
	case "--version":
		process.stdout.write("systemd 255 (255.4-1)\n+PAM +AUDIT\n");
		break;
	case "is-system-running":
		process.stdout.write(`${process.env["SIMULATED_SYSTEMD"] ?? "running"}\n`);
		break;
	case "daemon-reload":
		writeFileSync(join(process.env["SIMULATED_MANAGERS"] ?? "", "reloaded"), "");
		break;
	case "reset-failed":
		if (!existsSync(file))
			fail(`Failed to reset failed state of unit ${unitName}: Unit ${unitName} not loaded.`);
		break;
	case "enable":
		load();
		writeJob(unitName, { ...readJob(unitName), enabled: true });
		break;
	case "disable":
		if (now) await stop();
		writeJob(unitName, { ...readJob(unitName), enabled: false });
		break;
	case "restart":
		await stop();
		await start();
		break;
	case "start":
		if (!isRunning) await start();
		break;
	case "stop":
		await stop();
		break;
	case "show": {
		const state = isRunning ? "active" : code === 0 ? "inactive" : "failed";
		const facts = {
			LoadState: existsSync(file) ? "loaded" : "not-found",
			ActiveState: state,
			UnitFileState: existsSync(file) ? (enabled ? "enabled" : "disabled") : "",
			MainPID: isRunning ? pid : 0,
			Result: state === "failed" ? "exit-code" : "success",
			ExecMainStatus: isRunning ? 0 : code,
		};
		for (const [name, value] of Object.entries(facts)) process.stdout.write(`${name}=${value}\n`);
		break;
	}
	default:
		fail(`Unknown command verb '${verb}'.`);
}
