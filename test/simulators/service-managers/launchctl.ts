// Simulates launchctl(1) of macOS 10.11 and later for one domain. Uses Python to read the property list.
import { execFileSync } from "node:child_process";
import { startJob, stopJob } from "./run-job.ts";
import { fail, isAlive, readJob, recordCall, writeJob } from "./state.ts";

recordCall("launchctl");
const [verb = "", target = "", file = ""] = process.argv.slice(2);
const [kind, second, third] = target.split("/");
const label = kind === "system" ? second : third;

interface Plist {
	readonly Label: string;
	readonly ProgramArguments: readonly string[];
	readonly WorkingDirectory: string;
	readonly EnvironmentVariables: Readonly<Record<string, string>>;
	readonly StandardErrorPath: string;
	readonly ExitTimeOut: number;
}

function readPlist(path: string): Plist {
	const script = "import json,plistlib,sys; print(json.dumps(plistlib.load(open(sys.argv[1],'rb'))))";
	return JSON.parse(execFileSync("python3", ["-c", script, path], { encoding: "utf8" }));
}

async function bootstrap(): Promise<void> {
	const plist = readPlist(file);
	if (readJob(plist.Label).loaded) fail("Bootstrap failed: 5: Input/output error", 5);
	if (readJob(plist.Label).enabled === false) fail("Bootstrap failed: 119: Service is disabled", 119);
	writeJob(plist.Label, { ...readJob(plist.Label), loaded: true });
	await startJob(plist.Label, {
		argv: plist.ProgramArguments,
		cwd: plist.WorkingDirectory,
		// According to launchd.plist(5), a job receives the variables of its domain, with this PATH.
		environment: {
			PATH: "/usr/bin:/bin:/usr/sbin:/sbin",
			HOME: process.env["HOME"] ?? "",
			...plist.EnvironmentVariables,
		},
		errorFile: plist.StandardErrorPath,
		isJournal: false,
	});
}

function print(): void {
	if (label === undefined) return;
	const { loaded, pid, code } = readJob(label);
	if (!loaded) fail(`Could not find service "${label}" in domain for ${kind}`, 113);
	const running = isAlive(pid);
	const facts = running
		? [`state = running`, `pid = ${pid}`]
		: ["state = not running", `last exit code = ${code ?? "(never exited)"}`];
	process.stdout.write(`${target} = {\n${facts.map((fact) => `\t${fact}\n`).join("")}}\n`);
}

switch (verb) {
	case "print":
		print();
		break;
	case "enable":
		writeJob(label ?? "", { ...readJob(label ?? ""), enabled: true });
		break;
	case "bootstrap":
		await bootstrap();
		break;
	case "bootout":
		if (!readJob(label ?? "").loaded) fail("Boot-out failed: 3: No such process", 3);
		await stopJob(label ?? "", 45);
		writeJob(label ?? "", { ...readJob(label ?? ""), loaded: false });
		break;
	default:
		fail(`Unrecognized subcommand: ${verb}`, 64);
}
