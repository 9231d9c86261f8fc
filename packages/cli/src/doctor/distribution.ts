import { systemFixes } from "../texts/doctor/system.ts";

/** Kinds of systems that need different fixes. */
export type Distribution =
	| "debian"
	| "fedora"
	| "arch"
	| "alpine"
	| "suse"
	| "linux"
	| "wsl"
	| "macos"
	| "other";

interface Signs {
	readonly platform: string;
	/** The text of `/etc/os-release`, or "" if the file is missing. */
	readonly release: string;
	/** The text of `/proc/version`, or "" if the file is missing. */
	readonly kernel: string;
}

const families: Readonly<Record<string, Distribution>> = {
	debian: "debian",
	ubuntu: "debian",
	fedora: "fedora",
	rhel: "fedora",
	arch: "arch",
	alpine: "alpine",
	suse: "suse",
};

/**
 * Returns the kind of the system. On Linux, ID and ID_LIKE select it:
 * https://www.freedesktop.org/software/systemd/man/latest/os-release.html
 */
export function distributionOf({ platform, release, kernel }: Signs): Distribution {
	if (platform === "darwin") return "macos";
	if (platform !== "linux") return "other";
	// WSL uses the clock and the disk of Windows: https://learn.microsoft.com/windows/wsl/about
	if (/microsoft/i.test(kernel)) return "wsl";
	const names = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, text = ""]) =>
		text.split(" "),
	);
	const known = names.map((name) => families[name]).find((family) => family !== undefined);
	return known ?? "linux";
}

type Fixes = Readonly<Partial<Record<Distribution, string>>> & { readonly else: string };

function fixOn(fixes: Fixes): (distribution: Distribution) => string {
	return (distribution) => fixes[distribution] ?? fixes.else;
}

/** Commands that synchronise the system clock. */
export const setClock = fixOn(systemFixes.clock);

/** Commands that free disk space. */
export const makeRoom = fixOn(systemFixes.space);

/** Commands that install a newer Node. */
export const updateNode = fixOn(systemFixes.node);

/** Returns the command that shows which program listens on a port. */
export function showListener(distribution: Distribution, port: number): string {
	return distribution === "macos" || distribution === "other"
		? `lsof -nP -iTCP:${port} -sTCP:LISTEN`
		: `ss -ltnp 'sport = :${port}'`;
}
