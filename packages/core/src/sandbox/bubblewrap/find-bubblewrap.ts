import { existsSync, readFileSync } from "node:fs";
import { ParleyError } from "@parley/base";
import type { Sandbox, SandboxFeatures } from "../../vocabulary/sandbox.ts";
import { findProgram, SYSTEM_PATH } from "../commands/environment.ts";
import type { Version } from "./confinement.ts";
import { bubblewrapTexts } from "./texts.ts";

/** Minor version of the first bubblewrap release that can clear the environment. */
const OLDEST_MINOR = 5;

const TIMEOUT_MS = 5_000;

export interface BubblewrapProgram {
	readonly program: string;
	readonly version: Version;
}

/** Error with the reason why no sandbox is available. `fix` advises the operator. */
export class NoSandbox extends ParleyError {
	readonly fix: string | undefined;

	constructor(message: string, { fix, cause }: { readonly fix?: string; readonly cause?: unknown }) {
		super(message, { code: "failed_precondition", cause });
		this.fix = fix;
	}
}

/** Finds bubblewrap. Throws `NoSandbox` if `bwrap` is missing, too old, or not bubblewrap. */
export async function findBubblewrap(unsandboxed: Sandbox, path = SYSTEM_PATH): Promise<BubblewrapProgram> {
	const program = await findProgram("bwrap", path).catch((cause: unknown) => {
		throw new NoSandbox(bubblewrapTexts.notInstalled, { fix: installAdvice(), cause });
	});
	const { output } = await unsandboxed.run({
		executable: program,
		args: ["--version"],
		cwd: "/",
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: 1_024,
		signal: new AbortController().signal,
	});
	const [, major, minor] = /^bubblewrap (\d+)\.(\d+)/.exec(output) ?? [];
	if (major === undefined || minor === undefined) {
		throw new NoSandbox(bubblewrapTexts.otherProgram(program), { fix: installAdvice() });
	}
	const version = [Number(major), Number(minor)] as const;
	if (version[0] === 0 && version[1] < OLDEST_MINOR) {
		const reason = bubblewrapTexts.tooOld(`${major}.${minor}`, `0.${OLDEST_MINOR}`);
		throw new NoSandbox(reason, { fix: bubblewrapTexts.laterVersion });
	}
	return { program, version };
}

/** Commands that install bubblewrap. Key: `ID` or `ID_LIKE` in `/etc/os-release`. */
const installs: Readonly<Record<string, string>> = {
	debian: "apt install bubblewrap",
	ubuntu: "apt install bubblewrap",
	fedora: "dnf install bubblewrap",
	rhel: "dnf install bubblewrap",
	suse: "zypper install bubblewrap",
	arch: "pacman -S bubblewrap",
	alpine: "apk add bubblewrap",
	void: "xbps-install bubblewrap",
	gentoo: "emerge sys-apps/bubblewrap",
	nixos: "environment.systemPackages = [ pkgs.bubblewrap ];",
};

const declare = bubblewrapTexts.container;

const unlessContainer = bubblewrapTexts.preferred;

/** Returns instructions for a system without bubblewrap. */
export function installAdvice(
	release = textOf("/etc/os-release"),
	platform: string = process.platform,
): string {
	if (platform !== "linux") {
		return bubblewrapTexts.needsLinux;
	}
	const names = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, text = ""]) =>
		text.split(" "),
	);
	const known = names.find((name) => Object.hasOwn(installs, name));
	return known === undefined ? bubblewrapTexts.install : `${installs[known]}`;
}

/** Returns instructions for the operator if the system does not allow bubblewrap to create namespaces. */
export function permitAdvice(read: (path: string) => string = textOf): string {
	if (read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").trim() === "1") {
		return bubblewrapTexts.appArmor;
	}
	if (read("/proc/sys/kernel/unprivileged_userns_clone").trim() === "0") {
		return bubblewrapTexts.userNamespaces;
	}
	if (read("/proc/sys/user/max_user_namespaces").trim() === "0") {
		return bubblewrapTexts.maxUserNamespaces;
	}
	if (isContainer()) return bubblewrapTexts.seccomp(declare);
	return bubblewrapTexts.allowNamespaces(unlessContainer);
}

function isContainer(): boolean {
	return existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}

function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

const KEYCTL_TIMEOUT_MS = 5_000;
const STARTED = "parley-trial";

export interface KeyctlProgram {
	readonly state: SandboxFeatures["keyring"];
	/** Path of keyctl(1). Absent if keyctl(1) cannot create a session keyring on this system. */
	readonly program?: string;
}

/**
 * Finds keyctl(1) and tries it once. If the kernel or the container denies key management, keyctl(1) could not start
 * any command.
 */
export async function findKeyctl(unsandboxed: Sandbox, path = SYSTEM_PATH): Promise<KeyctlProgram> {
	const program = await findProgram("keyctl", path).catch(() => undefined);
	if (program === undefined) return { state: "not-installed" };
	const { output, code } = await unsandboxed.run({
		executable: program,
		args: ["session", "-", "/bin/sh", "-c", `echo ${STARTED}`],
		cwd: "/",
		timeoutMs: KEYCTL_TIMEOUT_MS,
		maxOutputBytes: 4_096,
		signal: new AbortController().signal,
	});
	// keyctl(1) prints the number of the keyring before `STARTED`.
	const works = code === 0 && output.endsWith(`${STARTED}\n`);
	return works ? { state: "own", program } : { state: "denied" };
}
