import { ParleyError } from "@parley/base";
import { definedItems } from "@parley/base/defined";
import { serviceErrors, serviceFileTexts } from "../texts/service.ts";
import { markerLine, type ServicePlan } from "./service-plan.ts";

/**
 * Seconds from a stop request to the kill of the service. A gateway gives runs 25 s after SIGTERM, and then exits
 * within 5 s.
 */
export const stopSeconds = 45;

/** Data directory of system services. systemd creates it for the account of the service. */
export const systemData = "/var/lib/parley";

/** First systemd version that supports DelegateSubgroup. */
const subgroupVersion = 254;

/**
 * Returns the unit of a service, in the format of systemd.unit(5), systemd.service(5), systemd.exec(5) and
 * systemd.resource-control(5).
 *
 * The sandbox needs user namespaces, mounts and a complete /proc. The unit therefore does not set RestrictNamespaces,
 * SystemCallFilter, PrivateUsers, ProtectProc, ProcSubset, ProtectKernelTunables, ProtectKernelLogs or
 * ProtectControlGroups. It does not set MemoryDenyWriteExecute either, because this setting would stop V8.
 */
export function systemdUnit(plan: ServicePlan, version: number): string {
	const isSystem = plan.scope === "system";
	const lines = definedItems([
		`# ${serviceFileTexts.written}`,
		`# ${markerLine(plan)}`,
		"[Unit]",
		`Description=${serviceFileTexts.description}`,
		isSystem ? "Wants=network-online.target" : undefined,
		isSystem ? "After=network-online.target" : undefined,
		"StartLimitIntervalSec=300",
		"StartLimitBurst=10",
		"",
		"[Service]",
		"Type=exec",
		plan.user === undefined ? undefined : `User=${plain(plan.user)}`,
		`WorkingDirectory=${path(plan.workingDirectory)}`,
		...Object.entries(plan.environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
		`EnvironmentFile=-${path(withoutWildcards(plan.environmentFile))}`,
		`ExecStart=${commandLine(plan.argv)}`,
		`# ${serviceFileTexts.output}`,
		"StandardOutput=null",
		"Restart=on-failure",
		"RestartSec=5",
		`# ${serviceFileTexts.restart}`,
		"RestartPreventExitStatus=2",
		`# ${serviceFileTexts.stop}`,
		"KillMode=mixed",
		`TimeoutStopSec=${stopSeconds}`,
		`# ${serviceFileTexts.memory}`,
		"Delegate=memory pids",
		version >= subgroupVersion ? "DelegateSubgroup=gateway" : undefined,
		"OOMPolicy=continue",
		"LimitCORE=0",
		...hardening(plan),
		"",
		"[Install]",
		`WantedBy=${isSystem ? "multi-user.target" : "default.target"}`,
	]);
	return `${lines.join("\n")}\n`;
}

/**
 * Returns the settings that restrict the service. A setuid sandbox excludes NoNewPrivileges and an empty
 * CapabilityBoundingSet. It also excludes LockPersonality and RestrictRealtime, which set NoNewPrivileges in a
 * user unit.
 */
function hardening({ scope, needsSetuid, data }: ServicePlan): string[] {
	const isSystem = scope === "system";
	const ownsState = isSystem && data === systemData;
	return definedItems([
		ownsState ? "StateDirectory=parley" : undefined,
		ownsState ? "StateDirectoryMode=0700" : undefined,
		isSystem ? "ProtectSystem=full" : undefined,
		needsSetuid ? undefined : "NoNewPrivileges=yes",
		needsSetuid ? undefined : "LockPersonality=yes",
		needsSetuid ? undefined : "RestrictRealtime=yes",
		isSystem && !needsSetuid ? "CapabilityBoundingSet=" : undefined,
	]);
}

function commandLine([program = "", ...args]: readonly string[]): string {
	// In arguments, but not in the path of the program, `$` starts a variable: systemd.service(5).
	return [quoted(program), ...args.map((word) => quoted(word).replaceAll("$", "$$$$"))].join(" ");
}

/**
 * Formats a path. Throws for a trailing backslash, which would continue the line, and for trailing spaces, which
 * would be lost: systemd.syntax(7).
 */
function path(text: string): string {
	if (/[\\\s]$/.test(text)) throw unusable(text);
	return specifiers(plain(text));
}

function withoutWildcards(text: string): string {
	// systemd expands wildcards in the path of an environment file: systemd.exec(5). The escapes are those of glob(7).
	return text.replaceAll(/[\\*?[]/g, "\\$&");
}

/** Formats a word in double quotes with the escapes of systemd.syntax(7). */
function quoted(word: string): string {
	if (/^[\w./:@,=+-]+$/.test(word)) return word;
	return `"${specifiers(plain(word)).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function specifiers(text: string): string {
	// `%` starts a specifier: systemd.unit(5).
	return text.replaceAll("%", "%%");
}

/**
 * Returns the text unchanged if it contains no control characters. Otherwise throws, because control
 * characters break a unit line, and XML forbids most of them.
 */
export function plain(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: a unit file must not contain control characters
	if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
	throw unusable(text);
}

function unusable(text: string): ParleyError {
	return new ParleyError(serviceErrors.unusableText({ text }), { code: "invalid_argument" });
}
