import { existsSync, readFileSync } from "node:fs";

/** Commands that install bubblewrap, by `ID` or `ID_LIKE` of `/etc/os-release`. */
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

const declare = "or declare that the container is the boundary: --sandbox container";
const unlessContainer = "or let the operator's own sessions do without it: --sandbox preferred";

/** Instruction for a system without bubblewrap. */
export function howToInstall(
	release = textOf("/etc/os-release"),
	platform: string = process.platform,
): string {
	if (platform !== "linux") {
		return "bubblewrap is for Linux: run the gateway in a container there, and declare it with --sandbox container";
	}
	const names = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, text = ""]) =>
		text.split(" "),
	);
	const known = names.find((name) => Object.hasOwn(installs, name));
	return known === undefined ? "install bubblewrap (bwrap)" : `${installs[known]}`;
}

/** Instruction for a system that does not let bubblewrap make namespaces. */
export function howToPermit(read: (path: string) => string = textOf): string {
	if (read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").trim() === "1") {
		return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap that allows userns";
	}
	if (read("/proc/sys/kernel/unprivileged_userns_clone").trim() === "0") {
		return "sysctl -w kernel.unprivileged_userns_clone=1";
	}
	if (read("/proc/sys/user/max_user_namespaces").trim() === "0") {
		return "sysctl -w user.max_user_namespaces=15000";
	}
	if (isContainer()) return `start the container with --security-opt seccomp=unconfined, ${declare}`;
	return `let this user make user namespaces, ${unlessContainer}`;
}

function isContainer(): boolean {
	return existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}

function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		// A system without this file does not forbid it.
		return "";
	}
}
