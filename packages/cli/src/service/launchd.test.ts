import { execFileSync } from "node:child_process";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { launchdPlist } from "./launchd-plist.ts";
import { readMarker, type ServicePlan } from "./service-plan.ts";

const plan: ServicePlan = {
	name: "parley",
	scope: "user",
	version: "1.2.3",
	argv: ["/opt/node", "/opt/a & <b>/parley.mjs", "gateway", "--model", '"x" --y'],
	workingDirectory: "/Users/me/a -- b",
	environment: { PATH: "/usr/bin:/bin", PARLEY_MODEL: "<m>" },
	environmentFile: "/Users/me/service.env",
	data: "/Users/me/--data--",
	needsSetuid: false,
};

/** Parses a property list with Python, which does not need macOS. */
function parsePlist(text: string): unknown {
	const script = "import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
	return parseJson(execFileSync("python3", ["-c", script], { input: text, encoding: "utf8" }));
}

test("a property list contains the arguments and paths of its plan, with any characters", () => {
	const text = launchdPlist(plan);
	const job = parsePlist(text);
	expect(Object.entries(Object(job))).toContainEqual(["KeepAlive", { SuccessfulExit: false }]);
	expect(job).toMatchObject({
		Label: "parley.gateway",
		ProgramArguments: [
			"/opt/node",
			"--env-file-if-exists=/Users/me/service.env",
			...plan.argv.slice(1),
			"--log-file",
		],
		WorkingDirectory: plan.workingDirectory,
		EnvironmentVariables: plan.environment,
		RunAtLoad: true,
		ThrottleInterval: 10,
		ExitTimeOut: 45,
		StandardOutPath: "/dev/null",
		StandardErrorPath: "/dev/null",
	});
	expect(readMarker(text)).toMatchObject({ data: plan.data });
});

test("a control character is refused, because XML does not allow it", () => {
	expect(() => launchdPlist({ ...plan, workingDirectory: "/a\u0001" })).toThrow("control characters");
});

test("a daemon of the system runs as its account", () => {
	expect(parsePlist(launchdPlist({ ...plan, scope: "system", user: "agent" }))).toMatchObject({
		UserName: "agent",
	});
});
