import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
	commandOf,
	environmentFileOf,
	parseUnit,
	specified,
	wordsOf,
} from "../../../../test/simulators/service-managers/unit-file.ts";
import { readMarker, type ServicePlan } from "./service-plan.ts";
import { systemdUnit } from "./systemd-unit.ts";

function temporaryDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "parley-unit-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

function planIn(directory: string): ServicePlan {
	const odd = join(directory, 'a b%h\\n "c" $HOME [d]*?');
	mkdirSync(odd);
	// systemd accepts neither quotes nor backslashes in the path of a program.
	const programs = join(directory, "$HOME 50%");
	mkdirSync(programs);
	const program = join(programs, "node");
	writeFileSync(program, "#!/bin/sh\n");
	chmodSync(program, 0o755);
	return {
		name: "parley",
		scope: "user",
		version: "1.2.3",
		argv: [program, join(odd, "parley.mjs"), "gateway", "--root", odd, "--model", "it's 50 %"],
		workingDirectory: odd,
		environment: { PATH: "/usr/bin:/bin", PARLEY_MODEL: 'a "b" %d $x \\' },
		environmentFile: join(odd, "service.env"),
		data: odd,
		needsSetuid: false,
	};
}

test("a unit contains the arguments and paths of its plan, with any characters", () => {
	const plan = planIn(temporaryDirectory());
	const text = systemdUnit(plan, 255);
	const unit = parseUnit(text);
	expect(commandOf(unit.get("ExecStart")?.[0] ?? "")).toEqual(plan.argv);
	expect((unit.get("Environment") ?? []).flatMap(wordsOf)).toEqual([
		"PATH=/usr/bin:/bin",
		`PARLEY_MODEL=${plan.environment["PARLEY_MODEL"]}`,
	]);
	expect(specified(unit.get("WorkingDirectory")?.[0] ?? "")).toBe(plan.workingDirectory);
	expect(environmentFileOf(unit.get("EnvironmentFile")?.[0] ?? "")).toBe(plan.environmentFile);
	expect(readMarker(text)).toEqual({
		data: plan.data,
		version: "1.2.3",
		environmentFile: plan.environmentFile,
	});
});

test.each(['# parley-service {"data":}', "# parley-service {}", "[Unit]"])("%j has no marker", (text) => {
	expect(readMarker(text)).toBeUndefined();
});

test("a unit gives the gateway time, starts it again after a failure, and allows sandboxes", () => {
	const text = systemdUnit(planIn(temporaryDirectory()), 255);
	for (const line of [
		"Type=exec",
		"KillMode=mixed",
		"TimeoutStopSec=45",
		"Restart=on-failure",
		"RestartPreventExitStatus=2",
	]) {
		expect(text.split("\n")).toContain(line);
	}
	for (const breaking of [
		"RestrictNamespaces",
		"PrivateUsers",
		"ProtectProc",
		"ProcSubset",
		"SystemCallFilter",
		"ProtectKernelTunables",
		"MemoryDenyWriteExecute",
	]) {
		expect(text).not.toContain(breaking);
	}
	expect(text).toContain("NoNewPrivileges=yes");
	expect(systemdUnit({ ...planIn(temporaryDirectory()), needsSetuid: true }, 255)).not.toMatch(
		/NoNewPrivileges|LockPersonality|RestrictRealtime/,
	);
});

// A line that ends with a backslash continues on the next line, and trailing spaces are lost: systemd.syntax(7).
test.each(["/a\nUser=root", "/a\\", "/a "])("the path %j is refused", (path) => {
	const plan = { ...planIn(temporaryDirectory()), data: "/a" };
	const reason = "control characters, or ends with a space or backslash";
	expect(() => systemdUnit({ ...plan, workingDirectory: path }, 255)).toThrow(reason);
	expect(() => systemdUnit({ ...plan, environmentFile: path }, 255)).toThrow(reason);
});

/** Returns the version of systemd, or undefined without systemd. */
function installedVersion(): number | undefined {
	try {
		return Number(
			/^systemd (\d+)/.exec(execFileSync("systemd-analyze", ["--version"], { encoding: "utf8" }))?.[1],
		);
	} catch {
		return undefined;
	}
}

// systemd-analyze(1) reads units like the manager, but needs no running manager. `.ci/run` installs it.
test.each(["user", "system"] as const)(
	"systemd accepts the unit of a %s service without a warning",
	(scope) => {
		const version = installedVersion();
		const directory = temporaryDirectory();
		const plan = planIn(directory);
		const data = scope === "system" ? "/var/lib/parley" : plan.data;
		const system = scope === "system" ? { user: "root", data } : {};
		const file = join(directory, "parley.service");
		const text = systemdUnit({ ...plan, scope, ...system }, version ?? 255);
		writeFileSync(file, text);
		expect(text).toContain(scope === "system" ? "StateDirectory=parley" : "WantedBy=default.target");
		if (version === undefined) return;
		mkdirSync(join(directory, "systemd"));
		const { status, stdout, stderr } = spawnSync("systemd-analyze", [`--${scope}`, "verify", file], {
			encoding: "utf8",
			env: {
				PATH: process.env["PATH"],
				XDG_RUNTIME_DIR: directory,
				HOME: directory,
				SYSTEMD_LOG_LEVEL: "warning",
			},
		});
		// Other units on the machine may cause their own warnings.
		const own = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("parley"));
		expect({ status, own }).toEqual({ status: 0, own: [] });
		expect(existsSync(file)).toBe(true);
	},
);
