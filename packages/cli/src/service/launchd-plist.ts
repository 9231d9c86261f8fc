import { definedItems } from "@parley/base/defined";
import { serviceFileTexts } from "../texts/service.ts";
import { markerLine, type ServicePlan } from "./service-plan.ts";
import { plain, stopSeconds } from "./systemd-unit.ts";

/** Returns the label of a service's job in launchd. */
export function labelOf(name: string): string {
	return `${name}.gateway`;
}

type Value = string | number | boolean | readonly string[] | { readonly [key: string]: Value };

/**
 * Returns the job of a service, in the format of launchd.plist(5). launchd cannot read a file of variables, so Node
 * reads the file.
 */
export function launchdPlist(plan: ServicePlan): string {
	const [node = "", ...args] = plan.argv;
	const job: readonly (readonly [string, Value])[] = definedItems([
		["Label", labelOf(plan.name)],
		["ProgramArguments", [node, `--env-file-if-exists=${plan.environmentFile}`, ...args, "--log-file"]],
		["WorkingDirectory", plan.workingDirectory],
		["EnvironmentVariables", plan.environment],
		plan.user === undefined ? undefined : ["UserName", plan.user],
		["RunAtLoad", true],
		// The job restarts after a failure, but not after a stop request.
		["KeepAlive", { SuccessfulExit: false }],
		["ThrottleInterval", 10],
		["ExitTimeOut", stopSeconds],
		// With --log-file, all lines are in the log file of the data directory, including the error of a failed start.
		["StandardOutPath", "/dev/null"],
		["StandardErrorPath", "/dev/null"],
	]);
	return [
		'<?xml version="1.0" encoding="UTF-8"?>',
		'<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
		`<!-- ${serviceFileTexts.written} -->`,
		`<!-- ${markerLine(plan)} -->`,
		'<plist version="1.0">',
		...element(Object.fromEntries(job)),
		"</plist>",
		"",
	].join("\n");
}

function element(value: Value): string[] {
	if (typeof value === "string") return [`<string>${escaped(value)}</string>`];
	if (typeof value === "number") return [`<integer>${value}</integer>`];
	if (typeof value === "boolean") return [value ? "<true/>" : "<false/>"];
	if (Array.isArray(value)) return ["<array>", ...value.flatMap(element).map(indented), "</array>"];
	const entries = Object.entries(value).flatMap(([key, one]) => [
		`<key>${escaped(key)}</key>`,
		...element(one),
	]);
	return ["<dict>", ...entries.map(indented), "</dict>"];
}

function indented(line: string): string {
	return `\t${line}`;
}

function escaped(text: string): string {
	return plain(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
