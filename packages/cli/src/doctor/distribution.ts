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
	/** The text of `/etc/os-release`; "" if it is missing. */
	readonly release: string;
	/** The text of `/proc/version`; "" if it is missing. */
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

/** By ID and ID_LIKE: https://www.freedesktop.org/software/systemd/man/latest/os-release.html */
export function distributionOf({ platform, release, kernel }: Signs): Distribution {
	if (platform === "darwin") return "macos";
	if (platform !== "linux") return "other";
	// The clock and the disk of WSL are those of Windows: https://learn.microsoft.com/windows/wsl/about
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

/** Commands that synchronise the clock. */
export const setClock = fixOn({
	alpine: "apk add chrony && rc-service chronyd start",
	wsl: "in Windows: wsl --shutdown, then start again",
	macos: "sudo sntp -sS time.apple.com",
	other: "turn on network time in the settings of the system",
	else: "sudo timedatectl set-ntp true",
});

/** Commands that free disk space. */
export const makeRoom = fixOn({
	debian: "sudo apt clean && sudo journalctl --vacuum-size=200M",
	fedora: "sudo dnf clean all && sudo journalctl --vacuum-size=200M",
	arch: "sudo pacman -Sc && sudo journalctl --vacuum-size=200M",
	suse: "sudo zypper clean && sudo journalctl --vacuum-size=200M",
	alpine: "sudo apk cache clean",
	wsl: "free space on the Windows drive of this system",
	macos: "free space in System Settings, General, Storage",
	else: "remove unused files",
});

/** Commands that install a newer Node. */
export const updateNode = fixOn({
	arch: "sudo pacman -Syu nodejs npm",
	alpine: "sudo apk add --upgrade nodejs npm",
	macos: "brew upgrade node, or https://nodejs.org/en/download",
	else: "install it from https://nodejs.org/en/download",
});

/** Command that shows the program that listens on a port. */
export function showListener(distribution: Distribution, port: number): string {
	return distribution === "macos" || distribution === "other"
		? `lsof -nP -iTCP:${port} -sTCP:LISTEN`
		: `ss -ltnp 'sport = :${port}'`;
}
