/** Commands and instructions that fix a problem, by kind of system. */
export const systemFixes = {
	clock: {
		alpine: "apk add chrony && rc-service chronyd start",
		wsl: "in Windows: wsl --shutdown, then start again",
		macos: "sudo sntp -sS time.apple.com",
		other: "turn on network time in the system settings",
		else: "sudo timedatectl set-ntp true",
	},
	space: {
		debian: "sudo apt clean && sudo journalctl --vacuum-size=200M",
		fedora: "sudo dnf clean all && sudo journalctl --vacuum-size=200M",
		arch: "sudo pacman -Sc && sudo journalctl --vacuum-size=200M",
		suse: "sudo zypper clean && sudo journalctl --vacuum-size=200M",
		alpine: "sudo apk cache clean",
		wsl: "free space on the Windows drive of this system",
		macos: "free space in System Settings, General, Storage",
		else: "remove unused files",
	},
	node: {
		arch: "sudo pacman -Syu nodejs npm",
		alpine: "sudo apk add --upgrade nodejs npm",
		macos: "brew upgrade node, or https://nodejs.org/en/download",
		else: "install Node from https://nodejs.org/en/download",
	},
} as const;
